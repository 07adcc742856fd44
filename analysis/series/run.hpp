#pragma once
/// One run as the analysis knows it: judged and digested.

#include <string>
#include <vector>

#include "study/run_spec.hpp"

#include "record/measures/measures.hpp"
#include "record/measures/run_digest.hpp"
#include "record/run_file/run_record.hpp"

#include "analysis/series/origin.hpp"

namespace scalestudy {

/// One run, without its columns: its file was read, judged and digested, and is not kept.
struct Run {
  RunFacts record;
  RunSpec spec;
  Origin origin;
  RunMeasures measures;
  RunDigest digest;
  std::vector<std::string> validity_codes;  ///< the file's and those found here
  std::vector<std::string> labels;          ///< the file's by their names of today, and
                                            ///< those that its spec and measures give
  std::string left_out;                     ///< why it is listed but no data; "" if it is data
  [[nodiscard]] bool is_data() const { return left_out.empty(); }
  [[nodiscard]] bool has_label(RunLabel label) const;
  /// A resumed run trains as well as any other, but its times are no evidence.
  [[nodiscard]] bool is_timing_data() const { return is_data() && !has_label(RunLabel::resumed); }
};

/// Why it has the label busy_machine; else "".
[[nodiscard]] std::string busy_machine_reason(const Run& run);

/// From exec of the launcher to the last exit, without what only measuring takes where that is
/// recorded (METRICS.md#launch-parts).
[[nodiscard]] double launch_time_s(const Run& run);

/// When rank 0's process was started, seconds after 1970-01-01 00:00 UTC; NaN where it was not
/// recorded. What was made together may be compared in pairs (METRICS.md#paired).
[[nodiscard]] double started_unix_s(const Run& run);

/// Judges and digests one record; it must hold a readable /settings/resolved (else BadInput).
[[nodiscard]] Run judge_run(const RunRecord& record);

}  // namespace scalestudy
