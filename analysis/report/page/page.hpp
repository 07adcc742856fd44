#pragma once
/// report.html from the analysis and the drawn figures.

#include <map>
#include <string>
#include <vector>

#include "analysis/report/page/figures.hpp"
#include "analysis/report/text/setting_words.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// A figure with its drawing, ready for the page; `svg` is "" where it could not be drawn.
struct DrawnFigure {
  Figure figure;
  std::string svg;
};

/// All figures of a series, by its slug.
using FiguresBySeries = std::map<std::string, std::vector<DrawnFigure>>;

/// The whole page. `notes` are shown on top: what is missing from this report.
[[nodiscard]] std::string report_page(const StudyAnalysis& analysis,
                                      const FiguresBySeries& figures,
                                      const std::vector<std::string>& notes,
                                      const SettingWords& words);

}  // namespace scalestudy
