#include "analysis/report/text/evidence.hpp"

#include <algorithm>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"
#include "analysis/statistics/decision.hpp"

namespace scalestudy {

std::string evidence(const Estimate& estimate, int digits, const std::string& noun) {
  const std::string runs =
      estimate.count == estimate.base_count
          ? counted(estimate.count, noun) + " each"
          : cat(counted(estimate.count, noun), " against ", estimate.base_count);
  if (!estimate.interval) return cat(no_interval_text(estimate), "; ", runs);
  return cat("95\u202f% interval ", interval_text(estimate, digits), "; ", runs,
             estimate.is_apart ? ", not paired because repeats were not made together" : "");
}

std::size_t missing_launches(const Estimate& estimate) {
  const auto fewest = std::min(estimate.count, estimate.base_count);
  if (estimate.interval || fewest >= minimum_launches_for_interval) return 0;
  return minimum_launches_for_interval - fewest;
}

std::string remedy(const Estimate& estimate) {
  const auto missing = missing_launches(estimate);
  return missing == 0 ? "" : counted(missing, "more repeat");
}

std::string repeats_text(std::int64_t launches) {
  return launches > max_worthwhile_launches ? "more than a hundred repeats"
                                            : counted(launches, "repeat");
}

std::string to_decide_text(std::optional<std::int64_t> launches) {
  if (!launches) return "";
  return *launches > max_worthwhile_launches
             ? cat(" (", repeats_text(*launches), " would decide: not worth it)")
             : cat(" (about ", repeats_text(*launches), " would decide)");
}

std::string resolution_remark(const Resolution& resolution) {
  const auto margin = cat(": the margin is ", percent(resolution.margin_frac), ".");
  if (!resolution.is_floor_known)
    return " How much identical launches differ here was not measured (floor_unknown; scalestudy "
           "floor does)" +
           margin;
  return cat(" Identical launches differ here by up to ", percent(resolution.floor_frac),
             " (the A/A floor)", margin);
}

}  // namespace scalestudy
