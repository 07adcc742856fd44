#pragma once
/// Whole files in memory. What a name stands for is not trusted: nobody waits for a pipe, and no
/// file makes the process claim memory without end.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

/// Whether something has this name, whatever it is. Also true where that cannot be told: who goes
/// on to use it is told why.
[[nodiscard]] bool is_there(const std::filesystem::path& path) noexcept;

/// Says why nothing can be had under this name: "does not exist", "cannot be reached: Too many
/// levels of symbolic links", "cannot be read: Permission denied"; "" where it can.
[[nodiscard]] std::string absence_of(const std::filesystem::path& path);

/// What is in a folder, sorted; nothing where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder);

/// Every byte there is when it is read. Errors: std::system_error with the reason (missing, no
/// permission, a folder, device, pipe or socket, longer than 8 GiB).
[[nodiscard]] std::vector<std::byte> bytes_of_file(const std::filesystem::path& file);

/// The same bytes as characters, where they are.
[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes) noexcept;

/// As bytes_of_file, up to 64 MiB.
[[nodiscard]] std::string text_of_file(const std::filesystem::path& file);

/// Nothing when it cannot be read.
[[nodiscard]] std::optional<std::string> readable_text_of_file(const std::filesystem::path& file);

/// Its first bytes; fewer where it ends, "" when it cannot be read.
[[nodiscard]] std::string start_of_file(const std::filesystem::path& file, std::size_t limit_bytes);

/// Its first line, as far as 4096 bytes hold it; "" when it cannot be read.
[[nodiscard]] std::string first_line_of(const std::filesystem::path& file);

/// Its last bytes; "" when it cannot be read.
[[nodiscard]] std::string end_of_file(const std::filesystem::path& file, std::int64_t limit_bytes);

}  // namespace scalestudy
