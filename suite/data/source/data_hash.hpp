#pragma once
/// Which data a study has, told by what they hold: moved or renamed they are the same, changed
/// under the same path they are others.

#include <filesystem>
#include <string>

#include "data/work_progress.hpp"

namespace scalestudy {

/// Of the bytes of a file (a volume or a pack); of a folder the names and bytes of all files that a
/// set of pictures in it is made of, but not of what stands beside them. 16 hexadecimal digits; ""
/// where there is neither. Reads everything; tells `progress` how many MiB.
/// Errors: BadInput naming a file that cannot be read; what `progress` throws.
[[nodiscard]] std::string hash_of_data(const std::filesystem::path& path,
                                       const WorkProgress& progress);

}  // namespace scalestudy
