#pragma once
/// Steps of a run in the Trace Event Format, for Perfetto (ui.perfetto.dev) and chrome://tracing:
/// "Trace Event Format" by the Chromium project, JSON Object Format.

#include <ostream>

#include "analysis/export/run_rows.hpp"

namespace scalestudy {

/// How many steps a trace holds unless it is asked for others: more make a page slow.
inline constexpr std::int64_t default_trace_steps = 20;

/// `default_trace_steps` steps in the middle of those of the steady window, or of all where none
/// was found.
[[nodiscard]] StepRange middle_steps(const RunRecord& record);

/// Each rank is a process with the rows "step" (its phases within it), "exchange" (each bucket from
/// entering to leaving, in it waiting for peers and transfer) and "between steps"; events and the
/// monitor's columns stand beside them. Times are µs after the training clock's start, which all
/// ranks share to within /ranks/clock_offset_error_s (`otherData`). Of phases only how long they
/// took is recorded, and when the last gradient was ready and all had come: METRICS.md#trace says
/// where they are drawn. No two events of a row overlap unless one holds the other; an event that
/// had to be cut for that keeps its recorded duration in `args`. Errors: none, `out` keeps its
/// state.
void write_chrome_trace(const RunRecord& record, const StepRange& steps, std::ostream& out);

}  // namespace scalestudy
