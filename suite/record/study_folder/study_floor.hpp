#pragma once
/// The A/A floor of a study on a machine: how much the training times of identical launches differ
/// (METRICS.md#floor). Kept by `scalestudy floor` for this machine, and in plan.json.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

/// What pairs of identical launches with `ranks` ranks showed; both are of natural logarithms of
/// training_time_s, with n − 1.
struct FloorPoint {
  std::int64_t ranks = 1;
  std::int64_t pairs = 0;   ///< at least 2
  double log_ratio_sd = 0;  ///< of the differences within pairs
  double log_time_sd = 0;   ///< of single launches, drift from block to block included
};

struct StudyFloor {
  std::string study;
  std::string timing_hash;       ///< RunSpec::timing_hash(), 16 hexadecimal digits
  std::string host;              ///< HostFacts::text()
  std::string host_fingerprint;  ///< HostFacts::fingerprint()
  std::string build_id;
  std::string measured_utc;
  std::vector<FloorPoint> points;  ///< by ranks, ascending

  /// Null when none has so many.
  [[nodiscard]] const FloorPoint* at(std::int64_t ranks) const;
};

/// As the file holds it, with its version.
[[nodiscard]] std::string to_json_text(const StudyFloor& floor);

/// Nothing when the text is no floor of this version, or says what no measurement can.
[[nodiscard]] std::optional<StudyFloor> floor_from_json_text(const std::string& text);

}  // namespace scalestudy
