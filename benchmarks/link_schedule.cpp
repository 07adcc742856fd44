/// Exposed transfer of runs over an emulated link beside the best that their schedule can do by the
/// cost model (tests/support/link_schedule.hpp). Usage: link_schedule RUN.h5... Exit: 0 when each
/// run is within its strategy's bound of it, and all strategies of a cell are in the model's order;
/// else 1.

#include "tests/support/link_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text.hpp"

#include "record/measures/link_check.hpp"
#include "record/run_file/run_file.hpp"

namespace {

using namespace scalestudy;

struct Row {
  RunSpec spec;
  ExposedTransfer exposed;
  double excess_frac = 0;
  double step_s = 0;
  [[nodiscard]] double off_frac() const { return exposed.recorded_s / exposed.best_s - 1; }
  /// How far off it may be. One transfer after all gradients leaves the least to chance.
  [[nodiscard]] double bound_frac() const {
    return spec.reduction == Reduction::flat_after_backward ? 0.05 : 0.1;
  }
  [[nodiscard]] bool is_within_bound() const { return std::abs(off_frac()) <= bound_frac(); }
};

Row row_of(const RunRecord& run) {
  Row row;
  row.spec = run_spec_from_json_text(run.resolved_settings, run.file.string());
  row.exposed = exposed_transfer_of(run, row.spec);
  const auto window = steady_window_of(run.steps, row.spec.settings.warmup_steps);
  row.excess_frac = link_excess(row.spec.settings.link, run.steps, window).model_frac;
  row.step_s = steady_step_s(run.steps, window);
  return row;
}

void print(const Row& row) {
  std::printf("%5lld %5lld %5.2f %-20s %8.1f %9.1f %+7.2f %7.0f %9.3f %8.1f\n",
              static_cast<long long>(row.spec.ranks),
              static_cast<long long>(row.spec.settings.link.ranks_per_host),
              row.spec.settings.link.bandwidth_bytes_per_s / 1e9, cat(row.spec.reduction).c_str(),
              1e3 * row.exposed.best_s, 1e3 * row.exposed.recorded_s, 1e2 * row.off_frac(),
              1e2 * row.bound_frac(), 1e2 * row.excess_frac, 1e3 * row.step_s);
}

/// Strategies whose models are no further apart than that are not told apart.
constexpr double equal_frac = 0.02;

bool is_in_models_order(std::span<const Row> cell) {
  return std::ranges::all_of(cell, [&](const Row& one) {
    return std::ranges::all_of(cell, [&](const Row& other) {
      const bool is_better = one.exposed.best_s < (1 - equal_frac) * other.exposed.best_s;
      return !is_better || one.exposed.recorded_s < other.exposed.recorded_s;
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::tuple<std::int64_t, std::int64_t, double>, std::vector<Row>> cells;
  for (const char* file : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    auto row = row_of(read_run_file(file));
    if (row.spec.ranks == 1) continue;
    const auto& link = row.spec.settings.link;
    cells[{row.spec.ranks, link.ranks_per_host, link.bandwidth_bytes_per_s}].push_back(
        std::move(row));
  }
  std::printf("# one run a row\n");
  std::printf(
      "ranks /host  GB/s reduction             best_ms exposed_ms   off_%% bound_%% excess_%%  "
      "step_ms\n");
  bool is_good = true;
  for (auto& [place, cell] : cells) {
    std::ranges::sort(cell, {}, [](const Row& row) { return row.exposed.best_s; });
    for (const auto& row : cell) {
      print(row);
      is_good = is_good && row.is_within_bound();
    }
    if (is_in_models_order(cell)) continue;
    std::printf("      not in the order of the model\n");
    is_good = false;
  }
  std::printf("%s\n", is_good ? "all within their bounds and in the order of the model"
                              : "NOT all within their bounds and in the order of the model");
  return is_good ? 0 : 1;
}
