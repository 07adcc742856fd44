#pragma once
/// Summing parts of the gradients over the ranks, whichever strategy asks for it.

#include <optional>

#include "record/machine/thread_load.hpp"
#include "record/run_file/column.hpp"

#include "engine/reduction.hpp"
#include "engine/reduction/compression.hpp"

namespace scalestudy {

/// Each tensor that is not empty is a piece; one without gradients where all are.
[[nodiscard]] std::vector<Piece> tensor_by_tensor(std::span<const std::int64_t> element_counts);

/// What travels for a piece: the one that ends with the last gradient carries the loss weight, too.
[[nodiscard]] BufferView memory_of(const Piece& piece, const BufferView& flat);

/// Starts a collective of `comm` when `marks.ready` has been reached, and notes in `marks` when and
/// how it was carried out. `start` takes what it is to begin after and returns what it has started.
template <class Start>
void carry_out(const Communicator& comm, StepClock& clock, BucketMarks& marks, const Start& start) {
  const double cpu_s = thread_cpu_time_s();
  if (comm.is_on_stream()) {
    const StartedCollective started = start(clock.event_of(marks.ready));
    marks.entered = clock.adopt(started.begun);
    marks.left = clock.adopt(started.ended);
    marks.wait_s = not_recorded;
  } else {
    marks.entered = clock.mark();
    marks.wait_s = start(CudaEvent{}).times.wait_s();
    marks.left = clock.mark();
  }
  marks.cpu_s = thread_cpu_time_s() - cpu_s;
}

/// Between steps: what is computed next has `call` behind it. Collective. Errors: those of the
/// communicator.
StartedCollective carry_out_now(const Communicator& comm,
                                StepClock& clock,
                                const CollectiveCall& call);

/// How the loss weight travels.
enum class WeightTravels { with_last_gradient, alone };

/// As settings.compression says. For one thread at a time.
class GradientExchange {
 public:
  explicit GradientExchange(const ReductionContext& context,
                            WeightTravels weight = WeightTravels::with_last_gradient);

  /// Of each piece what one rank sends, and nothing else.
  [[nodiscard]] std::vector<BucketMarks> sizes_of(std::span<const Piece> pieces) const;

  /// Of the loss weight alone.
  [[nodiscard]] BucketMarks size_of_weight() const;
  /// As sum(), of the loss weight alone.
  void sum_weight(BucketMarks& marks);

  /// Afterwards the piece holds sums over all ranks; `marks` gets all but `ready`. Collective,
  /// blocking. Errors: those of the communicator.
  void sum(const Piece& piece, BucketMarks& marks);

 private:
  [[nodiscard]] StartedCollective sum_compressed(const Piece& piece, CudaEvent after);
  [[nodiscard]] bool carries_weight(const Piece& piece) const;
  [[nodiscard]] BufferView memory(const Piece& piece) const;
  [[nodiscard]] BufferView weight() const;

  Communicator comm_;
  WeightTravels weight_travels_;
  BufferView flat_;
  StepClock& clock_;
  bool compresses_;
  DeviceRounding* rounding_;                     ///< of gradients on a device
  std::optional<CompressedSum> compressed_sum_;  ///< of gradients on the host
};

}  // namespace scalestudy
