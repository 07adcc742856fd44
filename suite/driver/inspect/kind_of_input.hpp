#pragma once
/// `inspect` and `report` take what runs recorded, `data` what they train on: who gives the one for
/// the other is told where it belongs.

#include <filesystem>
#include <optional>
#include <string>

#include "study/shipped_files.hpp"

namespace scalestudy {

/// Whether it has a plan or runs.
[[nodiscard]] bool is_study_folder(const std::filesystem::path& folder);

/// The published study that an argument is or names; none where it is neither a file nor shipped.
[[nodiscard]] std::optional<std::filesystem::path> published_named(const std::string& argument,
                                                                   const ShippedFiles& shipped);

/// Errors: BadInput when `path` looks like data: a TIFF, a picture, a pack, a folder of them.
void refuse_data(const std::filesystem::path& path);

/// Errors: BadInput when `path` is a run file, or the folder of a run or a study;
/// filesystem_error when nobody may look.
void refuse_runs(const std::filesystem::path& path);

/// Errors: BadInput when `folder` is a folder, but not of a study: it says what is missing.
void require_study_folder(const std::filesystem::path& folder);

}  // namespace scalestudy
