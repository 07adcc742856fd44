#include "engine/run_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.hpp"

#include "engine/gathered_rows.hpp"

namespace scalestudy {
namespace {

/// Far below the 5 s that a crash may cost, so that a sudden five-fold slow-down stays within them.
constexpr double flush_interval_s = 1.0;

StepRow step_row(const StepTimes& times, const StepFacts& facts) {
  const auto phase = [&](Phase which) { return times.phase_s[static_cast<std::size_t>(which)]; };
  return {.step_s = times.step_s,
          .input_wait_s = phase(Phase::input_wait),
          .host_to_device_s = phase(Phase::host_to_device),
          .device_step_s = phase(Phase::device_step),
          .forward_s = phase(Phase::forward),
          .backward_s = phase(Phase::backward),
          .exposed_communication_s = phase(Phase::exposed_communication),
          .phase_wait_s = times.phase_wait_s,
          .phase_transfer_s = times.phase_transfer_s,
          .optimizer_s = phase(Phase::early_update) + phase(Phase::optimizer),
          .early_update_s = phase(Phase::early_update),
          .other_s = times.other_s(),
          .start_s = times.start_s,
          .ready_s = times.ready_s,
          .released_s = times.released_s,
          .batch_make_s = facts.batch.make_s,
          .batch_hand_over_s = facts.batch.hand_over_s,
          .recording_s = facts.recording.total_s,
          .recording_wait_s = facts.recording.wait_s,
          .saving_s = facts.recording.saving_s,
          .evaluation_s = facts.recording.evaluation_s,
          .link_model_s = facts.link.model_s,
          .link_excess_s = facts.link.excess_s,
          .cpu_time_s = facts.load.cpu_time_s,
          .run_queue_wait_s = facts.load.run_queue_wait_s,
          // A rank without samples in this step has no loss of its own.
          .loss = facts.loss_weight > 0 ? facts.results.loss_sum / facts.loss_weight : not_recorded,
          .loss_weight = facts.loss_weight,
          .local_gradient_square_norm = facts.results.local_gradient_square_norm,
          .global_gradient_square_norm = facts.results.global_gradient_square_norm,
          .learning_rate = facts.learning_rate,
          .sample_count = facts.sample_count,
          .epoch = facts.epoch,
          .batch_ready_count = facts.batch.ready_count,
          .involuntary_switches_count = facts.load.involuntary_switches_count,
          .major_faults_count = facts.load.major_faults_count};
}

/// Until the last gradient of the slowest rank is ready, the others wait for it; only then is
/// anybody waiting for data to move (METRICS.md#waiting-and-transfer). Collective.
void split_blocked_time(const Communicator& comm, std::vector<StepRow>& rows) {
  std::vector<double> last_ready_s;
  for (const auto& row : rows) last_ready_s.push_back(row.ready_s);
  comm.all_reduce(view_of(std::span(last_ready_s)), ReduceOp::max);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    const double blocked_s = row.released_s - row.exposed_communication_s;
    row.peer_wait_s = std::max(std::min(last_ready_s[i], row.released_s) - blocked_s, 0.0);
    row.exposed_transfer_s = row.exposed_communication_s - row.peer_wait_s;
  }
}

/// Collective.
void require_alike(const Communicator& comm, const std::vector<double>& sizes_bytes) {
  auto largest = sizes_bytes;
  comm.all_reduce(view_of(std::span(largest)), ReduceOp::max);
  const double differs = largest == sizes_bytes ? 0 : 1;
  if (all_reduce_value(comm, differs, ReduceOp::max) == 0) return;
  throw RunFailed({"the ranks summed buckets of different sizes",
                   "sums of different numbers of elements are wrong on all ranks",
                   "Report this with the study: the strategy made different buckets"});
}

}  // namespace

RunRecorder::RunRecorder(Communicator comm, RunFileWriter* writer, StepClock& clock)
    : comm_(std::move(comm)), writer_(writer), clock_(clock) {}

void RunRecorder::add_step(std::span<const BucketMarks> buckets) {
  marks_.emplace_back(buckets.begin(), buckets.end());
  ++collected_;
}

void RunRecorder::resolve_buckets() {
  for (const auto& step : std::exchange(marks_, {})) {
    auto& buckets = buckets_.emplace_back();
    for (const auto& bucket : step) {
      const double entered_s = clock_.seconds(bucket.entered);
      buckets.push_back({.rank = comm_.rank().value(),
                         .bucket = static_cast<std::int64_t>(buckets.size()),
                         .size_bytes = bucket.size_bytes,
                         .ready_s = clock_.seconds(bucket.ready),
                         .entered_s = entered_s,
                         .all_arrived_s = entered_s + bucket.wait_s,
                         .left_s = clock_.seconds(bucket.left),
                         .cpu_s = bucket.cpu_s});
    }
  }
}

/// Where nobody has seen the other ranks come: all had come when the last rank entered, on one
/// clock. Which ones these are is the same on all ranks. Collective. Errors: RunFailed when ranks
/// summed buckets of different sizes, which a device does without a word.
void RunRecorder::find_arrivals(std::vector<StepTimes>& times) {
  std::vector<double> last_entered_s, sizes_bytes;
  for (const auto& step : buckets_)
    for (const auto& bucket : step) {
      if (!std::isnan(bucket.all_arrived_s)) continue;
      last_entered_s.push_back(bucket.entered_s);
      sizes_bytes.push_back(static_cast<double>(bucket.size_bytes));
    }
  for (const auto& step : times)
    for (const auto& span : step.spans) last_entered_s.push_back(span.entered_s);
  if (last_entered_s.empty()) return;
  require_alike(comm_, sizes_bytes);
  comm_.all_reduce(view_of(std::span(last_entered_s)), ReduceOp::max);
  auto last_s = last_entered_s.begin();
  for (auto& step : buckets_)
    for (auto& bucket : step)
      if (std::isnan(bucket.all_arrived_s))
        bucket.all_arrived_s = std::min(*last_s++, bucket.left_s);
  for (auto& step : times)
    for (const auto& span : std::exchange(step.spans, {})) {
      const double all_arrived_s = std::min(*last_s++, span.left_s);
      step.phase_wait_s += all_arrived_s - span.entered_s;
      step.phase_transfer_s += span.left_s - all_arrived_s;
    }
}

void RunRecorder::flush(std::vector<StepTimes> times, const std::vector<StepFacts>& facts) {
  find_arrivals(times);
  auto mine = step_rows(times, facts);
  split_blocked_time(comm_, mine);
  const auto steps = gathered(comm_, mine);
  const auto buckets = gathered(comm_, bucket_rows(times));
  if (writer_ != nullptr) {
    written_ = true;
    writer_->append_steps(collected_, steps);
    writer_->append_buckets(buckets);
    writer_->flush();
  }
  choose_next_flush(times);
  first_step_ += collected_;
  collected_ = 0;
  written_ = false;
  buckets_.clear();
}

void RunRecorder::flush_alone(const std::vector<StepTimes>& times,
                              const std::vector<StepFacts>& facts) {
  if (writer_ == nullptr || times.empty() || written_) return;
  const auto steps = std::min(times.size(), facts.size());
  auto rows = step_rows(std::span(times).first(steps), std::span(facts).first(steps));
  rows.resize(steps * comm_.world_size().index());  // nothing is known of the others
  writer_->append_steps(static_cast<std::int64_t>(steps), rows);
  writer_->flush();
}

std::vector<StepRow> RunRecorder::step_rows(std::span<const StepTimes> times,
                                            std::span<const StepFacts> facts) const {
  SCALESTUDY_EXPECT(times.size() == facts.size());
  std::vector<StepRow> rows;
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto& row = rows.emplace_back(step_row(times[i], facts[i]));
    if (i >= buckets_.size() || buckets_[i].empty()) continue;
    row.ready_s = std::ranges::max(buckets_[i], {}, &BucketRow::ready_s).ready_s;
  }
  return rows;
}

std::vector<BucketRow> RunRecorder::bucket_rows(const std::vector<StepTimes>& times) const {
  std::vector<BucketRow> rows;
  for (std::size_t i = 0; i < buckets_.size() && i < times.size(); ++i) {
    for (auto row : buckets_[i]) {
      row.step = first_step_ + static_cast<std::int64_t>(i);
      for (auto* time_s : {&row.ready_s, &row.entered_s, &row.all_arrived_s, &row.left_s})
        *time_s -= times[i].start_s;
      rows.push_back(row);
    }
  }
  return rows;
}

void RunRecorder::choose_next_flush(const std::vector<StepTimes>& times) {
  if (times.empty()) return;  // on all ranks alike
  const double mean_step_s =
      std::accumulate(times.begin(), times.end(), 0.0,
                      [](double sum, const StepTimes& t) { return sum + t.step_s; }) /
      static_cast<double>(times.size());
  // Rank 0 decides for all, so that all ranks meet in the same collective.
  std::vector<double> steps{
      std::clamp(std::floor(flush_interval_s / std::max(mean_step_s, 1e-6)), 1.0, 1000.0)};
  comm_.broadcast(view_of(std::span<double>(steps)), Rank(0));
  next_flush_ = static_cast<std::int64_t>(steps[0]);
}

}  // namespace scalestudy
