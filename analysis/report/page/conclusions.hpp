#pragma once
/// What the study shows, in plain sentences that carry no more than the data. UTF-8, not escaped.

#include <string>
#include <vector>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// A paragraph and the question that it answers: "How much faster?"; "" where none is asked.
struct Answer {
  std::string question;
  std::string text;
};

/// One paragraph per question, which says why where it cannot be answered. The largest rank count
/// leads; the others follow in one sentence.
struct Conclusions {
  std::string headline;
  std::string speed;
  std::string causes;    ///< why it is not N times
  std::string remedies;  ///< what can be done about it
  std::string quality;
  std::string smoothness;

  [[nodiscard]] std::vector<Answer> answers() const;
};

/// Whether one rank and more were measured.
[[nodiscard]] bool states_speedup(const SeriesAnalysis& analysis);

[[nodiscard]] Conclusions conclusions_of(const SeriesAnalysis& analysis);

}  // namespace scalestudy
