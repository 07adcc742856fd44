#pragma once
/// What the report says of runs that measured collective operations: back-ends, numbers of ranks
/// and operations side by side.

#include <string>
#include <vector>

#include "analysis/report/text/report_table.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Where figures and files of all series together belong.
inline constexpr const char* collectives_slug = "collectives";

/// "shm", "mpi, bfloat16"; the series' name where that would be another's, too.
[[nodiscard]] std::string label_of(const CollectivesAnalysis& series,
                                   std::int64_t ranks,
                                   const StudyAnalysis& analysis);

/// "all-reduce"
[[nodiscard]] std::string words(CollectiveOperation operation);

/// " (busy machine)": under which circumstances the runs were made; "" without any.
[[nodiscard]] std::string labels_in_brackets(const std::vector<const Run*>& runs);

/// Those that some of all these runs have.
[[nodiscard]] std::vector<std::string> collective_labels(const StudyAnalysis& analysis);

/// One row per back-end, number of ranks, operation and size.
[[nodiscard]] ReportTable collectives_table(const StudyAnalysis& analysis);

/// Latency and inverse bandwidth, one row per back-end, number of ranks and operation.
[[nodiscard]] ReportTable collective_fits_table(const StudyAnalysis& analysis);

/// A sentence or two per back-end and number of ranks; empty where nothing was measured.
[[nodiscard]] std::vector<std::string> collective_paragraphs(const StudyAnalysis& analysis);

}  // namespace scalestudy
