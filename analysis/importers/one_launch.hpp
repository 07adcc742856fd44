#pragma once
/// A launch counts once, however many logs tell of it.

#include <vector>

#include "analysis/importers/formats.hpp"

namespace scalestudy {

/// Keeps of the runs of one launch the one that says most, with a note that names the others:
/// copies of one log, and logs of several of its processes. These start within a minute of each
/// other and overlap in time, as launches on one machine do not. Runs that overlap otherwise count
/// as launches side by side, which is noted. Of logs without a clock, equal losses are remarked,
/// and parts of one training are censored. Errors: BadInput naming both, where such logs differ in
/// what processes of one launch say alike, copies are given as of other ranks, times of epochs are
/// equal, or a column or the names of the files tell ranks of one launch apart.
[[nodiscard]] std::vector<ImportedRun> one_of_each_launch(std::vector<ImportedRun> runs);

}  // namespace scalestudy
