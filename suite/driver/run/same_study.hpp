#pragma once
/// Whether what a folder holds is of the study that is to go on in it. A study may grow: what more
/// numbers of ranks, arms or repeats add is run, and what is there is kept.

#include <string>
#include <vector>

#include "record/study_folder/study_folder.hpp"

#include "driver/run/study_state.hpp"

namespace scalestudy {

/// What becomes of runs of another build or machine, and of unfinished runs.
struct ResumePolicy {
  bool accept_mixed = false;  ///< keep results of another build or machine
  bool fresh = false;         ///< no run goes on from a checkpoint
  bool no_trial = false;      ///< the first run finds the machine cold
  bool redo_busy = false;     ///< what is_disturbed() is run again
};

/// `plan` has a run; `states`: as states_of_runs() finds them.
/// Errors: BadInput when the folder holds results or checkpoints of another plan, build or machine,
/// or results that this user may not read.
void require_same_study(const StudyFolder& folder,
                        const StudyPlan& plan,
                        const std::vector<RunState>& states,
                        const ResumePolicy& policy);

/// "" when the results in the run's folder are of the plan, this build and this machine.
[[nodiscard]] std::string result_difference(const StudyFolder& folder,
                                            const StudyPlan& plan,
                                            const RunSpec& spec);

/// "" when the run has no checkpoint, or one of this build on this machine.
[[nodiscard]] std::string checkpoint_difference(const StudyFolder& folder,
                                                const StudyPlan& plan,
                                                const RunSpec& spec);

}  // namespace scalestudy
