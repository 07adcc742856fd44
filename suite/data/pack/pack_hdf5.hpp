#pragma once
/// The HDF5 part of a pack, made in memory: the library crashes when it cannot write, so it never
/// sees the disk. The stored bytes are a hole in it that the caller fills.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/descriptor.hpp"

#include "data/pack/pack_bytes.hpp"
#include "data/pack/pack_header.hpp"

namespace scalestudy {

/// How the stored bytes look in HDF5: the data set `path` (rows, row...), in chunks of whole rows.
struct StoredForm {
  std::string path;
  std::string type;                ///< "uint8", "int8", "uint16", "int16" or "float32"
  std::vector<std::uint64_t> row;  ///< sizes of the other axes
  std::uint64_t rows_per_chunk = 1;

  [[nodiscard]] std::uint64_t row_bytes() const;
};

/// Errors of all functions: hdf5::Failure, std::system_error.
class PackHdf5 {
 public:
  /// With room for `rows` rows of stored bytes.
  PackHdf5(const StoredForm& form, std::uint64_t rows);
  ~PackHdf5();
  PackHdf5(const PackHdf5&) = delete;
  PackHdf5& operator=(const PackHdf5&) = delete;

  /// Where the stored bytes lie in the file: the same place however many they are.
  [[nodiscard]] std::uint64_t stored_offset_bytes() const { return stored_offset_bytes_; }

  [[nodiscard]] PackTable add_texts(const std::string& path, const std::vector<std::string>& texts);
  /// `columns` values make a row.
  [[nodiscard]] PackTable add_integers(const std::string& path,
                                       const std::vector<std::int64_t>& values,
                                       std::uint64_t columns);
  [[nodiscard]] PackTable add_hashes(const std::string& path,
                                     const std::vector<std::uint64_t>& hashes);
  void add_description(const PackDescription& description);

  /// Writes all of it but header and stored bytes to the file `descriptor`, which then has the
  /// length of a pack; returns that. Nothing can be added afterwards.
  std::uint64_t write_to(int descriptor);

 private:
  struct OpenFile;

  void reserve_stored(const OpenFile& created, const StoredForm& form, std::uint64_t rows);
  void copy(int descriptor, std::uint64_t begin_bytes, std::uint64_t end_bytes) const;

  Descriptor memory_;
  std::unique_ptr<OpenFile> open_;
  std::uint64_t stored_offset_bytes_ = 0;
  std::uint64_t stored_end_bytes_ = 0;  ///< of the last chunk
};

/// Writes all of `bytes`. Errors: std::system_error.
void write_file_at(int descriptor, std::uint64_t offset_bytes, std::span<const std::byte> bytes);

/// Fills all of `out`. Errors: std::system_error, also where the file ends before.
void read_file_at(int descriptor, std::uint64_t offset_bytes, std::span<std::byte> out);

}  // namespace scalestudy
