#include "data/pack/pack_set.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

PackSet::PackSet(const std::filesystem::path& file) : bytes_(file) {
  if (description().kind == PackKind::volume)
    throw BadInput({cat("Pack '", file.string(), "' holds a volume"), "it has no pictures",
                    "Give a pack made from a folder of pictures"});
  images_ = read_group("image", description().encoding);
  if (description().kind == PackKind::image_mask) masks_ = read_group("mask", PackEncoding::pixels);
  read_samples();
  bytes_.require_layout();
}

PackSet::Group PackSet::read_group(const std::string& name, PackEncoding encoding) const {
  const auto path = cat("/", name, "s/");
  const auto shapes = bytes_.integers(path + "shape");
  const auto bit_depths = bytes_.integers(path + "bit_depth");
  const auto offsets = bytes_.hashes(path + "offset_bytes");
  const auto sizes = bytes_.hashes(path + "size_bytes");
  const auto stored_hashes = bytes_.hashes(path + "stored_hash");
  const auto content_hashes = bytes_.hashes(path + "content_hash");
  const auto foreground =
      name == "mask" ? bytes_.integers(path + "foreground_count") : std::vector<std::int64_t>{};
  const auto count = offsets.size();
  const std::array lengths{shapes.size() / 3, bit_depths.size(), sizes.size(), stored_hashes.size(),
                           content_hashes.size()};
  if (std::any_of(lengths.begin(), lengths.end(), [&](auto length) { return length != count; }) ||
      (name == "mask" && foreground.size() != count))
    bytes_.refuse(cat("has tables of different length in ", path));

  Group group{
      name, {}, std::make_unique<std::atomic<bool>[]>(count)};  // NOLINT(modernize-avoid-c-arrays)
  for (std::size_t i = 0; i < count; ++i) {
    if (bit_depths[i] != 8 && bit_depths[i] != 16) bytes_.refuse("has pictures of odd bit depth");
    group.pictures.push_back({shapes[3 * i], shapes[3 * i + 1], shapes[3 * i + 2],
                              bit_depths[i] == 8 ? SampleType::uint8 : SampleType::uint16,
                              offsets[i], sizes[i], stored_hashes[i], content_hashes[i],
                              foreground.empty() ? 0 : foreground[i]});
    require_credible(group.pictures.back(), encoding);
  }
  return group;
}

void PackSet::require_credible(const StoredPicture& picture, PackEncoding encoding) const {
  const auto side_fits = [](std::int64_t side) { return side >= 1 && side <= max_side_px; };
  if (!side_fits(picture.height_px) || !side_fits(picture.width_px) ||
      (picture.channels != 1 && picture.channels != 3))
    bytes_.refuse("has pictures of impossible shape");
  const auto pixel_count = picture.height_px * picture.width_px;
  const auto decoded_bytes =
      static_cast<std::uint64_t>(pixel_count * picture.channels) * bytes_per_value(picture.type);
  if (decoded_bytes > static_cast<std::uint64_t>(max_image_bytes) ||
      picture.size_bytes > static_cast<std::uint64_t>(max_image_bytes) ||
      picture.offset_bytes > bytes_.stored_bytes() ||
      picture.size_bytes > bytes_.stored_bytes() - picture.offset_bytes ||
      (encoding == PackEncoding::pixels && picture.size_bytes != decoded_bytes) ||
      picture.foreground_count < 0 || picture.foreground_count > pixel_count)
    bytes_.refuse("has pictures whose size and stored bytes disagree");
}

void PackSet::read_samples() {
  const auto ids = bytes_.texts("/samples/id");
  const auto splits = bytes_.texts("/samples/split");
  const auto labels = bytes_.integers("/samples/label");
  class_names_ = bytes_.texts("/class_names");
  const auto count = images_.pictures.size();
  if (ids.size() != count || splits.size() != count || labels.size() != count ||
      (description().kind == PackKind::image_mask && masks_.pictures.size() != count))
    bytes_.refuse("has tables of different length");
  if (count == 0) bytes_.refuse("has no samples");
  for (std::size_t i = 0; i < count; ++i) {
    samples_.push_back({ids[i], splits[i], labels[i]});
    require_credible_sample(i);
  }
}

void PackSet::require_credible_sample(std::size_t index) const {
  const auto& sample = samples_[index];
  if (sample.id.empty() || (index > 0 && !(samples_[index - 1].id < sample.id)))
    bytes_.refuse("has samples that are not in the order of their ids");
  const bool with_classes = description().kind == PackKind::classes;
  const bool split_fits =
      with_classes ? sample.split == "train" || sample.split == "valid" || sample.split == "test"
                   : sample.split.empty();
  const bool label_fits = with_classes
                              ? sample.label >= 0 && sample.label < std::ssize(class_names_)
                              : sample.label == -1;
  if (!split_fits || !label_fits) bytes_.refuse(cat("gives '", sample.id, "' no valid class"));
}

void PackSet::refuse(const Group& group, std::size_t sample, const std::string& why) const {
  bytes_.refuse(
      cat("has a damaged ", group.name, " of sample '", samples_[sample].id, "' (", why, ")"));
}

void PackSet::read_stored(const Group& group, std::size_t sample, std::span<std::byte> out) const {
  const auto& picture = group.pictures.at(sample);
  SCALESTUDY_EXPECT(out.size() == picture.size_bytes);
  if (group.checked[sample].load(std::memory_order_relaxed))
    return bytes_.read(picture.offset_bytes, out);
  if (!bytes_.read_checked(picture.offset_bytes, out, picture.stored_hash))
    refuse(group, sample, "its bytes are not those that were written");
  group.checked[sample].store(true, std::memory_order_relaxed);
}

Image PackSet::read(const Group& group, std::size_t sample, PackEncoding encoding) const {
  const auto& picture = group.pictures.at(sample);
  Image image{picture.height_px, picture.width_px, picture.channels, picture.type, {}};
  image.bytes.resize(picture.size_bytes);
  read_stored(group, sample, image.bytes);
  if (encoding == PackEncoding::pixels) return image;
  auto decoded = decode_image(image.bytes, samples_[sample].id,
                              masks_.pictures.empty() ? PictureUse::picture : PictureUse::masked);
  if (decoded.height_px != picture.height_px || decoded.width_px != picture.width_px ||
      decoded.channels != picture.channels || decoded.type != picture.type)
    refuse(group, sample, "its file has another size than its table");
  return decoded;
}

Image PackSet::read_image(std::size_t sample) const {
  return read(images_, sample, description().encoding);
}

Image PackSet::read_mask(std::size_t sample) const {
  SCALESTUDY_EXPECT(description().kind == PackKind::image_mask);
  return read(masks_, sample, PackEncoding::pixels);
}

void PackSet::read_stored_image(std::size_t sample, std::span<std::byte> out) const {
  read_stored(images_, sample, out);
}

void PackSet::verify(std::size_t sample) const {
  const auto verify_in = [&](const Group& group, PackEncoding encoding) {
    group.checked[sample] = false;
    const auto image = read(group, sample, encoding);
    if (content_hash(image) != group.pictures[sample].content_hash)
      refuse(group, sample, "it decodes to another picture than when it was packed");
  };
  verify_in(images_, description().encoding);
  if (!masks_.pictures.empty()) verify_in(masks_, PackEncoding::pixels);
}

std::unique_ptr<PackSet> open_pack_set(const std::filesystem::path& file, PackKind kind) {
  auto set = std::make_unique<PackSet>(file);
  if (set->description().kind != kind)
    throw BadInput({cat("Pack '", file.string(), "' is of kind ", name_of(set->description().kind)),
                    cat("kind ", name_of(kind), " is needed here"),
                    "Give another pack, or another workload"});
  return set;
}

}  // namespace scalestudy
