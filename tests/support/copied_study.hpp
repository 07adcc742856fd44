#pragma once
/// Study folders that are written once by a program and copied for each case.

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

inline const TemporaryFolder& originals_of_studies() {
  static const TemporaryFolder folder;
  return folder;
}

/// Adds to `folder` what `write(path)` writes, which the first call of this `name` does.
template <class Write>
void copy_study(const std::string& name, const std::filesystem::path& folder, const Write& write) {
  const auto original = originals_of_studies() / name;
  if (!std::filesystem::exists(original)) write(original);
  std::filesystem::create_directories(folder);
  std::filesystem::copy(
      original, folder,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
}

}  // namespace scalestudy
