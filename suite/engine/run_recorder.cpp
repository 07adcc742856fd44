#include "engine/run_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.hpp"

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
          .optimizer_s = phase(Phase::optimizer),
          .other_s = times.other_s(),
          .start_s = times.start_s,
          // A rank without samples in this step has no loss of its own.
          .loss = facts.loss_weight > 0 ? facts.loss_sum / facts.loss_weight : not_recorded,
          .loss_weight = facts.loss_weight,
          .learning_rate = facts.learning_rate,
          .sample_count = facts.sample_count,
          .epoch = facts.epoch};
}

/// The rows of all ranks, rank after rank; as many of each. Collective.
template <class Row>
std::vector<Row> gathered(const Communicator& comm, const std::vector<Row>& mine) {
  std::vector<double> own;
  for (const auto& row : mine)
    for (const auto& column : columns_of<Row>) own.push_back(number_in(row, column));
  std::vector<double> all(own.size() * comm.world_size().index());
  comm.all_gather(const_view_of(std::span<const double>(own)), view_of(std::span<double>(all)));
  std::vector<Row> rows(mine.size() * comm.world_size().index());
  auto number = all.begin();
  for (auto& row : rows)
    for (const auto& column : columns_of<Row>) set_number(row, column, *number++);
  return rows;
}

std::vector<StepRow> step_rows(std::span<const StepTimes> times, std::span<const StepFacts> facts) {
  SCALESTUDY_EXPECT(times.size() == facts.size());
  std::vector<StepRow> rows;
  for (std::size_t i = 0; i < times.size(); ++i) rows.push_back(step_row(times[i], facts[i]));
  return rows;
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
    for (const auto& bucket : step)
      buckets.push_back({bucket.size_bytes, clock_.seconds(bucket.ready),
                         clock_.seconds(bucket.start), clock_.seconds(bucket.end)});
  }
}

void RunRecorder::flush(const std::vector<StepTimes>& times, const std::vector<StepFacts>& facts) {
  const auto steps = gathered(comm_, step_rows(times, facts));
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

std::vector<BucketRow> RunRecorder::bucket_rows(const std::vector<StepTimes>& times) const {
  std::vector<BucketRow> rows;
  for (std::size_t i = 0; i < buckets_.size() && i < times.size(); ++i) {
    const double step_start_s = times[i].start_s;
    for (std::size_t b = 0; b < buckets_[i].size(); ++b) {
      const auto& bucket = buckets_[i][b];
      rows.push_back({.rank = comm_.rank().value(),
                      .step = first_step_ + static_cast<std::int64_t>(i),
                      .bucket = static_cast<std::int64_t>(b),
                      .size_bytes = bucket.size_bytes,
                      .ready_s = bucket.ready_s - step_start_s,
                      .start_s = bucket.start_s - step_start_s,
                      .end_s = bucket.end_s - step_start_s});
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
