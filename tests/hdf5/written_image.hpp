#pragma once
/// A file made in memory, on disk.

#include <fstream>

#include "hdf5/hdf5.hpp"

namespace scalestudy::hdf5 {

inline void write_image(const File& file,
                        std::uint64_t user_block_bytes,
                        const std::filesystem::path& path) {
  const auto bytes = bytes_of_image(file, user_block_bytes);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace scalestudy::hdf5
