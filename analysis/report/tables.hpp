#pragma once
/// The tables of the report, each from the one analysis.

#include <vector>

#include "analysis/report/report_table.hpp"
#include "analysis/report/setting_words.hpp"
#include "analysis/study_analysis.hpp"

namespace scalestudy {

[[nodiscard]] ReportTable speedup_table(const SeriesAnalysis& analysis);
/// Parts in rows, numbers of ranks in columns; no rows where launches were recorded without parts.
[[nodiscard]] ReportTable launch_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable step_table(const SeriesAnalysis& analysis);
/// No rows where runs recorded no waiting apart from transfer.
[[nodiscard]] ReportTable step_checks_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable smoothness_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable quality_table(const SeriesAnalysis& analysis);
[[nodiscard]] ReportTable control_arm_table(const StudyAnalysis& analysis);
[[nodiscard]] ReportTable arm_contrast_table(const StudyAnalysis& analysis);
/// Every run of the folders, also those that failed, are missing or unreadable.
[[nodiscard]] ReportTable run_table(const StudyAnalysis& analysis);
[[nodiscard]] ReportTable skipped_table(const StudyAnalysis& analysis);

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
