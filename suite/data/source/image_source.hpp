#pragma once
/// What data.path may name when pictures are asked for: a folder, or a pack of one.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "data/fit.hpp"
#include "data/image_set.hpp"

namespace scalestudy {

/// A pack of kind image_mask, or a folder with images/ and masks/, whose files are paired by their
/// names without extension. Lists and checks names only, decodes nothing. What operating systems
/// leave is skipped, what stands beside the two folders is ignored: notes() says so of sets.
/// Errors: BadInput naming what is wrong: no such folder, no pictures, an image without mask, a
/// mask without image, two files of one name, a picture of a format that is not read, a folder
/// inside. Other files are passed over.
[[nodiscard]] std::unique_ptr<ImageSet> open_image_mask_set(const std::filesystem::path& path);

/// A pack of kind classes, or class folders: train/CLASS/*.{jpg,jpeg,jfif,png,tif,tiff}, and valid/
/// and test/ where there are any. Lists and checks names only, decodes nothing. Hidden files are
/// skipped as above; files beside the splits are ignored. A class of train may be missing in valid
/// and test. Errors: BadInput naming what is wrong: no train folder, another folder beside the
/// splits (a misspelt one would be left out silently), a class without pictures, a class that train
/// lacks, a picture outside any class, one of a format that is not read, a folder inside a class.
[[nodiscard]] std::unique_ptr<ImageSet> open_class_set(const std::filesystem::path& path);

/// How the pictures of a pack came to their size; nothing of folders, and of packs as stored.
[[nodiscard]] std::optional<Fit> fit_of(const std::filesystem::path& path);

/// Errors: BadInput when `path` is a pack whose pictures came to their size in another way than
/// settings.fit, `wanted`, says: they would be trained on as nobody asked for.
void require_fit(const std::filesystem::path& path, Fit wanted);

/// Likewise settings.resize_filter: pictures of packs are antialiased.
void require_resize_filter(const std::filesystem::path& path, ResizeFilter wanted);

/// Likewise settings.mask_threshold_frac, where it is asked for: masks of packs are cut.
void require_mask_threshold(const std::filesystem::path& path, std::optional<double> asked_frac);

/// That a pack's pictures were brought to another size than they are trained at, which blurs them
/// twice; "" otherwise.
[[nodiscard]] std::string refit_warning(const std::filesystem::path& path,
                                        const PictureSize& wanted);

}  // namespace scalestudy
