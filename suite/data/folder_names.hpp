#pragma once
/// What names in a folder of pictures tell. Private to the readers of folders. Pure.

#include <filesystem>
#include <string>

namespace scalestudy {

/// What operating systems leave in folders.
[[nodiscard]] bool is_clutter(const std::string& name);

/// A picture that is not read, and would be missed.
[[nodiscard]] bool is_of_other_format(const std::filesystem::path& name);

/// What sets of pictures with masks call their folders.
[[nodiscard]] bool is_of_pictures(const std::string& name);
[[nodiscard]] bool is_of_masks(const std::string& name);

/// What a set calls folders of the samples to train or to evaluate on.
[[nodiscard]] bool is_part_of_set(const std::string& name);

}  // namespace scalestudy
