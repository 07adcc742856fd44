#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "data/volume.hpp"

#include "tests/fuzz/accepted.hpp"

namespace {

/// A file in memory, because the reader takes a path; kept open, so that each input costs a write.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz.tif", MFD_CLOEXEC)) {}
  void set(const std::uint8_t* data, std::size_t size) const {
    const auto wanted = static_cast<ssize_t>(size);
    scalestudy::fuzz::require(::ftruncate(descriptor_, 0) == 0 &&
                              ::pwrite(descriptor_, data, size, 0) == wanted);
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.set(data, size);
  try {
    const auto volume = scalestudy::read_tiff_volume(file.path());
    scalestudy::fuzz::require(std::ssize(volume.voxels) == scalestudy::voxel_count(volume.shape));
  } catch (const scalestudy::BadInput&) {
  }
  return 0;
}
