#pragma once
/// Settings and environment of the runs.

#include "analysis/report/text/report_table.hpp"
#include "analysis/report/text/setting_words.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Resolved settings that differ between the rank counts of a series.
[[nodiscard]] ReportTable differing_settings_table(const SeriesAnalysis& analysis,
                                                   const SettingWords& words);
/// What the scaling rule did to every time-like hyper-parameter, scaled or not.
[[nodiscard]] ReportTable time_like_table(const SeriesAnalysis& analysis,
                                          const SettingWords& words);
/// Settings whose requested, resolved and effective values are not the same.
[[nodiscard]] ReportTable settings_stages_table(const SeriesAnalysis& analysis,
                                                const SettingWords& words);
[[nodiscard]] ReportTable environment_table(const StudyAnalysis& analysis);

}  // namespace scalestudy
