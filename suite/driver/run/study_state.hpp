#pragma once
/// Where each run of a study stands, read from its folder alone: works from any shell, while the
/// study runs and after.

#include <array>
#include <string>
#include <vector>

#include "core/choice.hpp"

#include "study/run_spec.hpp"

#include "record/run_file/run_record.hpp"
#include "record/study_folder/study_folder.hpp"

namespace scalestudy {

enum class RunStage {
  waiting,
  running,
  complete,
  diverged,
  failed,
  timed_out,
  interrupted,
  damaged,    ///< its result file is no whole one
  unreadable  ///< nobody may open it: what it holds is not known
};
template <>
inline constexpr auto choices<RunStage> = std::array{
    Choice{RunStage::waiting, "waiting"},         Choice{RunStage::running, "running"},
    Choice{RunStage::complete, "complete"},       Choice{RunStage::diverged, "diverged"},
    Choice{RunStage::failed, "failed"},           Choice{RunStage::timed_out, "timed_out"},
    Choice{RunStage::interrupted, "interrupted"}, Choice{RunStage::damaged, "damaged"},
    Choice{RunStage::unreadable, "unreadable"}};

/// Of a closed result file.
[[nodiscard]] RunStage stage_of(RunStatus status);

struct RunState {
  RunStage stage = RunStage::waiting;
  std::string reason;             ///< why it is not complete
  double launch_wall_time_s = 0;  ///< so far, when running; of the last attempt, when resumed
  bool resumed = false;           ///< from a checkpoint: its times are no evidence
  bool busy = false;              ///< other programs took its cores: likewise
  std::vector<std::string> validity_codes;  ///< of one that has ended; none: valid
  std::int64_t step = -1;                   ///< of the slowest rank, when running
  std::int64_t total_steps = 0;
  std::string phase;
};

/// A run that needs no second attempt.
[[nodiscard]] bool is_settled(RunStage stage);

/// Complete, but no data: the analysis leaves it out.
[[nodiscard]] bool is_invalid(const RunState& run);

/// What a quiet machine might make valid, or its times evidence.
[[nodiscard]] bool is_disturbed(const RunState& run);

/// So that they run again, for which their files are set aside.
void forget_disturbed(std::vector<RunState>& runs);

/// How many are complete and how many of them count: "3 of 4 runs complete, 1 of them invalid
/// (emulation_exceeded)".
[[nodiscard]] std::string count_text(const std::vector<RunState>& runs, std::size_t planned);

/// How to make the invalid ones again; "" where there are none.
[[nodiscard]] std::string advice_on_invalid(const std::vector<RunState>& runs);

/// Of each run of the plan, in its order. Reads every result file.
[[nodiscard]] std::vector<RunState> states_of_runs(const StudyFolder& folder,
                                                   const StudyPlan& plan);

struct StudyState {
  StudyPlan plan;                      ///< empty while a trial chooses what the runs will be
  std::vector<RunState> runs;          ///< in the order of plan.matrix.runs
  std::vector<std::string> unplanned;  ///< have a result file, which a report counts, too
  bool driver_alive = false;
  bool in_trial = false;   ///< its driver tries the first steps
  double time_left_s = 0;  ///< NaN when unknown; 0 when nothing is left
};

/// Errors: BadInput when `folder` holds no study, or its runs/ cannot be read.
[[nodiscard]] StudyState state_of_study(const StudyFolder& folder);

[[nodiscard]] std::int64_t count_of(const StudyState& state, RunStage stage);

}  // namespace scalestudy
