#pragma once
/// Result folders are copied as a whole and in part: the same execution of a run counts once.

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// Of all files of one execution (equal run id and, to the last bit, step times) keeps one in
/// `set.runs`: the complete one, if only one of them is, and the one in its own folder rather than
/// another. The rest go to `set.copies`. Complete files of one execution that differ in anything
/// are all in `set.unreadable`: nobody can tell which of them was changed.
void set_copies_aside(RunSet& set);

}  // namespace scalestudy
