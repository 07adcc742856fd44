#pragma once
/// A rank's epochs: steps and evaluations, and after each epoch replica check, learning-rate
/// schedule, checkpoint and recording. The same for whatever trains, with LibTorch or without.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/atomic_file.hpp"
#include "core/clock.hpp"
#include "core/parallel.hpp"

#include "data/sampling.hpp"

#include "engine/evaluation.hpp"
#include "engine/final_results.hpp"
#include "engine/phase_timeline.hpp"
#include "engine/rank_services.hpp"
#include "engine/run_progress.hpp"
#include "engine/run_recorder.hpp"
#include "engine/schedule.hpp"
#include "engine/step_loop.hpp"

namespace scalestudy {

/// What the loop asks of those who train. On all ranks in the same order; local unless stated.
class EpochWork {
 public:
  virtual ~EpochWork();

  /// Calls `action`, which asks for all that follows. What the library throws leaves as one of our
  /// own errors, std::bad_alloc when the run does not fit: the peers are told what leaves.
  virtual void with_own_errors(const std::function<void()>& action) = 0;

  [[nodiscard]] virtual StepWork& step() = 0;
  [[nodiscard]] virtual ReductionStrategy& reduction() = 0;

  /// Before the first step. Collective.
  virtual void start(const RunProgress& from) = 0;
  /// Before the first step, and after each evaluation.
  virtual void begin_steps() = 0;

  /// Of this rank's steps since the last call, in order; may wait for the device.
  [[nodiscard]] virtual std::vector<StepResults> take_results() = 0;

  /// Before an evaluation and at an epoch's end: one model on all ranks. `sample_count`: those of
  /// this rank since the last time or the epoch's start. Collective. Errors: RunFailed when
  /// replicas differ.
  virtual void unite_replicas(std::int64_t sample_count) = 0;

  /// On the fixed validation set. Collective.
  [[nodiscard]] virtual Evaluation evaluate(const HeartbeatCallback& heartbeat) = 0;

  /// The model as it is now is the best one so far.
  virtual void keep_as_best() = 0;

  /// Between steps or after an epoch; `progress` is this rank's. Rank 0's, to be published once all
  /// before it is recorded; nothing on other ranks. Collective.
  [[nodiscard]] virtual std::optional<AtomicFile> draft_checkpoint(const RunProgress& progress) = 0;

  /// After the last epoch: saves the last weights and returns to the best ones, whose quality is
  /// measured once, on the test set where there is one. Collective.
  [[nodiscard]] virtual Evaluation finish(const HeartbeatCallback& heartbeat,
                                          FinalResults& results) = 0;
};

struct TrainingOutcome {
  bool diverged = false;
  bool interrupted = false;  ///< by a signal, after a checkpoint
  std::string reason;        ///< in words, when one of them
  [[nodiscard]] bool is_early() const { return diverged || interrupted; }
};

class EpochLoop {
 public:
  /// All outlive the loop.
  EpochLoop(RankServices& services, EpochWork& work);

  /// Trains from `from` to the end. Collective. Errors: those of the work and the communicator,
  /// after what this rank has measured was written and the peers were freed.
  [[nodiscard]] TrainingOutcome run(const RunProgress& from);

 private:
  void train_all();
  void probe_exchange();
  void train_epoch();
  void train_step(StepLoop& loop);
  void train_steps();
  void evaluate_within_epoch();
  void end_epoch();
  void unite_replicas();
  [[nodiscard]] double evaluate();
  void finish();
  void flush();
  void flush_what_is_left() noexcept;
  void agree_how_to_go_on(const std::vector<StepFacts>& facts);
  void save_within_epoch();
  void note_validation_loss(double loss);
  void record_evaluation(Evaluation evaluation, std::string_view weights);
  [[nodiscard]] std::vector<StepFacts> take_facts();
  [[nodiscard]] bool is_evaluation_due() const;
  [[nodiscard]] bool is_checkpoint_due_after_step() const;
  [[nodiscard]] bool is_checkpoint_due_after_epoch() const;
  [[nodiscard]] std::optional<AtomicFile> draft_checkpoint();
  void publish(std::optional<AtomicFile> checkpoint);
  [[nodiscard]] double time_of_epoch_s() const;
  [[nodiscard]] double training_loss();
  [[nodiscard]] Shard shard_of_step(std::int64_t step) const;
  [[nodiscard]] std::int64_t own_samples_since_united() const;
  [[nodiscard]] HeartbeatCallback beating(const char* phase);
  [[nodiscard]] double since_start_s() const;

  RankServices& services_;
  const RulePlan& plan_;
  EpochWork& work_;
  std::unique_ptr<StepWork> injected_step_;  ///< none: nothing is injected
  StepWork& step_;
  EpochLayout layout_;
  std::unique_ptr<Schedule> schedule_;
  PhaseTimeline timeline_;
  RunRecorder recorder_;
  RunProgress progress_;
  std::vector<StepFacts> facts_;  ///< of the steps since the last flush; their results still unread
  RecordingTimes recording_;      ///< since the last step
  ThreadLoadMeter load_meter_;
  Stopwatch epoch_watch_;      ///< since the epoch's first step here
  double within_epoch_s_ = 0;  ///< in evaluations and checkpoints within it, no part of its steps
  EpochRow epoch_times_;       ///< what they and those at its end took, as far as it is
  double publishing_s_ = 0;    ///< the last epoch's checkpoint, after its row was written
  CheckpointRequest request_ = CheckpointRequest::none;  ///< all ranks have agreed on
  TrainingOutcome outcome_;
};

}  // namespace scalestudy
