#include "data/image_set.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/image_folder.hpp"

namespace scalestudy {
namespace {

void require_folder(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw BadInput({cat("'", path.string(), "' does not exist"), "there is nothing to train on",
                    "Set data.path to a folder of pictures, e.g. --set data.path=/path/to/folder"});
  if (status.type() != std::filesystem::file_type::directory)
    throw BadInput({cat("'", path.string(), "' is not a folder"), "it holds no set of pictures",
                    "Set data.path to the folder that the pictures are in"});
}

}  // namespace

ImageSet::~ImageSet() = default;

std::unique_ptr<ImageSet> open_image_mask_set(const std::filesystem::path& path) {
  require_folder(path);
  return open_image_mask_folder(path);
}

std::unique_ptr<ImageSet> open_class_set(const std::filesystem::path& path) {
  require_folder(path);
  return open_class_folder(path);
}

}  // namespace scalestudy
