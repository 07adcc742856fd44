#pragma once
/// How gradients are summed over ranks, and who updates the parameters by them. A strategy is one
/// source in engine/reduction/ and one case of make_reduction(). The sums are weighted by
/// construction: every rank contributes the gradient of its loss *sum* and, behind the last
/// gradient, its loss weight (samples, or masked voxels); dividing by the summed weight gives what
/// one rank would get for the whole global batch, whatever the split.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "study/settings.hpp"

#include "comm/communicator.hpp"

#include "engine/phase_timeline.hpp"

namespace scalestudy {

/// A consecutive part of the gradients, in elements.
struct Piece {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// One bucket in one step, by the step clock. The wait is a duration, since the communicator knows
/// nothing of devices' clocks; not recorded where a stream carried it out, which sees no peers.
struct BucketMarks {
  std::int64_t size_bytes = 0;  ///< of what one rank sends
  Mark ready = 0;               ///< its last gradient was ready
  Mark entered = 0;             ///< by this rank, the collective
  Mark left = 0;
  double wait_s = 0;  ///< from `entered` until all ranks had come
  double cpu_s = 0;   ///< CPU time of the thread that carried it
};

class ReductionStrategy {
 public:
  virtual ~ReductionStrategy();

  /// Local. Before the backward pass.
  virtual void begin_step() = 0;

  /// Parameter index in ready order; called from the backward pass. Local; on a stream it may start
  /// a collective, the first of which waits for the peers to start theirs.
  virtual void gradient_ready(std::size_t parameter) = 0;

  /// Of the gradients, from the first in ready order on, so many hold their sums already, and the
  /// loss weight holds its own: what is owned of them may be updated before finish(). After the
  /// backward pass. Local, never blocks.
  [[nodiscard]] virtual std::int64_t summed_count() const;

  /// Collective, blocking: afterwards the flat storage holds sums over all ranks, of the loss
  /// weight and of the gradients that this rank owns. Errors: those of the communicator;
  /// InternalError when a gradient never became ready.
  virtual void finish() = 0;

  /// Of the gradients, `gradient_count` in all, those whose sums this rank gets, and so what it
  /// updates, piece by piece: all of them at once, as a rule. At least one piece, which may be
  /// empty; always the same. Local.
  [[nodiscard]] virtual std::vector<Piece> owned(std::int64_t gradient_count) const;

  /// `parameters`: one element for each gradient, of which every rank has those that it owns;
  /// afterwards all have all. After the update, and before a checkpoint. Collective, blocking; does
  /// nothing where every rank owns everything. Errors: those of the communicator.
  virtual StartedCollective share(BufferView parameters);

  /// Of the last finished step, in launch order; before the first one only sizes, those of a step
  /// whose gradients are all ready at once. The same number with the same sizes on all ranks.
  [[nodiscard]] virtual std::span<const BucketMarks> bucket_marks() const = 0;
};

class DeviceRounding;

struct ReductionContext {
  Communicator comm;                         ///< used by the strategy alone while a step runs
  std::vector<std::int64_t> element_counts;  ///< one per parameter, in ready order
  BufferView flat;   ///< all gradients in ready order, then one element: the loss weight
  StepClock& clock;  ///< outlives the strategy
  const CommonSettings& settings;                        ///< read while the strategy is made
  std::optional<int> communication_core = std::nullopt;  ///< of a thread beside the backward pass
  DeviceRounding* rounding = nullptr;  ///< of gradients on a device that are compressed
};

[[nodiscard]] std::unique_ptr<ReductionStrategy> make_reduction(Reduction reduction,
                                                                const ReductionContext& context);

}  // namespace scalestudy
