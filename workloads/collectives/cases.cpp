#include "workloads/collectives/cases.hpp"

#include <set>

namespace scalestudy::collectives {

bool has_parts(CollectiveOperation operation) {
  return operation == CollectiveOperation::all_gather ||
         operation == CollectiveOperation::reduce_scatter;
}

std::vector<Case> cases_of(const Settings& settings, std::int64_t ranks) {
  std::vector<Case> cases;
  for (const auto operation : settings.operations) {
    std::set<std::int64_t> sizes_bytes;
    const auto step_bytes = bytes_of(settings.element_type) * (has_parts(operation) ? ranks : 1);
    for (const auto size_bytes : settings.sizes_bytes)
      sizes_bytes.insert((size_bytes + step_bytes - 1) / step_bytes * step_bytes);
    if (operation == CollectiveOperation::barrier) sizes_bytes = {0};
    for (const auto size_bytes : sizes_bytes) cases.push_back({operation, size_bytes});
  }
  return cases;
}

}  // namespace scalestudy::collectives
