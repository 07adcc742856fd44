#include "study/scaling_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

// Goyal et al. 2017 (arXiv 1706.02677), section 2.2: gradual warm-up over the first 5 epochs.
constexpr std::int64_t warmup_epochs = 5;

/// Batches that `samples` fill, the smaller last one included unless it is dropped.
std::int64_t batches_of(std::int64_t samples, std::int64_t batch, const CommonSettings& s) {
  return s.last_batch == LastBatch::drop ? samples / batch : (samples + batch - 1) / batch;
}

/// Weak scaling: every rank keeps the batch of the one-rank run.
RulePlan constant_local_batch(const RuleRequest& request) {
  const auto& s = request.settings;
  RulePlan plan;
  plan.local_batch_sizes.assign(static_cast<std::size_t>(request.ranks), s.local_batch_size);
  plan.global_batch_size = s.local_batch_size * request.ranks;
  plan.learning_rate = s.optimizer.base_learning_rate;
  plan.epochs = s.epochs;
  return plan;
}

/// The batch of the one-rank run, split as evenly as possible, larger parts first.
RulePlan constant_global_batch(const RuleRequest& request) {
  auto plan = constant_local_batch(request);
  const auto batch = request.settings.local_batch_size;
  plan.global_batch_size = batch;
  for (std::int64_t rank = 0; rank < request.ranks; ++rank)
    plan.local_batch_sizes[static_cast<std::size_t>(rank)] =
        batch / request.ranks + (rank < batch % request.ranks ? 1 : 0);
  return plan;
}

/// The same number of (larger) steps: an epoch sees N times the samples.
void keep_steps(RulePlan& plan, const RuleRequest& request) {
  plan.steps_per_epoch = request.steps_per_epoch();
  const auto factor = plan.global_batch_size / request.settings.local_batch_size;
  plan.samples_per_epoch = request.samples_per_epoch() * factor;
  plan.epoch_stride_samples = request.settings.steps_per_epoch > 0
                                  ? plan.samples_per_epoch
                                  : request.training_samples * factor;
}

void divide_epochs(RulePlan& plan, const RuleRequest& request) {
  const auto& s = request.settings;
  plan.epochs = s.epochs / request.ranks;
  const auto left = s.epochs % request.ranks;
  if (left == 0) return;
  plan.remainder = cat(s.epochs, " epochs divided by ", request.ranks, " ranks give ", plan.epochs,
                       "; ", left * request.samples_per_epoch(), " samples (", left, " of ",
                       s.epochs, " one-rank epochs) are left out");
}

void divide_given_steps(RulePlan& plan, const RuleRequest& request) {
  const auto& s = request.settings;
  plan.steps_per_epoch = s.steps_per_epoch / request.ranks;
  plan.samples_per_epoch = plan.steps_per_epoch * plan.global_batch_size;
  plan.epoch_stride_samples = plan.samples_per_epoch;
  const auto left = s.steps_per_epoch % request.ranks;
  if (left == 0) return;
  plan.remainder = cat(s.steps_per_epoch, " steps per epoch divided by ", request.ranks,
                       " ranks give ", plan.steps_per_epoch, "; ", left * s.local_batch_size,
                       " of ", request.samples_per_epoch(), " samples of every epoch are left out");
}

/// An epoch is one pass over the training set at any number of ranks.
void one_pass_per_epoch(RulePlan& plan, const RuleRequest& request) {
  const auto pass = request.training_samples;
  plan.steps_per_epoch = batches_of(pass, plan.global_batch_size, request.settings);
  plan.samples_per_epoch = std::min(pass, plan.steps_per_epoch * plan.global_batch_size);
  plan.epoch_stride_samples = pass;
  const auto left = pass - plan.samples_per_epoch;
  if (left == 0) return;
  plan.remainder =
      cat(pass, " training samples in batches of ", plan.global_batch_size, " give ",
          plan.steps_per_epoch, " steps; ", left, " samples of every epoch are left out");
}

/// As many samples per epoch as at one rank, in N times fewer steps.
void divide_steps(RulePlan& plan, const RuleRequest& request) {
  if (request.settings.steps_per_epoch > 0)
    divide_given_steps(plan, request);
  else
    one_pass_per_epoch(plan, request);
}

/// Patience and the like, in epochs: kept, or kept constant in samples.
std::int64_t scaled_epochs(std::int64_t epochs, const RuleRequest& request, const RulePlan& plan) {
  if (request.settings.schedule.patience_rule == PatienceRule::epochs || epochs == 0) return epochs;
  const auto samples = static_cast<double>(epochs * request.samples_per_epoch());
  return std::max<std::int64_t>(
      1, std::llround(samples / static_cast<double>(plan.samples_per_epoch)));
}

void add_schedule_setting(RulePlan& plan,
                          const CommonSettings& s,
                          std::string name,
                          std::int64_t requested,
                          std::int64_t resolved) {
  const auto reason = s.schedule.patience_rule == PatienceRule::epochs
                          ? "schedule.patience_rule is epochs: not scaled, as in the source works"
                          : "schedule.patience_rule is samples: constant in samples, rounded";
  plan.time_like.push_back({std::move(name), static_cast<double>(requested),
                            static_cast<double>(resolved), requested != resolved, reason});
}

void add_unscaled(RulePlan& plan, std::string name, double value, std::string reason) {
  plan.time_like.push_back({std::move(name), value, value, false, std::move(reason)});
}

void add_schedule(RulePlan& plan, const RuleRequest& request) {
  const auto& s = request.settings;
  const auto& schedule = s.schedule;
  plan.patience_epochs = scaled_epochs(schedule.patience_epochs, request, plan);
  plan.cooldown_epochs = scaled_epochs(schedule.cooldown_epochs, request, plan);
  add_schedule_setting(plan, s, "schedule.patience_epochs", schedule.patience_epochs,
                       plan.patience_epochs);
  add_schedule_setting(plan, s, "schedule.cooldown_epochs", schedule.cooldown_epochs,
                       plan.cooldown_epochs);
  for (std::size_t i = 0; i < schedule.milestones_epochs.size(); ++i) {
    plan.milestones_epochs.push_back(scaled_epochs(schedule.milestones_epochs[i], request, plan));
    add_schedule_setting(plan, s, cat("schedule.milestones_epochs[", i, "]"),
                         schedule.milestones_epochs[i], plan.milestones_epochs.back());
  }
}

void add_unscaled_epochs(RulePlan& plan, const CommonSettings& settings) {
  const auto epochs = settings.schedule.unscaled_epochs;
  if (epochs > 0)
    add_unscaled(plan, "schedule.unscaled_epochs", static_cast<double>(epochs),
                 "epochs at the base rate: not scaled, as in the source works");
}

void add_time_like(RulePlan& plan, const RuleRequest& request) {
  add_schedule(plan, request);
  add_unscaled_epochs(plan, request.settings);
  constexpr auto per_step = "counts steps, not samples; no source work scales it";
  for (const auto& [name, value] : settings_per_step(request.settings.optimizer))
    add_unscaled(plan, cat("optimizer.", name), value, per_step);
  add_unscaled(plan, "batch_norm_momentum", 1, per_step);
}

RulePlan batch_only(const RuleRequest& request) {
  auto plan = constant_local_batch(request);
  divide_steps(plan, request);
  return plan;
}

RulePlan linear_fixed_samples(const RuleRequest& request) {
  auto plan = constant_local_batch(request);
  plan.learning_rate *= static_cast<double>(request.ranks);
  keep_steps(plan, request);
  divide_epochs(plan, request);
  return plan;
}

RulePlan linear_fixed_epochs(const RuleRequest& request) {
  auto plan = batch_only(request);
  plan.learning_rate *= static_cast<double>(request.ranks);
  return plan;
}

RulePlan linear_warmup(const RuleRequest& request) {
  auto plan = linear_fixed_epochs(request);
  if (request.ranks > 1) plan.warmup_samples = warmup_epochs * request.samples_per_epoch();
  return plan;
}

RulePlan sqrt_fixed_epochs(const RuleRequest& request) {
  auto plan = batch_only(request);
  plan.learning_rate *= std::sqrt(static_cast<double>(request.ranks));
  return plan;
}

RulePlan strong(const RuleRequest& request) {
  auto plan = constant_global_batch(request);
  keep_steps(plan, request);
  const auto batch = request.settings.local_batch_size;
  const auto share = batch / request.ranks;
  const auto larger = batch % request.ranks;
  if (larger > 0) {
    plan.remainder = cat(batch, " samples per step divided by ", request.ranks,
                         " ranks: ", counted(larger, "rank"), larger == 1 ? " takes " : " take ",
                         share + 1, ", the others ", share, "; nothing is left out");
  }
  return plan;
}

RulePlan plan_by(ScalingRule rule, const RuleRequest& request) {
  switch (rule) {
    case ScalingRule::linear_fixed_samples:
      return linear_fixed_samples(request);
    case ScalingRule::linear_fixed_epochs:
      return linear_fixed_epochs(request);
    case ScalingRule::linear_warmup:
      return linear_warmup(request);
    case ScalingRule::sqrt_fixed_epochs:
      return sqrt_fixed_epochs(request);
    case ScalingRule::batch_only:
      return batch_only(request);
    case ScalingRule::strong:
      return strong(request);
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace

RulePlan plan_without_training(std::int64_t ranks) {
  RulePlan plan;
  plan.local_batch_sizes.assign(static_cast<std::size_t>(ranks), 0);
  return plan;
}

std::int64_t RuleRequest::steps_per_epoch() const {
  if (settings.steps_per_epoch > 0) return settings.steps_per_epoch;
  return batches_of(training_samples, settings.local_batch_size, settings);
}

std::int64_t RuleRequest::samples_per_epoch() const {
  const auto in_batches = settings.local_batch_size * steps_per_epoch();
  return settings.steps_per_epoch > 0 ? in_batches : std::min(in_batches, training_samples);
}

std::string_view source_of(ScalingRule rule) {
  switch (rule) {
    case ScalingRule::linear_fixed_samples:
      return "BiAPoL/blog, multi-gpu-training @ eb16d1e";
    case ScalingRule::linear_fixed_epochs:
      return "oekosheri/tensorflow_unet_scaling @ 0d98a63";
    case ScalingRule::linear_warmup:
      return "Goyal et al. 2017, arXiv 1706.02677";
    case ScalingRule::sqrt_fixed_epochs:
      return "Krizhevsky 2014, arXiv 1404.5997; Hoffer et al. 2017, arXiv 1705.08741";
    case ScalingRule::batch_only:
      return "saturncloud/examples @ cef5097, tensorflow-comparison";
    case ScalingRule::strong:
      return "saturncloud/examples @ cef5097, tensorflow-multigpu";
  }
  return "";
}

RulePlan apply(ScalingRule rule, const RuleRequest& request) {
  auto plan = plan_by(rule, request);
  if (plan.epochs < 1 || plan.steps_per_epoch < 1) {
    const auto* what = plan.epochs < 1 ? "epochs" : "steps per epoch";
    throw BadInput({cat("rule ", rule, " leaves 0 ", what, " for ", request.ranks, " ranks"),
                    cat("it divides the ", what, " by the number of ranks"),
                    cat("Ask for at least ", request.ranks, " ", what, ", or fewer ranks")});
  }
  plan.samples = plan.samples_per_epoch * plan.epochs;
  plan.requested_samples = request.samples_per_epoch() * request.settings.epochs;
  plan.warmup_samples = std::min(plan.warmup_samples, plan.samples);
  add_time_like(plan, request);
  return plan;
}

}  // namespace scalestudy
