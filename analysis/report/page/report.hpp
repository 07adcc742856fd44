#pragma once
/// DIR/report/: report.html (self-contained), figures/*.{svg,pdf,tsv,gp}, tables/*.csv,
/// summary.json. The page needs no network and no other file.

#include <filesystem>
#include <string>
#include <vector>

#include "study/fields.hpp"

#include "analysis/published/published.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

struct ReportResult {
  std::filesystem::path page;           ///< report.html
  std::filesystem::path summary;        ///< summary.json
  std::vector<std::string> notes;       ///< what is missing and why: gnuplot, unfinished runs
  std::vector<std::string> unreadable;  ///< damaged result files, with the reason
  std::vector<std::string> flags;       ///< "<validity code>: <text>" of the whole study
  bool is_mixed = false;                ///< of runs that no ratio may contain together
  std::vector<std::string> paragraphs;  ///< answers with a line for each note, series by series; of
                                        ///< several below its name
  std::size_t data_runs = 0;
  bool has_answer = false;  ///< a speed-up, or times of collective operations
};

/// Reads the study folders and writes the report into `out`, replacing an earlier one. `own_words`:
/// what the workloads' settings are called; those of a workload without are shown by their paths.
/// Errors: BadInput when a folder is missing or `out` cannot be written.
[[nodiscard]] ReportResult write_report(const std::vector<std::filesystem::path>& folders,
                                        const std::filesystem::path& out,
                                        const WorkloadWords& own_words = {},
                                        const PublishedInputs& published = {});

/// The same of what has been analysed.
[[nodiscard]] ReportResult write_report(const StudyAnalysis& analysis,
                                        const std::filesystem::path& out,
                                        const WorkloadWords& own_words = {});

}  // namespace scalestudy
