#include "data/pack/pack_volume.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"
#include "data/pack/pack_bytes.hpp"

namespace scalestudy {
namespace {

template <class T>
std::vector<std::byte> stored_as(std::span<const float> voxels) {
  std::vector<std::byte> bytes(voxels.size() * sizeof(T));
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    const auto value = static_cast<T>(voxels[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <class T>
void convert_from(std::span<const std::byte> bytes, float* voxels) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T value{};
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    voxels[i] = static_cast<float>(value);
  }
}

/// One of the number types that a TIFF stack may have.
struct VoxelType {
  std::string_view name;
  std::uint64_t bytes;
  std::vector<std::byte> (*store)(std::span<const float>);
  void (*load)(std::span<const std::byte>, float*);
};
constexpr std::array<VoxelType, 5> voxel_types{
    {{"uint8", 1, stored_as<std::uint8_t>, convert_from<std::uint8_t>},
     {"int8", 1, stored_as<std::int8_t>, convert_from<std::int8_t>},
     {"uint16", 2, stored_as<std::uint16_t>, convert_from<std::uint16_t>},
     {"int16", 2, stored_as<std::int16_t>, convert_from<std::int16_t>},
     {"float32", 4, stored_as<float>, convert_from<float>}}};

const VoxelType* voxel_type(std::string_view name) {
  const auto* const found = std::find_if(voxel_types.begin(), voxel_types.end(),
                                         [&](const auto& type) { return type.name == name; });
  return found == voxel_types.end() ? nullptr : found;
}

std::size_t slice_voxels(const Shape3& shape) {
  return static_cast<std::size_t>(shape[1] * shape[2]);
}

/// What the tables say, checked against what is stored.
struct StoredVolume {
  Shape3 shape;
  const VoxelType* type;
  std::vector<std::uint64_t> slice_hashes;
};

Shape3 credible_shape(const PackBytes& pack, std::uint64_t value_bytes) {
  const auto shape = pack.integers("/shape");
  constexpr std::int64_t max_side = std::int64_t{1} << 24;
  const auto side_fits = [](std::int64_t side) { return side >= 1 && side <= max_side; };
  if (shape.size() != 3 || !std::all_of(shape.begin(), shape.end(), side_fits))
    pack.refuse("has a volume of impossible shape");
  // Slices of at most 2^48 voxels, so no product overflows before it is compared.
  const auto slice_bytes = static_cast<std::uint64_t>(shape[1] * shape[2]) * value_bytes;
  if (pack.stored_bytes() % slice_bytes != 0 ||
      pack.stored_bytes() / slice_bytes != static_cast<std::uint64_t>(shape[0]))
    pack.refuse("has a volume whose shape and stored bytes disagree");
  return {shape[0], shape[1], shape[2]};
}

StoredVolume stored_volume(const PackBytes& pack) {
  const auto type_name = pack.texts("/stored_type");
  const auto* const type = type_name.size() == 1 ? voxel_type(type_name.front()) : nullptr;
  if (type == nullptr) pack.refuse("has voxels of an unknown type");
  StoredVolume found{credible_shape(pack, type->bytes), type, pack.hashes("/slices/stored_hash")};
  if (std::ssize(found.slice_hashes) != found.shape[0])
    pack.refuse("has not one hash for each slice");
  pack.require_layout();
  return found;
}

/// Hands each slice that is as it was written to `use`(z, bytes). Errors: BadInput for any other.
template <class Use>
void read_slices(const PackBytes& pack, const StoredVolume& stored, Use use) {
  std::vector<std::byte> slice(slice_voxels(stored.shape) * stored.type->bytes);
  for (std::size_t z = 0; z < stored.slice_hashes.size(); ++z) {
    if (!pack.read_checked(z * slice.size(), slice, stored.slice_hashes[z]))
      pack.refuse(cat("has a damaged slice ", z, " (its bytes are not those that were written)"));
    use(z, std::span<const std::byte>(slice));
  }
}

void require_fits_memory(const PackBytes& pack, const Shape3& shape) {
  const auto physical = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  const double needed = static_cast<double>(voxel_count(shape)) * sizeof(float);
  if (needed > 0.5 * physical)
    throw BadInput({cat("Pack '", pack.file().string(), "' needs ", human_bytes(needed),
                        " as float32, more than half of this machine's memory"),
                    "it cannot be used as a volume", "Crop the volume"});
}

}  // namespace

std::uint64_t write_volume_pack(const std::filesystem::path& file,
                                const Volume& volume,
                                const VolumePackOptions& options) {
  const auto* const type = voxel_type(volume.stored_type);
  SCALESTUDY_EXPECT(type != nullptr);
  const auto depth = volume.shape[0];
  const auto height = volume.shape[1];
  const auto width = volume.shape[2];
  PackOutput output(file,
                    {"/volume",
                     volume.stored_type,
                     {static_cast<std::uint64_t>(height), static_cast<std::uint64_t>(width)},
                     1},
                    options.existing);
  std::vector<std::uint64_t> hashes;
  for (std::int64_t z = 0; z < depth; ++z) {
    const auto voxels = std::span(volume.voxels)
                            .subspan(static_cast<std::size_t>(z) * slice_voxels(volume.shape),
                                     slice_voxels(volume.shape));
    const auto bytes = type->store(voxels);
    hashes.push_back(bulk_hash(bytes));
    output.store(bytes);
    options.progress("packed", z + 1, depth);
  }
  output.add_texts("/stored_type", {volume.stored_type});
  output.add_integers("/shape", {depth, height, width});
  output.add_hashes("/slices/stored_hash", hashes);
  output.add_notes(notes_of(volume));
  PackDescription description;
  description.kind = PackKind::volume;
  description.source = options.source;
  output.finish(description, [&](const auto& part) {
    const PackBytes pack(part);
    read_slices(pack, stored_volume(pack), [&](std::size_t z, std::span<const std::byte>) {
      options.progress("read back", static_cast<std::int64_t>(z) + 1, depth);
    });
  });
  return output.stored_bytes();
}

Volume read_pack_volume(const std::filesystem::path& file) {
  const PackBytes pack(file);
  if (pack.description().kind != PackKind::volume)
    throw BadInput({cat("Pack '", file.string(), "' is of kind ", name_of(pack.description().kind)),
                    "it holds pictures, not a volume", "Give a pack made from a TIFF stack"});
  const auto stored = stored_volume(pack);
  require_fits_memory(pack, stored.shape);
  Volume volume{.shape = stored.shape,
                .voxels = {},
                .stored_type = std::string(stored.type->name),
                .choice = {.channel = 1, .time = 1},
                .notes = pack.notes()};
  volume.voxels.resize(static_cast<std::size_t>(voxel_count(stored.shape)));
  read_slices(pack, stored, [&](std::size_t z, std::span<const std::byte> slice) {
    stored.type->load(slice, volume.voxels.data() + z * slice_voxels(stored.shape));
  });
  require_grey_values(volume, file);
  return volume;
}

Volume read_volume(const std::filesystem::path& file, const StackChoice& choice) {
  if (!is_pack(file)) return read_tiff_volume(file, choice);
  if (choice != StackChoice())
    throw BadInput({cat("Pack '", file.string(), "' holds one stack"),
                    "there is no channel or time point to choose",
                    "Leave the choice out; data prepare makes a pack of another one"});
  return read_pack_volume(file);
}

}  // namespace scalestudy
