#include "workloads/replay/replay_training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

#include "core/error.hpp"

#include "study/injection_reach.hpp"

#include "record/machine/thread_load.hpp"

#include "workloads/replay/emulation.hpp"

namespace scalestudy::replay {
namespace {

Clock::duration microseconds(double us) {
  return clock_time(Seconds(us * 1e-6));
}

/// What computing is timed by. A thread that spins counts what it had of a core, so that ranks
/// which share one take longer, as those of a real network do.
Clock::duration compute_clock(Pass pass) {
  if (pass == Pass::sleep) return Clock::now().time_since_epoch();
  return clock_time(Seconds(thread_cpu_time_s()));
}

/// `end`: of compute_clock().
void wait_until(Clock::duration end, Pass pass) {
  if (pass == Pass::sleep) return std::this_thread::sleep_until(Clock::time_point(end));
  while (compute_clock(pass) < end) continue;
}

void pass_time(Clock::duration time, Pass pass) {
  wait_until(compute_clock(pass) + time, pass);
}

}  // namespace

ReplayTraining::ReplayTraining(RankServices& services)
    : services_(services),
      spec_(services.spec),
      settings_(settings_from_json_text(spec_.workload_settings)),
      gradient_counts_(settings_.layer_parameters.rbegin(), settings_.layer_parameters.rend()),
      flat_(services.comms.gradients,
            static_cast<std::size_t>(
                std::accumulate(gradient_counts_.begin(), gradient_counts_.end(), 1LL)),
            spec_.settings),
      reduction_(
          stretched(make_reduction(spec_.reduction, reduction_context()), services.comms.stretch)),
      layout_(epoch_layout(spec_.plan)) {
  flat_.fill(1);
  owned_share_ = owned_share();
  if (services.comms.stretch)
    services.comms.stretch->compute_by(
        [pass = settings_.pass] { return compute_clock(pass); },
        [pass = settings_.pass](Clock::duration time) { pass_time(time, pass); });
}

ReductionContext ReplayTraining::reduction_context() {
  return {services_.comms.gradients, gradient_counts_, view_of(flat_.values()),
          services_.clock,           spec_.settings,   services_.comms.gradient_core};
}

void ReplayTraining::start(const RunProgress& from) {
  samples_seen_ = from.samples_seen;
  const auto& comm = services_.comms.control;
  const StepIndex end(spec_.plan.epochs * spec_.plan.steps_per_epoch);
  const auto make = [this](const Shard& shard, HostBatch& batch) { make_batch(shard, batch); };
  input_ = make_input(
      spec_.input, {make, layout_, comm.rank(), comm.world_size(), StepIndex(from.steps_done), end,
                    input_settings_on(spec_, comm.rank().value()), services_.comms.input});
}

double ReplayTraining::batch_share(std::int64_t sample_count) const {
  const auto timed =
      settings_.timed_batch_size > 0 ? settings_.timed_batch_size : spec_.settings.local_batch_size;
  return static_cast<double>(sample_count) / static_cast<double>(timed);
}

void ReplayTraining::make_batch(const Shard& shard, HostBatch& batch) const {
  const auto end = compute_clock(settings_.pass) +
                   microseconds(static_cast<double>(settings_.input_us) * batch_share(shard.count));
  batch.sample_count = shard.count;
  batch.loss_weight = static_cast<double>(shard.count);
  batch.arrays.resize(1);
  batch.arrays.front().resize({shard.count, settings_.sample_bytes / 4});
  wait_until(end, settings_.pass);
}

void ReplayTraining::prepare_batch(const StepPlan& plan) {
  const auto& batch = input_->take(plan.step);
  loss_weight_ = batch.loss_weight;
  samples_seen_ += global_count(plan.step, layout_);
  is_first_step_ = plan.step == StepIndex(0);
  pace_ = batch_share(plan.shard.count) *
          compute_factor(settings_, spec_.repeat_seed(), services_.comms.control.rank(), plan.step,
                         spec_.plan.epochs * spec_.plan.steps_per_epoch);
}

/// A sleep ends late by the kernel's timer slack, 50 us as a rule: of the layers of a pass that
/// must not add up. What a core did not get, computing would not get back either.
void ReplayTraining::compute(std::int64_t of_full_batch_us) {
  const auto end = compute_clock(settings_.pass) - overslept_ +
                   microseconds(static_cast<double>(of_full_batch_us) * pace_);
  wait_until(end, settings_.pass);
  if (settings_.pass == Pass::sleep) overslept_ = compute_clock(settings_.pass) - end;
}

/// Where a real network with synchronised batch norm would exchange its statistics.
void ReplayTraining::meet_in_layer() const {
  if (!services_.comms.batch_norm) return;
  std::vector<double> statistics(3, 1.0);
  services_.comms.batch_norm->all_reduce(view_of(std::span(statistics)));
}

void ReplayTraining::forward() {
  flat_.values().back() = static_cast<float>(loss_weight_);
  if (is_first_step_) pass_time(microseconds(settings_.first_step_us), settings_.pass);
  for (const auto layer_us : settings_.layer_forward_us) {
    compute(layer_us);
    meet_in_layer();
  }
  results_.push_back({loss_weight_ * invented_loss(settings_, spec_.repeat_seed(), samples_seen_)});
}

void ReplayTraining::spoil_loss() {
  results_.back().loss_sum = std::nan("");
}

void ReplayTraining::backward() {
  const auto& times_us = settings_.layer_backward_us;
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    compute(times_us[times_us.size() - 1 - i]);
    meet_in_layer();
    reduction_->gradient_ready(i);
  }
}

/// Of all gradients.
double ReplayTraining::owned_share() const {
  const auto count = std::ssize(flat_.values()) - 1;
  std::int64_t owned = 0;
  for (const auto& piece : reduction_->owned(count)) owned += piece.count;
  return count == 0 ? 1 : static_cast<double>(owned) / static_cast<double>(count);
}

void ReplayTraining::update_early(std::int64_t gradient_count) {
  early_share_ = static_cast<double>(gradient_count) /
                 static_cast<double>(std::max<std::int64_t>(1, std::ssize(flat_.values()) - 1));
  pass_time(microseconds(static_cast<double>(settings_.optimizer_us) * early_share_),
            settings_.pass);
}

/// Gradients stand in for parameters where these are given to others.
void ReplayTraining::update() {
  const auto share = owned_share_ - std::exchange(early_share_, 0.0);
  const auto end = compute_clock(settings_.pass) +
                   microseconds(static_cast<double>(settings_.optimizer_us) * share);
  flat_.fill(1);
  wait_until(end, settings_.pass);
  const auto parameters = flat_.values().first(flat_.values().size() - 1);
  services_.comms.inner->add(reduction_->share(view_of(parameters)), services_.clock);
}

std::vector<StepResults> ReplayTraining::take_results() {
  return std::exchange(results_, {});
}

void ReplayTraining::unite_replicas(std::int64_t /*sample_count*/) {
  services_.comms.control.barrier();
}

std::optional<AtomicFile> ReplayTraining::draft_checkpoint(const RunProgress&) {
  if (services_.comms.control.is_root())
    pass_time(microseconds(settings_.checkpoint_us), settings_.pass);
  return {};
}

Evaluation ReplayTraining::evaluation() const {
  return {.loss = invented_loss(settings_, spec_.repeat_seed(), samples_seen_),
          .sample_count = settings_.training_samples,
          .evaluation_set_hash = "replay"};
}

Evaluation ReplayTraining::evaluate(const HeartbeatCallback& heartbeat) {
  heartbeat();
  const auto ranks = static_cast<double>(services_.comms.control.world_size().value());
  pass_time(microseconds(settings_.evaluation_us / ranks), settings_.pass);
  return evaluation();
}

Evaluation ReplayTraining::finish(const HeartbeatCallback& heartbeat, FinalResults&) {
  return evaluate(heartbeat);
}

}  // namespace scalestudy::replay
