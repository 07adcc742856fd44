#pragma once
/// Writes packs of pictures, sample by sample.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/image_set.hpp"
#include "data/pack/pack_output.hpp"
#include "data/work_progress.hpp"

namespace scalestudy {

/// Columns of /images or /masks, one row per sample.
struct PictureColumns {
  std::vector<std::int64_t> shape;  ///< height, width, channels of each
  std::vector<std::int64_t> bit_depth;
  std::vector<std::uint64_t> offset_bytes;
  std::vector<std::uint64_t> size_bytes;
  std::vector<std::uint64_t> stored_hash;
  std::vector<std::uint64_t> content_hash;
  std::vector<std::int64_t> foreground_count;  ///< masks only
};

class PackSetWriter {
 public:
  /// Errors: as PackOutput.
  PackSetWriter(const std::filesystem::path& file,
                PackDescription description,
                std::vector<std::string> class_names,
                Existing existing);

  /// Samples come in the order of their ids. `stored`: the file's bytes when the pack's encoding is
  /// files, else the image's own.
  void add(const SampleEntry& sample, const Image& image, std::span<const std::byte> stored);
  /// The mask of the sample added last: 8-bit grey, 0 or 255.
  void add_mask(const Image& mask);

  /// What whoever opens the pack should be told, a sentence each.
  void add_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

  /// Writes the tables, reads everything back and gives the file its name.
  void finish(const WorkProgress& progress);

  [[nodiscard]] std::uint64_t stored_bytes() const { return output_.stored_bytes(); }

 private:
  void add_picture(PictureColumns& columns, const Image& image, std::span<const std::byte> stored);
  void write_columns(const std::string& group, const PictureColumns& columns);

  PackOutput output_;
  PackDescription description_;
  std::vector<std::string> class_names_;
  std::vector<SampleEntry> samples_;
  PictureColumns images_;
  PictureColumns masks_;
  std::vector<std::string> notes_;
};

}  // namespace scalestudy
