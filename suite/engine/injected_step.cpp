#include "engine/injected_step.hpp"

#include <cmath>
#include <csignal>
#include <new>
#include <numbers>

#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/injection_reach.hpp"

#include "data/random.hpp"
#include "record/study_folder/earlier_attempt.hpp"

namespace scalestudy {

InjectedStep::InjectedStep(StepWork& work, RankServices& services)
    : work_(work),
      services_(services),
      stretch_(*services.comms.stretch),
      injections_(injections_on(services.spec, services.comms.control.rank().value())),
      is_first_attempt_(!has_earlier_attempt(services.run_folder)) {}

void InjectedStep::prepare_batch(const StepPlan& plan) {
  step_ = plan.step;
  work_.prepare_batch(plan);
  stretch_.set_factor(compute_factor());
}

void InjectedStep::replay() {
  strike();
  work_.replay();
}

void InjectedStep::forward() {
  strike();
  stretch_.begin();
  work_.forward();
  stretch_.lengthen();
  if (spoils_loss()) work_.spoil_loss();
}

void InjectedStep::backward() {
  stretch_.begin();
  work_.backward();
  stretch_.lengthen();
}

void InjectedStep::update() {
  work_.update();
  for (const auto& injection : injections_)
    if (injection.fault == Fault::slow_optimizer) stretch_.pass(Seconds(injection.time_s));
}

double InjectedStep::compute_factor() const {
  const double since_start_s = now_s() - services_.clock.origin_s();
  double factor = 1;
  for (const auto& injection : injections_) {
    const double into_s = since_start_s - injection.start_s;
    if (injection.fault == Fault::slow_rank) factor *= injection.factor;
    if (injection.fault == Fault::burst && into_s >= 0 && into_s < injection.time_s)
      factor *= injection.factor;
    if (injection.fault == Fault::jitter)
      factor *= 1 + jitter_frac(injection.spread_frac, services_.spec.repeat_seed(),
                                services_.comms.control.rank(), step_);
  }
  return factor;
}

bool InjectedStep::is_due(const Injection& injection) const {
  return is_first_attempt_ && happens_once(injection.fault) && step_.value() == injection.step;
}

/// What ends a rank does so at the beginning of a pass: its peers are about to wait for it.
void InjectedStep::strike() {
  for (const auto& injection : injections_) {
    if (!is_due(injection)) continue;
    services_.log.info(cat("injected on purpose: ", to_text(injection)));
    if (injection.fault == Fault::kill) ::raise(SIGKILL);
    if (injection.fault == Fault::stop) ::raise(SIGSTOP);
    if (injection.fault == Fault::oom) throw std::bad_alloc();
  }
}

bool InjectedStep::spoils_loss() const {
  for (const auto& injection : injections_)
    if (injection.fault == Fault::nan && is_due(injection)) return true;
  return false;
}

std::unique_ptr<StepWork> injected_step(StepWork& work, RankServices& services) {
  if (services.spec.injections.empty()) return nullptr;
  return std::make_unique<InjectedStep>(work, services);
}

double normal_of_step(std::uint64_t seed, Rank rank, StepIndex step) {
  const auto stream =
      mix64(static_cast<std::uint64_t>(rank.value())) ^ static_cast<std::uint64_t>(step.value());
  return Random(seed, stream).normal();
}

double jitter_frac(double spread_frac, std::uint64_t seed, Rank rank, StepIndex step) {
  // |z| of a standard normal z deviates by √(1 − 2/π).
  const double scale = spread_frac / std::sqrt(1 - 2 / std::numbers::pi);
  return scale * std::abs(normal_of_step(seed, rank, step));
}

}  // namespace scalestudy
