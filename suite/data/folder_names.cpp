#include "data/folder_names.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

#include "data/image_folder.hpp"

namespace scalestudy {
namespace {

std::string lower_extension(const std::filesystem::path& name) {
  return in_lower_case(name.extension().string());
}

}  // namespace

bool is_clutter(const std::string& name) {
  constexpr std::array known{"Thumbs.db", "desktop.ini", "__MACOSX", "@eaDir", "Icon\r"};
  return name.starts_with('.') || std::ranges::find(known, name) != known.end();
}

bool is_picture_name(const std::filesystem::path& name) {
  constexpr std::array known{".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".tif", ".tiff"};
  return std::ranges::find(known, lower_extension(name)) != known.end();
}

bool is_of_other_format(const std::filesystem::path& name) {
  constexpr std::array known{".bmp", ".gif", ".webp", ".heic", ".avif", ".jp2", ".j2k", ".ppm",
                             ".pgm", ".pnm", ".tga",  ".psd",  ".npy",  ".npz", ".czi", ".nd2",
                             ".lif", ".svs", ".dcm",  ".fits", ".exr",  ".raw", ".dng", ".cr2"};
  const bool is_of_cellpose = name.string().ends_with("_seg.npy");  // what it found in a picture
  return !is_of_cellpose && std::ranges::find(known, lower_extension(name)) != known.end();
}

bool is_of_pictures(const std::string& name) {
  constexpr std::array known{"image", "images", "img", "imgs", "picture", "pictures"};
  return std::ranges::find(known, in_lower_case(name)) != known.end();
}

bool is_of_masks(const std::string& name) {
  constexpr std::array known{"mask",         "masks",       "label",        "labels",
                             "annotation",   "annotations", "annot",        "gt",
                             "ground_truth", "groundtruth", "segmentation", "segmentations",
                             "target",       "targets"};
  return std::ranges::find(known, in_lower_case(name)) != known.end();
}

bool is_part_of_set(const std::string& name) {
  constexpr std::array known{"train",      "training", "val",     "valid",
                             "validation", "test",     "testing", "eval"};
  return std::ranges::find(known, in_lower_case(name)) != known.end();
}

}  // namespace scalestudy
