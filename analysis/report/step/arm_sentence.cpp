#include "analysis/report/step/arm_sentence.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// Against the study proper: one step, of which each arm leaves something else out.
bool is_of_study_proper(const ArmContrast& one) {
  return !one.kind->base;
}

/// "without moving gradients 12.3 (8.1–16.5) ms, where the columns say 14.0 ms"
std::string saving(const ArmContrast& one) {
  const auto in_ms = transformed(one.saved_s, [](double time_s) { return time_s * 1e3; });
  auto text = cat("without ", one.kind->left_out, " ", difference_text(in_ms), " ms");
  if (!in_ms.interval)
    text += " without interval";
  else if (!one.is_resolved())
    text += ", not resolved";
  if (std::isfinite(one.column_s)) text += ", where the columns say " + milliseconds(one.column_s);
  return text;
}

bool parts_from_columns(const ArmContrast& one) {
  return one.is_resolved() && std::isfinite(one.column_s) &&
         !one.saved_s.interval->contains(one.column_s);
}

constexpr const char* why_they_part =
    " Where columns part from an arm, they count only what each rank was itself blocked for, the "
    "arm also what that slowed down elsewhere.";

}  // namespace

std::string arm_sentence(const SeriesAnalysis& analysis) {
  std::int64_t most_ranks = 0;
  for (const ArmContrast& one : analysis.arm_contrasts)
    if (is_of_study_proper(one)) most_ranks = std::max(most_ranks, one.ranks);
  std::vector<std::string> savings;
  double step_s = not_available;
  bool is_busy = false;
  bool do_part = false;
  for (const ArmContrast& one : analysis.arm_contrasts) {
    if (!is_of_study_proper(one) || one.ranks != most_ranks) continue;
    savings.push_back(saving(one));
    step_s = one.base_step_s;
    is_busy = is_busy || one.is_on_busy_machine;
    do_part = do_part || parts_from_columns(one);
  }
  if (savings.empty()) return "";
  return cat("Control arms at ", ranks_in_words(most_ranks, false), " save, of a step of ",
             milliseconds(step_s), " in the mean over ranks: ", join(savings, "; "), ".",
             do_part ? why_they_part : "",
             is_busy ? " Some of these runs shared their cores with other programs." : "");
}

}  // namespace scalestudy
