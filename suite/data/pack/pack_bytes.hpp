#pragma once
/// The bytes of a pack: its tables, and the stored bytes that pictures or slices are made of. Reads
/// by position, so any number of threads may use one object.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/descriptor.hpp"

#include "data/pack/pack_header.hpp"

namespace scalestudy {

class PackBytes {
 public:
  /// Reads header and places; no table yet. Errors: BadInput naming the file: no pack, cut,
  /// changed, places outside the file.
  explicit PackBytes(const std::filesystem::path& file);

  [[nodiscard]] const PackDescription& description() const { return header_.description; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// All that is stored, in the order of writing.
  [[nodiscard]] std::uint64_t stored_bytes() const { return header_.stored_bytes; }

  /// Errors: BadInput when tables or HDF5's own records are not those that were written.
  void require_layout() const;

  /// What was said when it was made, a sentence each; nothing in older packs.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// Whole tables; their hashes are checked.
  /// Errors: BadInput: no such table, other row size, damaged.
  [[nodiscard]] std::vector<std::string> texts(std::string_view path) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view path) const;
  [[nodiscard]] std::vector<std::uint64_t> hashes(std::string_view path) const;

  /// Stored bytes from `offset_bytes` on, as many as `out` takes.
  /// Errors: BadInput naming the file when the disk does not give them.
  void read(std::uint64_t offset_bytes, std::span<std::byte> out) const;

  /// The same, and whether their bulk_hash is `hash`; hashes each piece while it is in the cache.
  [[nodiscard]] bool read_checked(std::uint64_t offset_bytes,
                                  std::span<std::byte> out,
                                  std::uint64_t hash) const;

  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  void read_header();
  [[nodiscard]] std::vector<std::byte> table_bytes(const PackTable& table) const;
  [[nodiscard]] const PackTable* find_table(std::string_view path) const;
  [[nodiscard]] const PackTable& table(std::string_view path) const;
  void read_file(std::uint64_t offset_bytes, std::span<std::byte> out) const;
  void require_inside(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::uint64_t file_bytes_ = 0;
  PackHeader header_;
};

}  // namespace scalestudy
