#pragma once
/// The folder of one study: DIR/{study.json, plan.json, driver.lock, driver.log,
/// runs/<run_id>/{spec.json, launch.json, run.h5.part → run.h5, *.log, heartbeat-*,
/// weights_*.pt, checkpoint.pt, attempt-<k>/}}.
/// All files are replaced atomically, so that a killed driver leaves the old or the new one.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "study/run_spec.hpp"
#include "study/study_matrix.hpp"

#include "launchers/host.hpp"

namespace scalestudy {

/// plan.json: what the study resolved to.
struct StudyPlan {
  std::string study;
  std::string build_id;
  HostFacts host;
  StudyMatrix matrix;
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

/// Whether an earlier attempt's checkpoint is to be gone on from, or only kept with the attempt.
enum class CheckpointUse { resume, set_aside };

class StudyFolder {
 public:
  /// Nothing is touched or required yet.
  explicit StudyFolder(const std::filesystem::path& folder);

  /// Errors: BadInput when the folder cannot be made or written to.
  void create() const;

  /// Errors: BadInput when there is no plan.json in it.
  void require_study() const;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] std::filesystem::path driver_log() const { return folder_ / "driver.log"; }
  [[nodiscard]] std::filesystem::path run_folder(const std::string& run_id) const;

  void write_study(const std::string& requested_json) const;
  void write_plan(const StudyPlan& plan) const;
  /// Errors: BadInput when it is missing or damaged.
  [[nodiscard]] StudyPlan read_plan() const;

  /// Makes the run's folder with spec.json.
  void prepare_run(const RunSpec& spec) const;
  void write_launch(const std::string& run_id, const LaunchRecord& record) const;
  /// Nothing when the run was never started, or the record is unreadable.
  [[nodiscard]] std::optional<LaunchRecord> read_launch(const std::string& run_id) const;

  /// Whether the run has a checkpoint to go on from.
  [[nodiscard]] bool has_checkpoint(const std::string& run_id) const;
  /// Once the run needs none any more.
  void remove_checkpoint(const std::string& run_id) const;

  /// Moves all files of an earlier attempt to attempt-<k>/, a checkpoint to be resumed from
  /// excepted. Returns that folder; nothing when there are no files to move.
  [[nodiscard]] std::optional<std::filesystem::path> set_aside(const std::string& run_id,
                                                               CheckpointUse use) const;

  /// Ids of all runs that have a folder, sorted.
  [[nodiscard]] std::vector<std::string> run_ids() const;

  /// The result file of every run that has one (run.h5, else run.h5.part), sorted by run id.
  [[nodiscard]] std::vector<std::filesystem::path> result_files() const;

 private:
  std::filesystem::path folder_;
};

/// Held by the driver that works in a folder; released by the kernel when it dies.
class DriverLock {
 public:
  /// Errors: BadInput naming the process id of the driver that holds it.
  explicit DriverLock(const StudyFolder& folder);
  ~DriverLock();
  DriverLock(const DriverLock&) = delete;
  DriverLock& operator=(const DriverLock&) = delete;

  /// Process id of the driver at work in `folder`, if there is one.
  [[nodiscard]] static std::optional<pid_t> holder(const StudyFolder& folder);

 private:
  int descriptor_ = -1;
};

}  // namespace scalestudy
