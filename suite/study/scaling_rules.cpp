#include "study/scaling_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

// Goyal et al. 2017 (arXiv 1706.02677), section 2.2: gradual warm-up over the first 5 epochs.
constexpr std::int64_t warmup_epochs = 5;

std::int64_t requested_samples_per_epoch(const CommonSettings& s) {
  return s.local_batch_size * s.steps_per_epoch;
}

/// Weak scaling: every rank keeps the batch of the one-rank run.
RulePlan constant_local_batch(const CommonSettings& s, std::int64_t ranks) {
  RulePlan plan;
  plan.local_batch_sizes.assign(static_cast<std::size_t>(ranks), s.local_batch_size);
  plan.learning_rate = s.optimizer.base_learning_rate;
  plan.epochs = s.epochs;
  plan.steps_per_epoch = s.steps_per_epoch;
  return plan;
}

void divide_epochs(RulePlan& plan, const CommonSettings& s, std::int64_t ranks) {
  plan.epochs = s.epochs / ranks;
  const auto left = s.epochs % ranks;
  if (left == 0) return;
  plan.remainder = cat(s.epochs, " epochs divided by ", ranks, " ranks give ", plan.epochs, "; ",
                       left * requested_samples_per_epoch(s), " samples (", left, " of ", s.epochs,
                       " one-rank epochs) are left out");
}

void divide_steps(RulePlan& plan, const CommonSettings& s, std::int64_t ranks) {
  plan.steps_per_epoch = s.steps_per_epoch / ranks;
  const auto left = s.steps_per_epoch % ranks;
  if (left == 0) return;
  plan.remainder = cat(s.steps_per_epoch, " steps per epoch divided by ", ranks, " ranks give ",
                       plan.steps_per_epoch, "; ", left * s.local_batch_size, " of ",
                       requested_samples_per_epoch(s), " samples of every epoch are left out");
}

/// Patience and the like, in epochs: kept, or kept constant in samples.
std::int64_t scaled_epochs(std::int64_t epochs, const CommonSettings& s, const RulePlan& plan) {
  if (s.schedule.patience_rule == "epochs" || epochs == 0) return epochs;
  const auto samples = static_cast<double>(epochs * requested_samples_per_epoch(s));
  const auto per_epoch = static_cast<double>(plan.global_batch_size * plan.steps_per_epoch);
  return std::max<std::int64_t>(1, std::llround(samples / per_epoch));
}

void add_plateau_setting(RulePlan& plan,
                         const CommonSettings& s,
                         std::string name,
                         std::int64_t requested,
                         std::int64_t resolved) {
  const auto reason = s.schedule.patience_rule == "epochs"
                          ? "schedule.patience_rule is epochs: not scaled, as in the source works"
                          : "schedule.patience_rule is samples: constant in samples, rounded";
  plan.time_like.push_back({std::move(name), static_cast<double>(requested),
                            static_cast<double>(resolved), requested != resolved, reason});
}

void add_unscaled(RulePlan& plan, std::string name, double value, std::string reason) {
  plan.time_like.push_back({std::move(name), value, value, false, std::move(reason)});
}

void add_time_like(RulePlan& plan, const CommonSettings& s) {
  plan.patience_epochs = scaled_epochs(s.schedule.patience_epochs, s, plan);
  plan.cooldown_epochs = scaled_epochs(s.schedule.cooldown_epochs, s, plan);
  add_plateau_setting(plan, s, "schedule.patience_epochs", s.schedule.patience_epochs,
                      plan.patience_epochs);
  add_plateau_setting(plan, s, "schedule.cooldown_epochs", s.schedule.cooldown_epochs,
                      plan.cooldown_epochs);
  constexpr auto per_step = "counts steps, not samples; no source work scales it";
  add_unscaled(plan, "optimizer.beta1", s.optimizer.beta1, per_step);
  add_unscaled(plan, "optimizer.beta2", s.optimizer.beta2, per_step);
  add_unscaled(plan, "batch_norm_momentum", 1, per_step);
}

RulePlan finish(RulePlan plan, const CommonSettings& s, std::string_view rule) {
  const auto ranks = plan.local_batch_sizes.size();
  if (plan.epochs < 1 || plan.steps_per_epoch < 1) {
    const auto* what = plan.epochs < 1 ? "epochs" : "steps per epoch";
    throw BadInput({cat("rule ", rule, " leaves 0 ", what, " for ", ranks, " ranks"),
                    cat("it divides the ", what, " by the number of ranks"),
                    cat("Ask for at least ", ranks, " ", what, ", or fewer ranks")});
  }
  plan.global_batch_size = std::accumulate(plan.local_batch_sizes.begin(),
                                           plan.local_batch_sizes.end(), std::int64_t{0});
  plan.samples = plan.global_batch_size * plan.epochs * plan.steps_per_epoch;
  plan.requested_samples = requested_samples_per_epoch(s) * s.epochs;
  plan.warmup_samples = std::min(plan.warmup_samples, plan.samples);
  add_time_like(plan, s);
  return plan;
}

RulePlan linear_fixed_samples(const CommonSettings& s, std::int64_t ranks) {
  auto plan = constant_local_batch(s, ranks);
  plan.learning_rate *= static_cast<double>(ranks);
  divide_epochs(plan, s, ranks);
  return finish(std::move(plan), s, "linear_fixed_samples");
}

RulePlan linear_fixed_epochs(const CommonSettings& s, std::int64_t ranks) {
  auto plan = constant_local_batch(s, ranks);
  plan.learning_rate *= static_cast<double>(ranks);
  divide_steps(plan, s, ranks);
  return finish(std::move(plan), s, "linear_fixed_epochs");
}

RulePlan linear_warmup(const CommonSettings& s, std::int64_t ranks) {
  auto plan = constant_local_batch(s, ranks);
  plan.learning_rate *= static_cast<double>(ranks);
  divide_steps(plan, s, ranks);
  if (ranks > 1) plan.warmup_samples = warmup_epochs * requested_samples_per_epoch(s);
  return finish(std::move(plan), s, "linear_warmup");
}

RulePlan sqrt_fixed_epochs(const CommonSettings& s, std::int64_t ranks) {
  auto plan = constant_local_batch(s, ranks);
  plan.learning_rate *= std::sqrt(static_cast<double>(ranks));
  divide_steps(plan, s, ranks);
  return finish(std::move(plan), s, "sqrt_fixed_epochs");
}

RulePlan batch_only(const CommonSettings& s, std::int64_t ranks) {
  auto plan = constant_local_batch(s, ranks);
  divide_steps(plan, s, ranks);
  return finish(std::move(plan), s, "batch_only");
}

RulePlan strong(const CommonSettings& s, std::int64_t ranks) {
  auto plan = constant_local_batch(s, ranks);
  const auto share = s.local_batch_size / ranks;
  const auto larger = s.local_batch_size % ranks;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    plan.local_batch_sizes[static_cast<std::size_t>(rank)] = share + (rank < larger ? 1 : 0);
  }
  if (larger > 0) {
    plan.remainder =
        cat(s.local_batch_size, " samples per step divided by ", ranks, " ranks: ", larger,
            " ranks take ", share + 1, ", the others ", share, "; nothing is left out");
  }
  return finish(std::move(plan), s, "strong");
}

}  // namespace

std::span<const ScalingRule> scaling_rules() {
  static constexpr std::array rules{
      ScalingRule{"linear_fixed_samples",
                  "local batch constant, learning rate × N, epochs ÷ N, steps per epoch constant",
                  "BiAPoL/blog, multi-gpu-training @ eb16d1e", linear_fixed_samples},
      ScalingRule{"linear_fixed_epochs",
                  "local batch constant, learning rate × N, epochs constant, steps ÷ N",
                  "oekosheri/tensorflow_unet_scaling @ 0d98a63", linear_fixed_epochs},
      ScalingRule{"linear_warmup",
                  "as linear_fixed_epochs, after a ramp over the samples of 5 epochs",
                  "Goyal et al. 2017, arXiv 1706.02677", linear_warmup},
      ScalingRule{"sqrt_fixed_epochs",
                  "local batch constant, learning rate × √N, epochs constant, steps ÷ N",
                  "Krizhevsky 2014, arXiv 1404.5997; Hoffer et al. 2017, arXiv 1705.08741",
                  sqrt_fixed_epochs},
      ScalingRule{"batch_only",
                  "local batch constant, learning rate constant, epochs constant, steps ÷ N",
                  "saturncloud/examples @ cef5097, tensorflow-comparison", batch_only},
      ScalingRule{"strong", "global batch, learning rate, epochs and steps constant",
                  "saturncloud/examples @ cef5097, tensorflow-multigpu", strong}};
  return rules;
}

const ScalingRule& scaling_rule(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& rule : scaling_rules()) {
    if (rule.name == name) return rule;
    names.emplace_back(rule.name);
  }
  const auto near = nearest(name, names);
  throw BadInput({cat("unknown scaling rule '", name, "'"), cat("known are ", join(names, ", ")),
                  near.empty() ? "Use one of them" : cat("Perhaps '", near, "' is meant")});
}

}  // namespace scalestudy
