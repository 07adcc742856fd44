#pragma once
/// Whole files in memory, for the readers that decode from there.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace scalestudy {

/// Errors: BadInput naming the file: missing, a folder or device, empty, longer than `limit_bytes`,
/// unreadable.
[[nodiscard]] std::vector<std::byte> read_file_bytes(const std::filesystem::path& file,
                                                     std::int64_t limit_bytes);

}  // namespace scalestudy
