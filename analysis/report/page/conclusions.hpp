#pragma once
/// What the study shows, in plain sentences that carry no more than the data.

#include <string>
#include <vector>

#include "analysis/report/text/answer.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// An answer per question, which says why where it cannot be given. The largest rank count leads;
/// the others follow in a note.
struct Conclusions {
  std::string headline;
  Answer speed{"How much faster?"};
  Answer causes{"Why not more?"};
  Answer remedies{"What to change?"};
  Answer quality{"Is the model as good?"};
  Answer smoothness{"Is the loss smoother?"};

  [[nodiscard]] std::vector<Answer> answers() const {
    return {speed, causes, remedies, quality, smoothness};
  }
};

/// Whether one rank and more were measured.
[[nodiscard]] bool states_speedup(const SeriesAnalysis& analysis);

/// Of the most ranks that have one; without any of the most ranks.
[[nodiscard]] const SpeedupPoint& stated_speedup(const SeriesAnalysis& analysis);

[[nodiscard]] Conclusions conclusions_of(const SeriesAnalysis& analysis);

}  // namespace scalestudy
