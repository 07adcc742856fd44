#pragma once
/// From a planned study to its runs in a folder: what `run` and `floor` have in common.

#include <optional>
#include <string>
#include <vector>

#include "driver/run/planning.hpp"
#include "driver/run/same_study.hpp"
#include "driver/run/study_run.hpp"
#include "driver/run/writable_study_folder.hpp"
#include "driver/terminal/context.hpp"
#include "driver/terminal/signals.hpp"

namespace scalestudy {

struct SessionRequest {
  ResumePolicy policy;
  std::string next;  ///< the command that follows when all is done; "": none is named
};

struct SessionResult {
  std::vector<RunResult> runs;
  bool is_interrupted = false;
  bool is_in_a_run = false;  ///< that was at work then
};

/// Whether `folder` can take the planned runs and all that they read is there; writes nothing.
/// Errors: BadInput.
void require_runnable(const PlannedStudy& planned, const WritableStudyFolder& folder);

/// Launches what the folder lacks of the plan, one run after the other, and keeps the rest. After
/// require_runnable(). `early` ends when the runs' own handling of signals begins. Errors: those of
/// require_same_study(); Unavailable without rank program or launcher. A failed run is no error.
[[nodiscard]] SessionResult run_session(Context& context,
                                        const PlannedStudy& planned,
                                        const WritableStudyFolder& folder,
                                        const SessionRequest& request,
                                        std::optional<EarlyInterruption>& early);

/// `own` (the command and what it was given) with the common options, to be typed again.
[[nodiscard]] std::string command_again(const Context& context,
                                        std::vector<std::string> own,
                                        const ResumePolicy& policy);

/// What to say of a session that was interrupted; `again`: the command that goes on.
[[nodiscard]] Interrupted interruption_of(const SessionResult& session,
                                          const WritableStudyFolder& folder,
                                          const std::string& again);

}  // namespace scalestudy
