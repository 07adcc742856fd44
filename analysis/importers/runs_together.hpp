#pragma once
/// What logs of one study tell only beside each other.

#include <vector>

#include "analysis/importers/formats.hpp"

namespace scalestudy {

/// Notes on runs what differs between them and is no scaling, and what contradicts `rule`.
/// Contract: there is one. Errors: BadInput where runs of one number of ranks are of two
/// configurations.
void look_at_together(std::vector<ImportedRun>& runs, PublishedRule rule);

}  // namespace scalestudy
