#pragma once
/// What an earlier attempt of a run recorded up to its checkpoint, at the head of the file of the
/// attempt that goes on from there: curves stay whole. Local.

#include <cstdint>
#include <filesystem>
#include <string>

#include "record/run_file/run_file.hpp"

namespace scalestudy {

/// How far the checkpoint is.
struct RecordedPart {
  std::int64_t steps = 0;
  std::int64_t epochs = 0;
  bool is_within_epoch = false;  ///< the last steps are of none of these epochs
};

struct EarlierAttempt {
  std::string name;  ///< "attempt-2"
  RunRecord record;
};

/// Whether this is not the first attempt of the run.
[[nodiscard]] bool has_earlier_attempt(const std::filesystem::path& run_folder);

/// The newest attempt-<k> of the run that recorded at least `part`. Errors: BadInput when there is
/// none.
[[nodiscard]] EarlierAttempt find_earlier_attempt(const std::filesystem::path& run_folder,
                                                  const RecordedPart& part);

/// Appends steps, epochs, their evaluations, buckets and events of `part` to a new file. Ranks and
/// panels are those of the attempt at work. Returns the training clock at the end of `part` [s].
double carry_over(const RunRecord& earlier, const RecordedPart& part, RunFileWriter& writer);

}  // namespace scalestudy
