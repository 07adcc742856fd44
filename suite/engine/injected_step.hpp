#pragma once
/// A rank's steps with what is injected into them (study/injection.hpp); a slow link and slow input
/// are not here: rank_communicators.hpp, input_pipeline.hpp.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/compute_stretch.hpp"
#include "engine/rank_services.hpp"
#include "engine/step_loop.hpp"

namespace scalestudy {

class InjectedStep final : public StepWork {
 public:
  /// Both outlive the step.
  InjectedStep(StepWork& work, RankServices& services);

  void prepare_batch(const StepPlan& plan) override;
  void move_batch_to_device() override { work_.move_batch_to_device(); }
  [[nodiscard]] bool has_graph() const override { return work_.has_graph(); }
  void replay() override;
  void forward() override;
  void spoil_loss() override { work_.spoil_loss(); }
  void backward() override;
  void update_early(std::int64_t gradient_count) override { work_.update_early(gradient_count); }
  void update() override;
  [[nodiscard]] double loss_weight() const override { return work_.loss_weight(); }
  [[nodiscard]] BatchTimes batch_times() const override { return work_.batch_times(); }

 private:
  [[nodiscard]] double compute_factor() const;
  [[nodiscard]] bool is_due(const Injection& injection) const;
  void strike();
  [[nodiscard]] bool spoils_loss() const;

  StepWork& work_;
  RankServices& services_;
  ComputeStretch& stretch_;
  std::vector<Injection> injections_;  ///< those of this rank
  bool is_first_attempt_;
  StepIndex step_;
};

/// `work`'s steps with what is injected; none where nothing is.
[[nodiscard]] std::unique_ptr<StepWork> injected_step(StepWork& work, RankServices& services);

/// A standard normal number that seed, rank and step alone decide.
[[nodiscard]] double normal_of_step(std::uint64_t seed, Rank rank, StepIndex step);

/// By how much longer a rank computes in a step, as a part of it: half-normal with standard
/// deviation `spread_frac` (mean: 1.32 times that). Seed, rank and step alone decide it.
[[nodiscard]] double jitter_frac(double spread_frac, std::uint64_t seed, Rank rank, StepIndex step);

}  // namespace scalestudy
