#pragma once
/// Where the A/A floors of studies are kept: beside a study file, or in
/// $XDG_CACHE_HOME/scalestudy/floors/, else ~/.cache/scalestudy/floors/, one file for each study's
/// content and machine.

#include <filesystem>
#include <optional>
#include <string>

#include "record/study_folder/study_floor.hpp"
#include "record/study_folder/study_folder.hpp"

#include "analysis/series/floor.hpp"

namespace scalestudy {

struct StoredFloor {
  std::optional<StudyFloor> floor;
  std::string warning;  ///< why one that is there is not used; else ""
};

/// "nuclei.json" -> "nuclei.floor".
[[nodiscard]] std::filesystem::path floor_beside(const std::filesystem::path& study_file);

/// The floor of the first curve of the plan's study on its host: that beside the study file, or
/// else the one that this machine keeps.
[[nodiscard]] StoredFloor stored_floor(const StudyPlan& plan,
                                       const std::filesystem::path& study_file);

/// Tries, before minutes are spent on a floor, whether store_floor() could write. Errors: as there.
void require_floor_store(const std::filesystem::path& beside = {});

/// Atomically, in place of an earlier one; returns the file: `beside`, or one that this machine
/// keeps. Errors: BadInput, RunFailed when it cannot be written, Unavailable when there is no place
/// for it.
std::filesystem::path store_floor(const StudyFloor& floor,
                                  const std::filesystem::path& beside = {});

/// The repeats and the comparison that a plan declares, with its floor.
[[nodiscard]] Resolution resolution_of(const StudyPlan& plan);

}  // namespace scalestudy
