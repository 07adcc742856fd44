#pragma once
/// Data sets whose elements lie in the file as memory holds them, unfiltered, so that a program may
/// also read them at their place in the file without the library.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hdf5/hdf5.hpp"

namespace scalestudy::hdf5 {

/// Little-endian.
enum class Number { int8, uint8, int16, uint16, float32, int64, uint64 };

/// For files whose writing may fail: keeps the library from closing, when the program ends, what
/// was left open on purpose. It crashes on closing a file that could not be written. Call it first.
void leave_open_files_alone();

/// A data set of fixed size in one piece, row-major; makes the groups that its path needs. Errors:
/// Failure.
[[nodiscard]] Dataset write_array(const File& file,
                                  const std::string& path,
                                  Number number,
                                  const Shape& shape,
                                  std::span<const std::byte> bytes);

/// One-dimensional text, UTF-8, each padded with zero bytes to `text_bytes`.
[[nodiscard]] Dataset write_padded_texts(const File& file,
                                         const std::string& path,
                                         const std::vector<std::string>& texts,
                                         std::size_t text_bytes);

/// Where the elements of a data set in one piece begin, counted from the file's first byte; 0 when
/// it has none.
[[nodiscard]] std::uint64_t file_offset(const Dataset& dataset);

/// A data set stored in unfiltered chunks, which may grow along its first axis.
[[nodiscard]] Dataset create_chunked(const File& file,
                                     const std::string& path,
                                     Number number,
                                     const Shape& shape,
                                     const Shape& chunk);

/// Sets the length of the first axis.
void set_length(const Dataset& dataset, std::uint64_t length);

/// Writes one whole chunk past the library's cache. `offset`: its first element.
void write_chunk(const Dataset& dataset, const Shape& offset, std::span<const std::byte> bytes);

/// Where a chunk begins, counted from the file's first byte. Errors: Failure when it was not
/// written.
[[nodiscard]] std::uint64_t chunk_offset(const Dataset& dataset, const Shape& offset);

}  // namespace scalestudy::hdf5
