#include "data/pack/pack_set_writer.hpp"

#include <algorithm>

#include "core/error.hpp"

#include "data/bulk_hash.hpp"
#include "data/pack/pack_set.hpp"

namespace scalestudy {
namespace {

// Large enough for reads at full speed, small enough that a small pack wastes little in its last.
constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 18;

std::int64_t foreground_count(const Image& mask) {
  return std::count_if(mask.bytes.begin(), mask.bytes.end(),
                       [](std::byte value) { return value != std::byte{0}; });
}

}  // namespace

PackSetWriter::PackSetWriter(const std::filesystem::path& file,
                             PackDescription description,
                             std::vector<std::string> class_names,
                             Existing existing)
    : output_(file, {"/stored", "uint8", {}, chunk_bytes}, existing),
      description_(std::move(description)),
      class_names_(std::move(class_names)) {}

void PackSetWriter::add(const SampleEntry& sample,
                        const Image& image,
                        std::span<const std::byte> stored) {
  samples_.push_back(sample);
  add_picture(images_, image, stored);
}

void PackSetWriter::add_mask(const Image& mask) {
  SCALESTUDY_EXPECT(mask.channels == 1 && mask.type == SampleType::uint8);
  add_picture(masks_, mask, mask.bytes);
  masks_.foreground_count.push_back(foreground_count(mask));
}

void PackSetWriter::add_picture(PictureColumns& columns,
                                const Image& image,
                                std::span<const std::byte> stored) {
  columns.shape.insert(columns.shape.end(), {image.height_px, image.width_px, image.channels});
  columns.bit_depth.push_back(image.type == SampleType::uint8 ? 8 : 16);
  columns.size_bytes.push_back(stored.size());
  columns.stored_hash.push_back(bulk_hash(stored));
  columns.content_hash.push_back(content_hash(image));
  columns.offset_bytes.push_back(output_.store(stored));
}

void PackSetWriter::write_columns(const std::string& group, const PictureColumns& columns) {
  output_.add_integers(group + "/shape", columns.shape, 3);
  output_.add_integers(group + "/bit_depth", columns.bit_depth);
  output_.add_hashes(group + "/offset_bytes", columns.offset_bytes);
  output_.add_hashes(group + "/size_bytes", columns.size_bytes);
  output_.add_hashes(group + "/stored_hash", columns.stored_hash);
  output_.add_hashes(group + "/content_hash", columns.content_hash);
}

void PackSetWriter::finish(const WorkProgress& progress) {
  std::vector<std::string> ids;
  std::vector<std::string> splits;
  std::vector<std::int64_t> labels;
  for (const auto& sample : samples_) {
    ids.push_back(sample.id);
    splits.push_back(sample.split);
    labels.push_back(sample.label);
  }
  output_.add_texts("/samples/id", ids);
  output_.add_texts("/samples/split", splits);
  output_.add_integers("/samples/label", labels);
  output_.add_texts("/class_names", class_names_);
  write_columns("/images", images_);
  if (description_.kind == PackKind::image_mask) {
    write_columns("/masks", masks_);
    output_.add_integers("/masks/foreground_count", masks_.foreground_count);
  }
  output_.add_notes(notes_);
  output_.finish(description_, [&](const auto& part) {
    const PackSet written(part);
    const auto count = written.samples().size();
    for (std::size_t i = 0; i < count; ++i) {
      written.verify(i);
      progress("read back", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(count));
    }
  });
}

}  // namespace scalestudy
