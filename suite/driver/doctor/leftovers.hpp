#pragma once
/// What jobs that were killed left behind on this machine: shared memory and Open MPI's session
/// folders of this user.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace scalestudy {

/// Where to look.
struct LeftoverPlaces {
  std::filesystem::path shared_memory = "/dev/shm";
  std::filesystem::path temporary = "/tmp";
  std::filesystem::path processes = "/proc";
};

struct Leftover {
  std::filesystem::path path;  ///< a file, or a folder with all that is in it
  std::int64_t bytes = 0;
};

/// Only what surely belongs to no process: of this user, closed to others, neither open nor mapped
/// anywhere, and of Open MPI only while no Open MPI program of this user runs. Empty where
/// processes may be at work that cannot be seen from here (a container with the host's /dev/shm).
[[nodiscard]] std::vector<Leftover> find_leftovers(const LeftoverPlaces& places);

/// Returns what was removed.
[[nodiscard]] std::vector<Leftover> clear_leftovers(const LeftoverPlaces& places);

/// "3 of killed jobs, 12.0 MiB: /dev/shm/a, …"; "none".
[[nodiscard]] std::string to_text(const std::vector<Leftover>& leftovers);

}  // namespace scalestudy
