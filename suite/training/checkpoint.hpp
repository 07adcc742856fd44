#pragma once
/// What a run needs to go on as if it had never stopped, in one file. Everything is kept by name
/// and in plain tensors, so that it does not depend on ranks, buckets or memory format; torch.load
/// reads the file too. A checksum at its end is checked before anything else looks at it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/atomic_file.hpp"

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"

#include "engine/run_progress.hpp"

#include "training/weights/state_dict_file.hpp"

namespace scalestudy {

struct Checkpoint {
  // Where it comes from.
  std::string content_hash;  ///< of the run's spec, 16 hexadecimal digits
  std::string build_id;
  std::int64_t ranks = 0;
  RunProgress progress;  ///< everything that is drawn follows from seed and position
  // What training has made.
  std::int64_t optimizer_steps = 0;
  std::map<std::string, NamedTensors> moments;  ///< optimiser's, per moment by parameter name
  NamedTensors counters;    ///< of optimiser and loss scaling: not one value per parameter
  NamedTensors model;       ///< parameters and buffers
  NamedTensors best_model;  ///< of the lowest validation loss; empty: none yet
  std::vector<torch::Tensor> random_states;  ///< LibTorch's generator, by rank
  /// What is each rank's own until the epoch ends: loss sums and buffers, by rank (ranks, …). Empty
  /// between epochs.
  NamedTensors rank_state;
};

/// Local. Writes the checkpoint beside `file`; publish() puts it in place of an earlier one.
/// Errors: RunFailed naming the file (disk full, …); then the earlier one is as it was.
[[nodiscard]] AtomicFile draft_checkpoint(const std::filesystem::path& file,
                                          const Checkpoint& checkpoint);

/// Local. Errors: BadInput naming the file when it is damaged, cut, or of another format version.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Collective: rank 0 reads, all get the same. Nothing when there is no such file.
[[nodiscard]] std::optional<Checkpoint> read_checkpoint(const Communicator& comm,
                                                        const std::filesystem::path& file);

/// Errors: BadInput when it was made with other settings or by another build.
void require_same_run(const Checkpoint& checkpoint,
                      const RunSpec& spec,
                      const std::filesystem::path& file);

}  // namespace scalestudy
