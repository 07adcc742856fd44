#pragma once
/// Which further runs of a study would decide what its causes leave open, and what they cost
/// (METRICS.md#deciding-runs). Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// One question, with the ways to an answer.
struct OpenQuestion {
  std::optional<StepCause> cause;       ///< none: whether there is a loss at all
  std::vector<ControlArm> arms;         ///< that the study lacks and that would tell
  std::optional<std::int64_t> repeats;  ///< with the arms there are; none: no number would
};

struct DecidingRuns {
  std::int64_t ranks = 2;
  std::vector<OpenQuestion> open;
  std::vector<ControlArm> arms;  ///< all that the study then has
  std::int64_t repeats = 0;      ///< likewise
  std::int64_t launches = 0;     ///< more than there are; 0: no runs would decide anything
  double wall_time_s = 0;        ///< of these, one after the other
};

/// Of the most ranks that causes were asked for. Of both ways to an answer the cheaper one; nothing
/// where nothing is open. Contract: `study` is one of analysis.studies().
[[nodiscard]] std::optional<DecidingRuns> deciding_runs(const StudyAnalysis& analysis,
                                                        const SeriesAnalysis& study);

}  // namespace scalestudy
