#pragma once
/// What `inspect` and `data inspect` print with --json.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/pack/pack_header.hpp"
#include "data/volume_statistics.hpp"
#include "record/run_file/run_record.hpp"

#include "analysis/series/setting_stages.hpp"
#include "driver/inspect/run_contents.hpp"

namespace scalestudy {

/// `settings`: those to show.
[[nodiscard]] std::string run_json(const RunRecord& record,
                                   const std::vector<SettingStages>& settings);

/// Everything `data inspect` found out about one file.
struct VolumeInspection {
  std::filesystem::path file;
  std::optional<PackDescription> pack;  ///< of a pack: what it was made from
  std::string file_sha256;
  Shape3 shape{};
  std::string stored_type;
  std::int64_t reduced_images = 0;  ///< of the file, left out
  bool white_is_zero = false;       ///< by the file, whose values are not inverted
  StackAxes axes;                   ///< of the file
  StackChoice choice;               ///< what was read of it
  StackChoice asked;                ///< what was asked for: a study must say as much
  std::string content_hash;
  VolumeStatistics statistics;
  std::vector<std::string> warnings;          ///< content_warnings() and notes_of()
  std::array<double, 3> noise_correlation{};  ///< Z, Y, X
  std::optional<Shape3> patch;
  std::int64_t grid_patch_count = 0;  ///< of `patch`
};
[[nodiscard]] std::string volume_json(const VolumeInspection& inspection);

}  // namespace scalestudy
