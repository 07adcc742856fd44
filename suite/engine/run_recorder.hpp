#pragma once
/// Collects the steps of all ranks and lets rank 0 write them, between steps, about every second:
/// a killed run loses at most a few seconds, and no timed phase ever waits for the disk.

#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/emulated_link.hpp"
#include "record/machine/thread_load.hpp"
#include "record/run_file/run_file.hpp"

#include "engine/input_pipeline.hpp"
#include "engine/phase_timeline.hpp"
#include "engine/reduction.hpp"

namespace scalestudy {

/// What recording took between two steps. Its collectives let fast ranks wait for slow ones, which
/// then start the next step together: not in a step, but not for nothing.
struct RecordingTimes {
  double total_s = 0;
  double wait_s = 0;        ///< for slower ranks
  double saving_s = 0;      ///< a checkpoint within the epoch, beside total_s
  double evaluation_s = 0;  ///< an evaluation within the epoch, likewise
};

/// What the device has found in a step, of the rank's own samples unless global.
struct StepResults {
  double loss_sum = 0;
  double local_gradient_square_norm = not_recorded;
  double global_gradient_square_norm = not_recorded;
};

/// What the timeline does not know about a step.
struct StepFacts {
  StepResults results;
  double loss_weight = 0;
  double learning_rate = 0;
  std::int64_t sample_count = 0;
  std::int64_t epoch = 0;
  BatchTimes batch;
  ThreadLoad load;           ///< of the thread that ran it, during the step
  RecordingTimes recording;  ///< just before it
  LinkUse link;              ///< since the end of the step before
};

class RunRecorder {
 public:
  /// `writer` is rank 0's, null on all others, and outlives the recorder, as `clock` does.
  RunRecorder(Communicator comm, RunFileWriter* writer, StepClock& clock);

  /// Local: the next step's number, when earlier ones are in the file already.
  void start_at(std::int64_t step) { first_step_ = step; }

  /// Local: after each step. Marks are the reduction's of this step.
  void add_step(std::span<const BucketMarks> buckets);

  /// Local: what the marks since the last flush mean; before the timeline's are taken, which ends
  /// the life of all. Waits for the device.
  void resolve_buckets();

  /// True when the steps collected so far should be written now; the same on all ranks.
  [[nodiscard]] bool is_due() const { return collected_ >= next_flush_; }

  /// Collective. `times` and `facts`: one entry per step since the last flush, in order.
  void flush(std::vector<StepTimes> times, const std::vector<StepFacts>& facts);

  /// Local, rank 0: what this rank has collected, when the others are gone.
  void flush_alone(const std::vector<StepTimes>& times, const std::vector<StepFacts>& facts);

 private:
  void find_arrivals(std::vector<StepTimes>& times);
  [[nodiscard]] std::vector<StepRow> step_rows(std::span<const StepTimes> times,
                                               std::span<const StepFacts> facts) const;
  [[nodiscard]] std::vector<BucketRow> bucket_rows(const std::vector<StepTimes>& times) const;
  void choose_next_flush(const std::vector<StepTimes>& times);

  Communicator comm_;
  RunFileWriter* writer_;
  StepClock& clock_;
  std::vector<std::vector<BucketMarks>> marks_;  ///< step by step, since the last resolution
  /// Step by step, since the last flush; times of the clock, not yet of the step.
  std::vector<std::vector<BucketRow>> buckets_;
  std::int64_t collected_ = 0;
  bool written_ = false;  ///< the steps since the last flush are in the file already
  std::int64_t next_flush_ = 1;
  std::int64_t first_step_ = 0;
};

}  // namespace scalestudy
