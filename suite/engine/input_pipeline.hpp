#pragma once
/// How batches reach a rank. A pipeline is one class and one case of make_input(). Whatever the
/// pipeline, step s of rank r gets the samples at the positions of its shard: the same global order
/// at any world size, worker count and prefetch depth.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "study/settings.hpp"

#include "comm/communicator.hpp"
#include "data/host_batch.hpp"
#include "data/sampling.hpp"
#include "record/run_file/column.hpp"

namespace scalestudy {

/// Makes the batch of a shard; called from several threads at once. Errors leave through take().
using BatchMaker = std::function<void(const Shard&, HostBatch&)>;

/// How a batch came about.
struct BatchTimes {
  /// Making it; with one producer for all ranks those of all of them, known to rank 0 only.
  double make_s = not_recorded;
  /// One producer: moving it to this rank, without waiting for the producer or other ranks.
  double hand_over_s = not_recorded;
  /// Batches that were there when it was asked for; 0: not yet this one, -1: not known.
  std::int64_t ready_count = -1;
};

class InputPipeline {
 public:
  virtual ~InputPipeline();

  /// This rank's batch of `step`; valid until the next call. Steps come in order. Blocks until the
  /// batch is there. Errors: those of the batch maker; those of the communicator (serial).
  [[nodiscard]] virtual const HostBatch& take(StepIndex step) = 0;

  /// Of the batch that was taken last.
  [[nodiscard]] BatchTimes times() const { return times_; }

 protected:
  BatchTimes times_;
};

struct InputContext {
  BatchMaker make;
  EpochLayout layout;
  Rank rank;
  WorldSize world_size{1};
  StepIndex first;  ///< of this attempt
  StepIndex end;    ///< behind the last one
  InputSettings settings;
  /// The pipeline's own, beside that of the gradients; serial on several ranks needs it.
  std::optional<Communicator> comm;
};

/// Makes one of the pipelines that bring batches from the host; for `device`, whose batches never
/// are there, it gives nothing. `serial` is collective, also its end: every rank must take the same
/// steps.
[[nodiscard]] std::unique_ptr<InputPipeline> make_input(InputKind input, InputContext context);

/// One producer (rank 0) for all ranks, in a file of its own.
[[nodiscard]] std::unique_ptr<InputPipeline> make_serial_input(const InputContext& context);

}  // namespace scalestudy
