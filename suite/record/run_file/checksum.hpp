#pragma once
/// The 512 bytes before the HDF5 part of run.h5: a line of text that says what the file is and
/// states the checksum of all that follows. It notices damage, not forgery: anybody can compute it.
/// Other HDF5 readers skip these bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace scalestudy::checksum {

inline constexpr std::uint64_t user_block_bytes = 512;

enum class Finding {
  open,     ///< no checksum: a .part of an earlier version
  intact,   ///< closed, and the bytes are those that were there then
  damaged,  ///< closed, but changed or cut since
  foreign,  ///< does not begin as a closed run file
};

[[nodiscard]] Finding examine(std::span<const std::byte> bytes);

/// Returns what the line of a closed file states, in hexadecimal: of an intact one the SHA-256 of
/// the bytes behind the block, without another look at them. Contract: it begins as run files do.
[[nodiscard]] std::string stated(std::span<const std::byte> bytes);

/// Writes the line with the checksum into the first 512 bytes. Contract: they are there.
void seal(std::span<std::byte> bytes);

/// Whether these are the first bytes of a file of this kind.
[[nodiscard]] bool begins_as_run_file(std::string_view bytes);

}  // namespace scalestudy::checksum
