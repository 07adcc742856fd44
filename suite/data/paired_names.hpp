#pragma once
/// Images and masks that belong together by their names. Private to image_folder.cpp.

#include <filesystem>
#include <map>
#include <string>

namespace scalestudy {

using FilesByStem = std::map<std::string, std::string>;  ///< names without extension, and with it

/// Errors: BadInput naming the images or masks of folders images and masks in `root` that have no
/// partner, and why where two names only look alike.
void require_partners(const std::filesystem::path& root,
                      const FilesByStem& images,
                      const FilesByStem& masks);

}  // namespace scalestudy
