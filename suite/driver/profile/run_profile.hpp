#pragma once
/// From recorded runs of one rank to the profile that a replay reads.

#include <filesystem>
#include <span>

#include "record/run_file/run_record.hpp"

#include "workloads/replay/profile.hpp"

namespace scalestudy {

/// Medians over the steady steps of a run (METRICS.md#profiles). What is known of gradients are
/// their buckets. Errors: BadInput for a run that has not one rank, no overlapping buckets, or
/// whose times say something else than how long its steps take.
[[nodiscard]] replay::Profile profile_of(const RunRecord& run);

/// Each number is the median over all of them. Contract: not empty. Errors: BadInput when their
/// gradients are not the same ones.
[[nodiscard]] replay::Profile median_of(std::span<const replay::Profile> profiles);

/// Of a run file, or of all runs in a study's folder that profile_of() takes. Errors: BadInput,
/// also when these are of several kinds.
[[nodiscard]] replay::Profile profile_at(const std::filesystem::path& run_or_folder);

}  // namespace scalestudy
