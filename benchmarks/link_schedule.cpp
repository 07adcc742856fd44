/// Exposed transfer of runs over an emulated link beside the best that their schedule can do by the
/// cost model (tests/support/link_schedule.hpp). Usage: link_schedule RUN.h5... Exit: 0 when
/// bucketed_overlap is within 10 % of it, flat_after_backward within 5 %, and all strategies of a
/// cell are in the model's order; else 1.

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

#include "record/run_file.hpp"

#include "analysis/link_check.hpp"

namespace {

using namespace scalestudy;

struct Row {
  RunSpec spec;
  ExposedTransfer exposed;
  double excess_frac = 0;
  double step_s = 0;
  [[nodiscard]] double off_frac() const { return exposed.recorded_s / exposed.best_s - 1; }
};

Row row_of(const RunRecord& run) {
  Row row;
  row.spec = run_spec_from_json_text(run.resolved_settings, run.file.string());
  row.exposed = exposed_transfer_of(run, row.spec);
  const auto window = steady_window_of(run.steps, row.spec.settings.warmup_steps);
  row.excess_frac = link_excess_frac(row.spec.settings.link, run.steps, window);
  row.step_s = steady_step_s(run.steps, window);
  return row;
}

void print(const Row& row) {
  std::printf("%5lld %5lld %5.2f %-20s %8.1f %9.1f %+7.2f %9.3f %8.1f\n",
              static_cast<long long>(row.spec.ranks),
              static_cast<long long>(row.spec.settings.link.ranks_per_host),
              row.spec.settings.link.bandwidth_bytes_per_s / 1e9, cat(row.spec.reduction).c_str(),
              1e3 * row.exposed.best_s, 1e3 * row.exposed.recorded_s, 1e2 * row.off_frac(),
              1e2 * row.excess_frac, 1e3 * row.step_s);
}

bool is_within_bounds(const Row& row) {
  const double off = std::abs(row.off_frac());
  if (row.spec.reduction == Reduction::bucketed_overlap) return off <= 0.1;
  return row.spec.reduction != Reduction::flat_after_backward || off <= 0.05;
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
  std::printf(
      "ranks /host  GB/s reduction             best_ms exposed_ms   off_%% excess_%%  step_ms\n");
  bool is_good = true;
  for (auto& [place, cell] : cells) {
    std::ranges::sort(cell, {}, [](const Row& row) { return row.exposed.best_s; });
    for (const auto& row : cell) {
      print(row);
      is_good = is_good && is_within_bounds(row);
    }
    if (is_in_models_order(cell)) continue;
    std::printf("      not in the order of the model\n");
    is_good = false;
  }
  std::printf("%s\n", is_good ? "all as the model says" : "NOT as the model says");
  return is_good ? 0 : 1;
}
