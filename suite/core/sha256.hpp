#pragma once
/// SHA-256: checksums that data sets are published with, and that of every run file.

#include <filesystem>
#include <string>
#include <string_view>

namespace scalestudy {

/// 64 lower-case hexadecimal digits (FIPS 180-4).
[[nodiscard]] std::string sha256(std::string_view bytes);

/// Errors: BadInput when the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace scalestudy
