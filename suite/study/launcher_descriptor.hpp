#pragma once
/// What studies must know about a launcher. Each one states it in launchers/<name>/launcher.cpp;
/// the list is generated from the folder listing and handed in, because studies are checked without
/// the launchers.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/choices.hpp"

namespace scalestudy {

struct LauncherDescriptor {
  std::string_view name;
  std::string_view summary;
  CommunicatorKind joins_ranks;  ///< when there are several
};

/// The variables that launchers set for every rank.
namespace rank_variable {
inline constexpr const char* rank = "RANK";
inline constexpr const char* local_rank = "LOCAL_RANK";
inline constexpr const char* world_size = "WORLD_SIZE";
inline constexpr const char* local_world_size = "LOCAL_WORLD_SIZE";
inline constexpr const char* threads = "OMP_NUM_THREADS";
inline constexpr const char* job_key = "SCALESTUDY_JOB_KEY";

/// torchrun's names of a rank's place: they come first in every rendezvous.
inline constexpr std::array place{rank, local_rank, world_size, local_world_size};
}  // namespace rank_variable

/// Another value of such a variable would be ignored, or give two ranks one number.
[[nodiscard]] bool is_set_by_launchers(std::string_view variable);

using LauncherDescriptors = std::span<const LauncherDescriptor* const>;

[[nodiscard]] std::vector<std::string> names_of(LauncherDescriptors launchers);

/// Errors: BadInput naming `json_path`, the known names and the nearest of them.
[[nodiscard]] const LauncherDescriptor& find_launcher(LauncherDescriptors launchers,
                                                      std::string_view name,
                                                      const std::string& json_path);

}  // namespace scalestudy
