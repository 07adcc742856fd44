#include "engine/phase_timeline.hpp"

#include <chrono>
#include <cmath>
#include <numeric>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"

#include "record/machine/thread_load.hpp"

namespace scalestudy {
namespace {

std::size_t index_of(Phase phase) {
  return static_cast<std::size_t>(phase);
}

}  // namespace

const char* to_string(Phase phase) {
  constexpr std::array names{"input_wait", "host_to_device", "device_step",           "forward",
                             "backward",   "early_update",   "exposed_communication", "optimizer"};
  return names[index_of(phase)];
}

double StepTimes::other_s() const {
  double other_s = step_s - std::accumulate(phase_s.begin(), phase_s.end(), 0.0) - phase_wait_s -
                   phase_transfer_s;
  for (const auto& span : spans) other_s -= span.left_s - span.entered_s;
  return other_s;
}

PhaseTimeline::PhaseTimeline(StepClock& clock, Heartbeat* heartbeat, InnerCollectives* inner)
    : clock_(clock), heartbeat_(heartbeat), inner_(inner) {}

void PhaseTimeline::begin_step(std::int64_t step) {
  step_ = step;
  if (inner_ != nullptr) static_cast<void>(inner_->take());  // what came before is no part of it
  if (marks_.empty()) clock_.recycle();  // a pause may lie behind it, in which clocks drift apart
  marks_.emplace_back();
  marks_.back().begin = clock_.mark();
}

void PhaseTimeline::end_step() {
  SCALESTUDY_EXPECT(!marks_.empty());
  marks_.back().end = clock_.mark();
  marks_.back().finished = true;
}

PhaseTimeline::Scope::Scope(PhaseTimeline& timeline, Phase phase)
    : timeline_(timeline), phase_(phase) {
  SCALESTUDY_EXPECT(!timeline_.marks_.empty() && !timeline_.marks_.back().seen[index_of(phase)]);
  auto& marks = timeline_.marks_.back();
  marks.seen[index_of(phase)] = true;
  marks.phase_begin[index_of(phase)] = timeline_.clock_.mark();
  if (timeline_.heartbeat_ != nullptr)
    timeline_.heartbeat_->beat(to_string(phase), timeline_.step_);
}

PhaseTimeline::Scope::~Scope() {
  auto& marks = timeline_.marks_.back();
  if (timeline_.inner_ != nullptr) marks.inner[index_of(phase_)] = timeline_.inner_->take();
  try {
    marks.phase_end[index_of(phase_)] = timeline_.clock_.mark();
  } catch (...) {
    // A broken device cannot take marks; the error that broke it is already on its way up.
    marks.phase_end[index_of(phase_)] = marks.phase_begin[index_of(phase_)];
  }
}

std::vector<StepTimes> PhaseTimeline::take_finished() {
  std::vector<StepTimes> finished;
  finished.reserve(marks_.size());
  for (const auto& marks : marks_) {
    if (!marks.finished) continue;  // an error cut it short
    finished.push_back(times_of(marks));
  }
  marks_.clear();
  return finished;
}

StepTimes PhaseTimeline::times_of(const StepMarks& marks) {
  StepTimes times;
  times.start_s = clock_.seconds(marks.begin);
  times.step_s = clock_.seconds(marks.end) - times.start_s;
  for (std::size_t p = 0; p < phase_count; ++p) {
    if (!marks.seen[p]) continue;
    const double begin_s = clock_.seconds(marks.phase_begin[p]);
    const double end_s = clock_.seconds(marks.phase_end[p]);
    const auto& inner = marks.inner[p];
    times.phase_s[p] = end_s - begin_s - inner.wait_s - inner.transfer_s;
    times.phase_wait_s += inner.wait_s;
    times.phase_transfer_s += inner.transfer_s;
    for (const auto& [entered, left] : inner.on_stream) {
      times.spans.push_back({clock_.seconds(entered), clock_.seconds(left)});
      times.phase_s[p] -= times.spans.back().left_s - times.spans.back().entered_s;
    }
    const auto phase = static_cast<Phase>(p);
    if (phase == Phase::device_step || phase == Phase::backward) times.ready_s = end_s;
    if (phase == Phase::exposed_communication) times.released_s = end_s;
  }
  return times;
}

double measure_timeline_cost_s(StepClock& clock, Heartbeat& heartbeat) {
  constexpr int steps = 100;
  constexpr int rounds = 11;
  PhaseTimeline timeline(clock, &heartbeat);
  const ThreadLoadMeter meter;
  std::vector<double> costs_s;  // of which some may have lost their core
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    for (int i = 0; i < steps; ++i) {
      const auto load = meter.read();
      timeline.begin_step(-1);
      for (std::size_t p = 0; p < phase_count; ++p) (void)timeline.phase(static_cast<Phase>(p));
      timeline.end_step();
      (void)(meter.read() - load);
    }
    costs_s.push_back(watch.elapsed_s() / steps);
    clock.recycle();
  }
  return median(costs_s);
}

}  // namespace scalestudy
