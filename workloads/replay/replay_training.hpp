#pragma once
/// Training that learns nothing: waits for as long as each layer would compute, and exchanges real
/// gradients of the layers' sizes through the engine's own strategies.

#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"

#include "data/sampling.hpp"

#include "engine/epoch_loop.hpp"
#include "engine/gradient_memory.hpp"
#include "engine/input_pipeline.hpp"

#include "workloads/replay/settings.hpp"

namespace scalestudy::replay {

class ReplayTraining final : public EpochWork, public StepWork {
 public:
  /// `services` outlives it. Collective.
  explicit ReplayTraining(RankServices& services);

  void with_own_errors(const std::function<void()>& action) override { action(); }
  [[nodiscard]] StepWork& step() override { return *this; }
  [[nodiscard]] ReductionStrategy& reduction() override { return *reduction_; }
  void start(const RunProgress& from) override;
  void begin_steps() override {}
  [[nodiscard]] std::vector<StepResults> take_results() override;
  void unite_replicas(std::int64_t sample_count) override;
  [[nodiscard]] Evaluation evaluate(const HeartbeatCallback& heartbeat) override;
  void keep_as_best() override {}
  /// Takes the time and writes nothing.
  [[nodiscard]] std::optional<AtomicFile> draft_checkpoint(const RunProgress&) override;
  [[nodiscard]] Evaluation finish(const HeartbeatCallback& heartbeat,
                                  FinalResults& results) override;

  void prepare_batch(const StepPlan& plan) override;
  void move_batch_to_device() override {}
  void forward() override;
  void spoil_loss() override;
  void backward() override;
  void update_early(std::int64_t gradient_count) override;
  void update() override;
  [[nodiscard]] double loss_weight() const override { return loss_weight_; }
  [[nodiscard]] BatchTimes batch_times() const override {
    return input_ ? input_->times() : BatchTimes{};
  }

 private:
  [[nodiscard]] ReductionContext reduction_context();
  void make_batch(const Shard& shard, HostBatch& batch) const;
  void compute(std::int64_t of_full_batch_us);
  void meet_in_layer() const;
  [[nodiscard]] double owned_share() const;
  /// Of a batch of so many samples, as part of the one that the settings time.
  [[nodiscard]] double batch_share(std::int64_t sample_count) const;
  [[nodiscard]] Evaluation evaluation() const;

  RankServices& services_;
  const RunSpec& spec_;
  Settings settings_;
  std::vector<std::int64_t> gradient_counts_;  ///< in ready order: the last layer first
  double owned_share_ = 1;                     ///< of the parameters, what this rank updates
  double early_share_ = 0;                     ///< of them, what it has updated in this step
  GradientMemory flat_;                        ///< gradients, then the loss weight
  std::unique_ptr<ReductionStrategy> reduction_;
  std::unique_ptr<InputPipeline> input_;
  EpochLayout layout_;
  std::int64_t samples_seen_ = 0;  ///< by all ranks, those of this step included
  double pace_ = 1;                ///< times of this step's layers ÷ those of the settings
  bool is_first_step_ = false;
  Clock::duration overslept_{};  ///< to be made up for by the next layers
  double loss_weight_ = 0;
  std::vector<StepResults> results_;
};

}  // namespace scalestudy::replay
