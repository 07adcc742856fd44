#pragma once
/// A study folder with a plan of synthetic runs, whose files a test writes one by one.

#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "record/study_folder/heartbeat.hpp"

#include "driver/run/writable_study_folder.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {

class PlannedFolder {
 public:
  explicit PlannedFolder(std::vector<SyntheticRun> runs) : runs_(std::move(runs)) {
    StudyPlan plan;
    plan.study = "synthetic";
    plan.build_id = "b1";
    plan.host = {"Invented CPU", "m1", 4, "local", {}};
    for (const auto& run : runs_) plan.matrix.runs.push_back(spec_of(run));
    folder_.create();
    folder_.write_plan(plan);
  }

  [[nodiscard]] const WritableStudyFolder& folder() const { return folder_; }
  [[nodiscard]] std::string path() const { return folder_.path().string(); }
  [[nodiscard]] RunSpec spec(std::size_t i) const { return spec_of(runs_.at(i)); }
  [[nodiscard]] std::string id(std::size_t i) const { return spec(i).run_id(); }
  [[nodiscard]] std::filesystem::path run_folder(std::size_t i) const {
    return folder_.run_folder(id(i));
  }

  /// Its closed result file (or the open one, if the run says so).
  std::filesystem::path record(std::size_t i) const {
    return write_synthetic(folder_.path(), runs_.at(i));
  }

  /// launch.json; without a status as while the run is at work under `driver`.
  void launch(std::size_t i,
              const std::string& status,
              const std::string& reason = "",
              std::int64_t driver = ::getpid(),
              bool resumed = false) const {
    folder_.prepare_run(spec(i));
    LaunchRecord record;
    record.build_id = "b1";
    record.driver_process_id = driver;
    record.status = status;
    record.reason = reason;
    record.launch_wall_time_s = status.empty() ? 0 : 7.5;
    record.resumed = resumed;
    folder_.write_launch(id(i), record);
  }

  /// A heartbeat of one rank of run `i`.
  void beat(std::size_t i, std::int64_t rank, const char* phase, std::int64_t step) const {
    Heartbeat heartbeat(heartbeat_file(run_folder(i), rank));
    heartbeat.set_total_steps(160);
    heartbeat.beat(phase, step);
  }

 private:
  TemporaryFolder temporary_;
  WritableStudyFolder folder_{temporary_.path() / "out"};
  std::vector<SyntheticRun> runs_;
};

/// `count` repeats of a synthetic run on one rank each.
inline std::vector<SyntheticRun> repeats_of(SyntheticRun run, std::int64_t count) {
  std::vector<SyntheticRun> runs;
  for (run.repeat = 0; run.repeat < count; ++run.repeat) runs.push_back(run);
  return runs;
}

}  // namespace scalestudy
