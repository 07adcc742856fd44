#pragma once
/// Whole files in memory.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

/// Every byte there is when it is read. Errors: std::system_error with the system's reason, also
/// for a folder.
[[nodiscard]] std::vector<std::byte> bytes_of_file(const std::filesystem::path& file);

/// Nothing when it cannot be read.
[[nodiscard]] std::optional<std::string> text_of_file(const std::filesystem::path& file);

}  // namespace scalestudy
