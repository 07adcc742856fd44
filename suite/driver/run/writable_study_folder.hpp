#pragma once
/// What the driver writes into a study folder. All files are replaced atomically, so that a killed
/// driver leaves the old or the new one. Errors: BadInput when a folder cannot be made or written
/// to, RunFailed when a file cannot be replaced (disk full, …).

#include <filesystem>
#include <optional>
#include <string>

#include "record/study_folder/study_folder.hpp"

namespace scalestudy {

/// Whether an earlier attempt's checkpoint is to be gone on from, or only kept with the attempt.
enum class CheckpointUse { resume, set_aside };

class WritableStudyFolder : public StudyFolder {
 public:
  using StudyFolder::StudyFolder;

  /// Errors: BadInput when its place is taken by something that is no folder.
  void require_place() const;
  void create() const;

  /// Errors: BadInput when what a run would write to lies behind a link out of the folder.
  void require_inside_all(const StudyMatrix& matrix) const;
  [[nodiscard]] std::filesystem::path driver_log() const { return path() / "driver.log"; }

  void write_study(const std::string& requested_json) const;
  void write_plan(const StudyPlan& plan) const;

  /// Makes the run's folder with spec.json.
  void prepare_run(const RunSpec& spec) const;
  void write_launch(const std::string& run_id, const LaunchRecord& record) const;

  /// Once the run needs none any more.
  void remove_checkpoint(const std::string& run_id) const;

  /// Moves all that is left of an earlier attempt to attempt-<k>/, a checkpoint to be resumed from
  /// excepted. Returns that folder; nothing when there are no files to move.
  [[nodiscard]] std::optional<std::filesystem::path> set_aside(const std::string& run_id,
                                                               CheckpointUse use) const;
};

[[noreturn]] void refuse_unwritable(const std::filesystem::path& path, const std::string& detail);

}  // namespace scalestudy
