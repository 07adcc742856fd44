#pragma once
/// Writes a pack: stored bytes first, then tables, the header last. The file has its name only when
/// it is whole: until then it is FILE.part, which is removed when anything fails.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/pack_header.hpp"

namespace scalestudy {

/// How the stored bytes look in HDF5: the data set `path` (rows, row...), in chunks of whole rows.
struct StoredForm {
  std::string path;
  std::string type;                ///< "uint8", "int8", "uint16", "int16" or "float32"
  std::vector<std::uint64_t> row;  ///< sizes of the other axes
  std::uint64_t rows_per_chunk = 1;
};

enum class Existing { refuse, replace };

class PackOutput {
 public:
  /// Errors: BadInput when the file exists and is not to be replaced, or its folder does not.
  PackOutput(std::filesystem::path file, const StoredForm& form, Existing existing);
  ~PackOutput();
  PackOutput(const PackOutput&) = delete;
  PackOutput& operator=(const PackOutput&) = delete;

  /// Appends, and returns where the bytes begin among the stored ones.
  /// Errors: RunFailed with the system's reason, e.g. no space left. So all that follow.
  std::uint64_t store(std::span<const std::byte> bytes);

  void add_texts(const std::string& path, const std::vector<std::string>& texts);
  /// `columns` values make a row.
  void add_integers(const std::string& path,
                    const std::vector<std::int64_t>& values,
                    std::uint64_t columns = 1);
  void add_hashes(const std::string& path, const std::vector<std::uint64_t>& hashes);

  /// Closes the file, hands it to the disk, lets `read_back` look at it, and gives it its name.
  /// `read_back` throws when it does not find what was written.
  void finish(const PackDescription& description,
              const std::function<void(const std::filesystem::path&)>& read_back);

  [[nodiscard]] std::uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  struct Hdf5Part;

  void write_chunk();
  void add_runs();
  void add_table(const PackTable& table);
  void write_header(const PackDescription& description);
  template <class Work>
  void guarded(Work work);

  std::filesystem::path file_;
  std::filesystem::path part_;
  std::unique_ptr<Hdf5Part> hdf5_;
  std::vector<std::byte> chunk_;  ///< the rows that are not written yet
  std::uint64_t chunk_bytes_ = 0;
  std::uint64_t rows_per_chunk_ = 1;
  std::uint64_t stored_bytes_ = 0;
  std::vector<PackTable> tables_;
};

}  // namespace scalestudy
