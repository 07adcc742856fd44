#pragma once
/// Run files as anybody can make them who changed one: with the checksum of what they hold.

#include <filesystem>
#include <fstream>

#include "core/file_content.hpp"

#include "record/run_file/checksum.hpp"

namespace scalestudy {

inline void reseal(const std::filesystem::path& file) {
  auto bytes = bytes_of_file(file);
  checksum::seal(bytes);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace scalestudy
