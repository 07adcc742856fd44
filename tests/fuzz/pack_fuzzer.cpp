#include <cstddef>
#include <cstdint>
#include <string>

#include "data/pack/pack_set.hpp"
#include "data/pack/pack_volume.hpp"

#include "tests/fuzz/accepted.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/support/resealed_pack.hpp"

namespace {

using namespace scalestudy;

// Samples differ in what their tables say, so each is read by itself: a refused one hides no other.
void read_pictures(const std::string& path) {
  const PackSet set(path);
  fuzz::require(set.images().size() == set.samples().size());
  for (std::size_t i = 0; i < set.samples().size(); ++i) {
    fuzz::expect_whole_picture_or_refusal([&] { return set.read_image(i); });
    if (!set.masks().empty())
      fuzz::expect_whole_picture_or_refusal([&] { return set.read_mask(i); });
  }
}

void read_voxels(const std::string& path) {
  const auto volume = read_volume(path);
  fuzz::require(std::ssize(volume.voxels) == voxel_count(volume.shape));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("fuzz.h5");
  const auto pack = test::resealed(std::string(reinterpret_cast<const char*>(data), size));
  file.set(reinterpret_cast<const std::uint8_t*>(pack.data()), pack.size());
  for (auto* const read : {read_pictures, read_voxels}) {
    try {
      read(file.path());
    } catch (const BadInput&) {
    }
  }
  return 0;
}
