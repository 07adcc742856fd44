#pragma once
/// The folder of one study: DIR/{study.json, plan.json, driver.lock, driver.log,
/// trial/ (thrown away), runs/<run_id>/{spec.json, launch.json, run.h5.part → run.h5, *.log,
/// heartbeat-*, weights_*.pt, checkpoint.pt, attempt-<k>/}}. What lies where in it, and what
/// plan.json and launch.json mean, for all who read it on whatever machine.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/run_spec.hpp"
#include "study/study_matrix.hpp"

#include "record/machine/host_facts.hpp"
#include "record/study_folder/study_floor.hpp"

namespace scalestudy {

/// plan.json: what the study resolved to.
struct StudyPlan {
  std::string study;
  std::string build_id;
  HostFacts host;
  StudyMatrix matrix;
  std::optional<StudyFloor> floor;  ///< as far as it was known when the plan was made
};

/// launch.json: how the driver started a run, and how it ended.
struct LaunchRecord {
  std::string build_id;
  std::string content_hash;  ///< of the spec, 16 hexadecimal digits
  std::string host;          ///< HostFacts::text()
  std::string host_fingerprint;
  std::int64_t driver_process_id = 0;
  std::string started_utc;
  std::vector<std::string> commands;
  std::string status;  ///< "" while it runs, or when the driver died
  std::string reason;
  double launch_wall_time_s = 0;
  bool resumed = false;  ///< it went on from an earlier attempt's checkpoint
};

/// As the files hold them; a reason may quote any bytes.
[[nodiscard]] std::string to_json_text(const StudyPlan& plan);
[[nodiscard]] std::string to_json_text(const LaunchRecord& record);

/// Folders come from anywhere: a link in one may lead to any file of whoever reads it. False when
/// `file` is, or lies behind, a link out of `folder`; the folder itself may be one.
[[nodiscard]] bool is_inside(const std::filesystem::path& folder,
                             const std::filesystem::path& file);

/// Errors: BadInput when it is not.
void require_inside(const std::filesystem::path& folder, const std::filesystem::path& file);

class StudyFolder {
 public:
  /// Nothing is touched or required yet.
  explicit StudyFolder(const std::filesystem::path& folder);

  /// Errors: BadInput when there is no plan.json in it.
  void require_study() const;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] std::filesystem::path study_file() const { return folder_ / "study.json"; }
  [[nodiscard]] std::filesystem::path plan_file() const { return folder_ / "plan.json"; }
  [[nodiscard]] std::filesystem::path trial_folder() const { return folder_ / "trial"; }
  [[nodiscard]] std::filesystem::path runs_folder() const { return folder_ / "runs"; }
  [[nodiscard]] std::filesystem::path run_folder(const std::string& run_id) const;
  [[nodiscard]] std::filesystem::path launch_file(const std::string& run_id) const;

  /// Errors: BadInput when it is missing or damaged, or a link out of the folder.
  [[nodiscard]] StudyPlan read_plan() const;

  /// Nothing when the run was never started, or the record is unreadable.
  [[nodiscard]] std::optional<LaunchRecord> read_launch(const std::string& run_id) const;

  /// Whether the run has a checkpoint to go on from.
  [[nodiscard]] bool has_checkpoint(const std::string& run_id) const;

  /// Ids of all runs that have a folder, or a link in its place, sorted. Errors: BadInput when
  /// runs/ cannot be read.
  [[nodiscard]] std::vector<std::string> run_ids() const;

  [[nodiscard]] std::optional<std::filesystem::path> result_file(const std::string& run_id) const;

  /// The result file of every run that has one, sorted by run id. Errors: as run_ids().
  [[nodiscard]] std::vector<std::filesystem::path> result_files() const;

 private:
  std::filesystem::path folder_;
};

/// In a run's folder: while the run is being recorded.
inline constexpr const char* open_result_file_name = "run.h5.part";

/// run.h5, else run.h5.part, else nothing. Behind a folder's link that leads nowhere: run.h5.
[[nodiscard]] std::optional<std::filesystem::path> run_file_in(
    const std::filesystem::path& run_folder);

}  // namespace scalestudy
