#include "record/measures/collective_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace scalestudy {
namespace {

using CaseKey = std::pair<std::int64_t, std::int64_t>;  ///< operation, size_bytes

struct Call {
  std::int64_t ranks = 0;
  double time_s = 0;
  bool is_checked = true;
};

bool is_known(std::int64_t operation) {
  return operation >= 0 && operation < std::ssize(choices<CollectiveOperation>);
}

CollectiveTimesOfRun times_of(const CaseKey& key,
                              const std::map<std::int64_t, Call>& calls,
                              std::int64_t ranks) {
  CollectiveTimesOfRun found{.operation = static_cast<CollectiveOperation>(key.first),
                             .size_bytes = key.second};
  std::vector<double> times_s;
  for (const auto& [iteration, call] : calls) {
    if (call.ranks != ranks) continue;
    times_s.push_back(call.time_s);
    found.is_checked &= call.is_checked;
  }
  if (times_s.empty()) return found;
  std::ranges::sort(times_s);
  found.calls = std::ssize(times_s);
  found.max_s = times_s.back();
  if (found.calls >= fewest_calls_for_p99) found.p99_s = percentile(times_s, 0.99);
  found.median_s = median(std::move(times_s));
  return found;
}

}  // namespace

std::vector<CollectiveTimesOfRun> collective_times(std::span<const CollectiveRow> rows,
                                                   std::int64_t ranks) {
  std::map<CaseKey, std::map<std::int64_t, Call>> cases;
  for (const auto& row : rows) {
    if (!is_known(row.operation) || row.size_bytes < 0 || !std::isfinite(row.transfer_s)) continue;
    auto& call = cases[{row.operation, row.size_bytes}][row.iteration];
    call.time_s = call.ranks == 0 ? row.transfer_s : std::max(call.time_s, row.transfer_s);
    call.is_checked &= row.wrong_count >= 0;
    ++call.ranks;
  }
  std::vector<CollectiveTimesOfRun> found;
  for (const auto& [key, calls] : cases) {
    found.push_back(times_of(key, calls, ranks));
    if (found.back().calls == 0) found.pop_back();
  }
  return found;
}

double bus_factor(CollectiveOperation operation, std::int64_t ranks) {
  if (ranks < 2) return not_available;
  const auto p = static_cast<double>(ranks);
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return 2 * (p - 1) / p;
    case CollectiveOperation::all_gather:
    case CollectiveOperation::reduce_scatter:
      return (p - 1) / p;
    case CollectiveOperation::broadcast:
      return 1;
    case CollectiveOperation::barrier:
      break;
  }
  return not_available;
}

Line fitted_line(std::span<const double> sizes_bytes, std::span<const double> times_s) {
  double uu = 0, uv = 0, vv = 0, u_sum = 0, v_sum = 0;  // minimise Σ (α u + β v − 1)²
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const double u = 1 / times_s[i];
    const double v = sizes_bytes[i] / times_s[i];
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u_sum += u;
    v_sum += v;
  }
  const double determinant = uu * vv - uv * uv;
  const Line line{(u_sum * vv - v_sum * uv) / determinant, (v_sum * uu - u_sum * uv) / determinant};
  if (line.alpha_s < 0) return {0, v_sum / vv};
  if (line.beta_s_per_byte < 0) return {u_sum / uu, 0};
  return line;
}

}  // namespace scalestudy
