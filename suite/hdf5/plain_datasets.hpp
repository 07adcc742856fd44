#pragma once
/// Data sets whose elements lie in the file as memory holds them, unfiltered, so that a program may
/// also read them at their place in the file without the library.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hdf5/hdf5.hpp"

namespace scalestudy::hdf5 {

/// Little-endian.
enum class Number { int8, uint8, int16, uint16, float32, int64, uint64 };

/// A new file, or a file without a name by its link in /proc. Objects begin at multiples of 4096
/// bytes: the kernel copies fastest what begins as pages do.
[[nodiscard]] File create_plain_file(const std::filesystem::path& file,
                                     std::uint64_t user_block_bytes);

/// What is added lies closely packed, wherever there is room.
[[nodiscard]] File open_plain_file_to_add(const std::filesystem::path& file);

/// A data set of fixed size in one piece, row-major; makes the groups that its path needs. Errors:
/// Failure.
[[nodiscard]] Dataset write_array(const File& file,
                                  const std::string& path,
                                  Number number,
                                  const Shape& shape,
                                  std::span<const std::byte> bytes);

/// `count` texts, UTF-8, each padded with zero bytes to `text_bytes`, one after the other.
[[nodiscard]] Dataset write_padded_texts(const File& file,
                                         const std::string& path,
                                         std::uint64_t count,
                                         std::size_t text_bytes,
                                         std::span<const std::byte> bytes);

/// Where the elements of a data set in one piece begin, counted from the file's first byte; 0 when
/// it has none.
[[nodiscard]] std::uint64_t file_offset(const Dataset& dataset);

/// A data set of fixed size in unfiltered chunks that lie in the file one after the other, in
/// row-major order. They have their place, but nothing is written there. Chunks are not larger than
/// `shape`.
[[nodiscard]] Dataset reserve_chunks(const File& file,
                                     const std::string& path,
                                     Number number,
                                     const Shape& shape,
                                     const Shape& chunk);

/// Where the first of them begins, counted from the file's first byte.
[[nodiscard]] std::uint64_t chunks_offset(const Dataset& dataset);

}  // namespace scalestudy::hdf5
