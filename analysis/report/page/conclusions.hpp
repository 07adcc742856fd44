#pragma once
/// What the study shows, in plain sentences that carry no more than the data. UTF-8, not escaped.

#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// One paragraph per topic, "" where nothing is said of it. The largest rank count leads; the
/// others follow in one sentence.
struct Conclusions {
  std::string headline;
  std::string speed;
  std::string causes;    ///< why it is not N times
  std::string remedies;  ///< what can be done about it
  std::string parts;     ///< what speed and step are made of
  std::string quality;
  std::string smoothness;

  /// A paragraph and the question that it answers: "How much faster?".
  struct Answer {
    std::string_view question;
    std::string text;
  };
  /// In this order, without those that are empty.
  [[nodiscard]] std::vector<Answer> answers() const;
};

/// Whether one rank and more were measured.
[[nodiscard]] bool states_speedup(const SeriesAnalysis& analysis);

[[nodiscard]] Conclusions conclusions_of(const SeriesAnalysis& analysis);

}  // namespace scalestudy
