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

#include "core/descriptor.hpp"

#include "data/pack/pack_hdf5.hpp"
#include "data/pack/pack_header.hpp"

namespace scalestudy {

enum class Existing { refuse, replace };

class PackOutput {
 public:
  /// Errors: BadInput when the file exists and is not to be replaced, or its folder does not.
  PackOutput(std::filesystem::path file, const StoredForm& form, Existing existing);
  ~PackOutput();
  PackOutput(const PackOutput&) = delete;
  PackOutput& operator=(const PackOutput&) = delete;

  /// Appends, and returns where the bytes begin among the stored ones.
  /// All bytes come before the first table.
  /// Errors: RunFailed with the system's reason, e.g. no space left. So all that follow.
  std::uint64_t store(std::span<const std::byte> bytes);

  void add_texts(const std::string& path, const std::vector<std::string>& texts);
  /// `columns` values make a row.
  void add_integers(const std::string& path,
                    const std::vector<std::int64_t>& values,
                    std::uint64_t columns = 1);
  void add_hashes(const std::string& path, const std::vector<std::uint64_t>& hashes);
  void add_notes(const std::vector<std::string>& notes);

  /// Completes the file, hands it to the disk, lets `read_back` look at it, and gives it its name.
  /// `read_back` throws when it does not find what was written.
  void finish(const PackDescription& description,
              const std::function<void(const std::filesystem::path&)>& read_back);

  [[nodiscard]] std::uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  void add_table(std::uint64_t bytes, const std::function<PackTable(PackHdf5&)>& add);
  template <class Work>
  void guarded(Work work);

  std::filesystem::path file_;
  std::filesystem::path part_;
  StoredForm form_;
  Descriptor descriptor_;
  std::uint64_t stored_offset_bytes_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t needed_bytes_ = 0;  ///< at most, of the whole file
  std::unique_ptr<PackHdf5> hdf5_;  ///< once all bytes are stored
  std::vector<PackTable> tables_;
};

}  // namespace scalestudy
