#pragma once
/// Sets of pictures that are plain folders; layouts, refusals: source/image_source.hpp.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/image_set.hpp"

namespace scalestudy {

/// By its extension, in any case: of a format that is read.
[[nodiscard]] bool is_picture_name(const std::filesystem::path& name);

[[nodiscard]] std::unique_ptr<ImageSet> open_image_mask_folder(const std::filesystem::path& root);
[[nodiscard]] std::unique_ptr<ImageSet> open_class_folder(const std::filesystem::path& root);

/// How to bring class folders in `root` itself to where a set has them; "" where it has none.
[[nodiscard]] std::string advice_on_classes(const std::filesystem::path& root);

/// Names from `root` of all files that a set of either layout has there, sorted; checks nothing.
[[nodiscard]] std::vector<std::string> files_of_sets(const std::filesystem::path& root);

}  // namespace scalestudy
