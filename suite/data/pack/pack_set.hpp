#pragma once
/// Pictures out of a pack, as an ImageSet. Each stored picture is checked against its hash when it
/// is first read; later reads trust the file, so that epochs run at the speed of plain reads.

#include <atomic>
#include <memory>
#include <span>

#include "data/image_set.hpp"
#include "data/pack/pack_bytes.hpp"

namespace scalestudy {

/// What a pack's tables say about one picture or mask.
struct StoredPicture {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::int64_t channels = 0;
  SampleType type = SampleType::uint8;
  std::uint64_t offset_bytes = 0;  ///< among the stored bytes
  std::uint64_t size_bytes = 0;
  std::uint64_t stored_hash = 0;      ///< bulk_hash of the stored bytes
  std::uint64_t content_hash = 0;     ///< of the decoded picture
  std::int64_t foreground_count = 0;  ///< pixels of a mask that are not 0
};

class PackSet final : public ImageSet {
 public:
  /// Errors: BadInput naming the file: no pack of pictures, damaged.
  explicit PackSet(const std::filesystem::path& file);

  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return samples_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const override {
    return class_names_;
  }
  /// Errors: BadInput naming pack and sample when the stored bytes are not those that were written.
  [[nodiscard]] Image read_image(std::size_t sample) const override;
  [[nodiscard]] Image read_mask(std::size_t sample) const override;
  [[nodiscard]] bool has_binary_masks() const override { return true; }
  [[nodiscard]] std::vector<std::string> notes() const override { return bytes_.notes(); }

  [[nodiscard]] const PackDescription& description() const { return bytes_.description(); }
  [[nodiscard]] const std::vector<StoredPicture>& images() const { return images_.pictures; }
  /// As many as images, or none.
  [[nodiscard]] const std::vector<StoredPicture>& masks() const { return masks_.pictures; }

  /// The bytes of one image as they are stored. `out`: size_bytes of images()[sample].
  void read_stored_image(std::size_t sample, std::span<std::byte> out) const;

  /// Reads and decodes everything and compares it with its hashes, also what was read before.
  /// Errors: as read_image.
  void verify(std::size_t sample) const;

 private:
  struct Group {
    std::string name;  ///< "image" in messages
    std::vector<StoredPicture> pictures;
    std::unique_ptr<std::atomic<bool>[]> checked;  // NOLINT(modernize-avoid-c-arrays): atomics stay
  };

  [[nodiscard]] Group read_group(const std::string& name, PackEncoding encoding) const;
  void require_credible(const StoredPicture& picture, PackEncoding encoding) const;
  void read_samples();
  void require_credible_sample(std::size_t index) const;
  [[nodiscard]] Image read(const Group& group, std::size_t sample, PackEncoding encoding) const;
  void read_stored(const Group& group, std::size_t sample, std::span<std::byte> out) const;
  [[noreturn]] void refuse(const Group& group, std::size_t sample, const std::string& why) const;

  PackBytes bytes_;
  std::vector<SampleEntry> samples_;
  std::vector<std::string> class_names_;
  Group images_;
  Group masks_;
};

/// Errors: BadInput when the pack is of another kind, or damaged.
[[nodiscard]] std::unique_ptr<PackSet> open_pack_set(const std::filesystem::path& file,
                                                     PackKind kind);

}  // namespace scalestudy
