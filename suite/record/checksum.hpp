#pragma once
/// The 512 bytes before the HDF5 part of a run file: a line of text that says what the file is, and
/// once it is closed the checksum of all that follows. It notices damage, not forgery: anybody can
/// compute it. Other HDF5 readers skip these bytes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace scalestudy::checksum {

inline constexpr std::uint64_t user_block_bytes = 512;

enum class Finding {
  open,     ///< no checksum yet: a .part
  intact,   ///< closed, and the bytes are those that were there then
  damaged,  ///< closed, but changed or cut since
  foreign,  ///< not a run file of ours
};

/// SHA-256 of the bytes behind the block, as a closed file states it.
[[nodiscard]] std::string of(std::span<const std::byte> bytes);

/// What the block of a closed file states: of an intact one the same, without another look at all
/// its bytes. Contract: it begins as run files do.
[[nodiscard]] std::string stated(std::span<const std::byte> bytes);

/// Whether the file begins as run files do; false when it cannot be read.
[[nodiscard]] bool is_run_file(const std::filesystem::path& file);

/// Gives a file back the bytes that it had. Errors: std::system_error.
void restore_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
[[nodiscard]] Finding examine(std::span<const std::byte> bytes);

/// A writer that was killed inside a flush leaves a header that states less than what its index
/// refers to already, and HDF5 then refuses the rest. Lets the header of an open file state all
/// bytes there are.
void state_all_bytes(std::span<std::byte> bytes);

/// The same in the file. When the disk was full, the header may also state a length that the file
/// never reached: makes up for it with a hole, which needs no space. Errors: std::system_error.
void agree_on_length(const std::filesystem::path& file);

/// Marks a new file as open, or writes the checksum and hands the file to the disk (fsync); no HDF5
/// handle may be open meanwhile. Errors: std::system_error.
void mark_open(const std::filesystem::path& file);
void close(const std::filesystem::path& file);

}  // namespace scalestudy::checksum
