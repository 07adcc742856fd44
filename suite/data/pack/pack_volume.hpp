#pragma once
/// Volumes in packs: the data set /volume (Z, Y, X) in the source's own number type, one chunk and
/// one hash per slice.

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/pack/pack_output.hpp"
#include "data/volume.hpp"
#include "data/work_progress.hpp"

namespace scalestudy {

struct VolumePackOptions {
  std::string source;  ///< what the volume was read from, as the pack shall name it
  Existing existing = Existing::refuse;
  WorkProgress progress;
};

/// Every grey value is kept exactly. Returns the number of stored bytes. Errors: as PackOutput.
std::uint64_t write_volume_pack(const std::filesystem::path& file,
                                const Volume& volume,
                                const VolumePackOptions& options);

/// Checks every slice. Errors: BadInput naming the file: no pack of a volume, damaged, too large
/// for memory.
[[nodiscard]] Volume read_pack_volume(const std::filesystem::path& file);

}  // namespace scalestudy
