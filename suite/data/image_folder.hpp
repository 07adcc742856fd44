#pragma once
/// Sets of pictures that are plain folders; layouts, refusals: source/image_source.hpp.

#include <filesystem>
#include <memory>

#include "data/image_set.hpp"

namespace scalestudy {

[[nodiscard]] std::unique_ptr<ImageSet> open_image_mask_folder(const std::filesystem::path& root);
[[nodiscard]] std::unique_ptr<ImageSet> open_class_folder(const std::filesystem::path& root);

}  // namespace scalestudy
