#pragma once
/// Which class is taken for which: a confusion matrix per rank count, side by side.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// HTML from the panels called "confusion" (rows: true classes, columns: predicted ones), counts
/// summed over the runs of a rank count; "" when no run recorded one. Up to 20 classes as a table
/// of counts, more as a picture.
[[nodiscard]] std::string confusion_html(const SeriesAnalysis& analysis);

}  // namespace scalestudy
