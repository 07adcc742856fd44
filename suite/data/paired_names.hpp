#pragma once
/// Names that belong together: of images and masks, of classes, of one sample. Private to
/// image_folder.cpp.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

/// Errors: BadInput when they differ only in whether accents are parts of letters.
void require_one_spelling(const std::filesystem::path& one, const std::filesystem::path& other);

/// What to do where a picture has several.
inline constexpr std::string_view unite_masks =
    "Keep one mask of each picture; unite those of single objects in one, with a number for each";

using FilesByStem = std::map<std::string, std::string>;  ///< names without extension, and with it

/// The masks by their images' stems where all are called as their images and one suffix more, such
/// as _mask; else as given.
[[nodiscard]] FilesByStem without_suffix(const FilesByStem& images, FilesByStem masks);

/// Likewise where only what all images and all masks begin and end with differs, as img_01 and
/// mask_01; none where names are equal, or do not match so.
[[nodiscard]] std::optional<FilesByStem> with_other_ends(const FilesByStem& images,
                                                         const FilesByStem& masks);

/// Errors: BadInput naming the images or masks of folders images and masks in `root` that have no
/// partner, and why where two names only look alike, or files were passed over.
void require_partners(const std::filesystem::path& root,
                      const FilesByStem& images,
                      const FilesByStem& masks,
                      const std::vector<std::string>& passed_over);

/// Masks beside their pictures, by name: "x_mask", "x_mask_1" and "mask_x" where there is an x.
[[nodiscard]] std::vector<std::string> masks_beside_pictures(const std::set<std::string>& stems);

/// Files called as their sample and one of a few ends, or beginnings.
struct SampleFiles {
  std::set<std::string> ends;   ///< "_red", "_green"; "" where the sample's name alone is one
  std::int64_t samples = 0;     ///< that have all of them
  bool are_beginnings = false;  ///< "", "thumb_"
};

/// Where at least nine tenths of names without extension are such files of three samples or more.
[[nodiscard]] std::optional<SampleFiles> files_of_samples(const std::set<std::string>& stems);

}  // namespace scalestudy
