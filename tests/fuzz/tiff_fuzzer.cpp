#include <cstddef>
#include <cstdint>
#include <span>

#include "data/image.hpp"
#include "data/volume.hpp"

#include "tests/fuzz/accepted.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const scalestudy::fuzz::MemoryFile file("fuzz.tif");
  file.set(data, size);
  try {
    const auto volume = scalestudy::read_tiff_volume(file.path(), {.channel = 1, .time = 1});
    scalestudy::fuzz::require(std::ssize(volume.voxels) == scalestudy::voxel_count(volume.shape));
  } catch (const scalestudy::BadInput&) {
  }
  try {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto image = scalestudy::decode_tiff(bytes, "fuzz.tif", scalestudy::PictureUse::mask);
    scalestudy::fuzz::require(image.value_count() > 0);
  } catch (const scalestudy::BadInput&) {
  }
  return 0;
}
