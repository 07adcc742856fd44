#pragma once
/// Works through the runs of a plan: keeps what is there, starts the rest one after the other,
/// closes every result file, and goes on after a failure.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "driver/run/same_study.hpp"
#include "driver/run/study_state.hpp"
#include "driver/run/time_left.hpp"
#include "driver/run/trial.hpp"
#include "driver/run/watch.hpp"
#include "driver/run/writable_study_folder.hpp"
#include "driver/terminal/progress.hpp"
#include "driver/terminal/signals.hpp"

namespace scalestudy {

struct RunResult {
  std::string run_id;
  RunState state;
  bool kept = false;                    ///< from an earlier call of `run`
  ExitCode exit_code = ExitCode::done;  ///< of a failed run
  bool alone = false;                   ///< its own files or its checkpoint may be why it failed
  std::string disturbance;              ///< what kept the ranks from their cores, or ""
};

/// What the driver adds to a run's file; fills in what `outcome` says of disturbance, validity and
/// injections.
[[nodiscard]] Closing closing_of(const RunRecord& record,
                                 const RunSpec& spec,
                                 const std::vector<std::string>& data_warnings,
                                 RunOutcome& outcome);

class StudyRunner {
 public:
  struct Parts {
    const WritableStudyFolder& folder;
    const StudyPlan& plan;
    std::vector<RunState> earlier;           ///< by run: what an earlier call of `run` left
    std::vector<std::string> data_warnings;  ///< for the run files
    std::filesystem::path rank_program;
    Reporter& reporter;
    SignalQueue& signals;
    ResumePolicy policy;
  };
  explicit StudyRunner(const Parts& parts) : parts_(parts) {}

  /// One result per run, in order; fewer when the user interrupted, or when all would be refused.
  [[nodiscard]] std::vector<RunResult> run_all();

 private:
  void warm_up();
  RunResult keep_or_run(std::size_t index);
  RunResult run_or_fail(const RunSpec& spec);
  RunResult run(const RunSpec& spec);
  void set_aside_earlier_attempt(const RunSpec& spec);
  [[nodiscard]] CheckpointUse use_of_checkpoint(const RunSpec& spec) const;
  RunOutcome launch(const RunSpec& spec, LaunchRecord& record);
  void close_result_file(const RunSpec& spec, RunOutcome& outcome);
  void warn_of_excess(const RunSpec& spec, const RunRecord& record) const;
  void report_end(const RunSpec& spec, const RunResult& result);
  void show_progress(const RunSpec& spec, const WatchedProgress& progress);
  void learn_from_earlier_runs();
  /// Of the runs from index `first` on; NaN when unknown.
  [[nodiscard]] double time_left_s(std::size_t first) const;

  Parts parts_;
  TimeLeft time_left_;
  std::vector<std::string> configurations_;  ///< of the runs that are left, for time_left_
  std::size_t index_ = 0;                    ///< of the run at work
  bool resuming_ = false;                    ///< it goes on from a checkpoint
};

/// Whether data or machine were refused before any run got anywhere: the others fare no better.
/// `results`: of the first runs of `matrix`. One with the fewest ranks has to be among them: what
/// many are refused, few may get.
[[nodiscard]] bool is_refused_for_all(const std::vector<RunResult>& results,
                                      const StudyMatrix& matrix);

/// Exit code of the whole study: one kind of failure keeps its code, mixed ones are run_failed.
[[nodiscard]] ExitCode exit_code_of(const std::vector<RunResult>& results);

}  // namespace scalestudy
