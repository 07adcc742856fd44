#pragma once
/// What more ranks would bring, up to which batch they pay, and how efficient they were: tables,
/// sentences, and the curve in the speed-up figure.

#include <string>

#include "analysis/report/plot/figure.hpp"
#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// No rows where no model could be fitted.
[[nodiscard]] ReportTable scaling_models_table(const SeriesAnalysis& analysis);
/// Of twice the most ranks, in files: sentences and figure say it on the page.
[[nodiscard]] ReportTable prediction_table(const SeriesAnalysis& analysis);
/// Why not, in files only, where it is refused.
[[nodiscard]] ReportTable noise_scale_table(const SeriesAnalysis& analysis);
/// No rows where runs recorded no split of their steps.
[[nodiscard]] ReportTable pop_table(const SeriesAnalysis& analysis);

/// Of twice the most ranks; null where it is refused, or there is no speed-up to draw.
[[nodiscard]] const ScalingPrediction* outlook_of(const SeriesAnalysis& analysis);

/// One sentence each on twice the ranks and on the critical batch, where something is said.
[[nodiscard]] std::string outlook_sentences(const SeriesAnalysis& analysis);

/// The model's curve with its band up to twice the most ranks, and where the global batch reaches
/// the noise scale, in the figure of the speed-up; nothing where neither is said.
void add_outlook(Figure& speedup, const SeriesAnalysis& analysis);

}  // namespace scalestudy
