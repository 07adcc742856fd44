#pragma once
/// A file made in memory, on disk, and how a call fails.

#include <fstream>
#include <string>

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

/// What the call's Failure says, object, then reason; "": there is none.
template <class Call>
std::string failure_of(const Call& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.object() + ": " + failure.what();
  }
  return "";
}

}  // namespace scalestudy::hdf5
