#include "engine/run_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace scalestudy {
namespace {

/// Far below the 5 s that a crash may cost, so that a sudden five-fold slow-down stays within them.
constexpr double flush_interval_s = 1.0;

const std::size_t step_columns = step_column::all().size();
const std::size_t bucket_columns = bucket_column::all().size();

std::size_t position_of(std::span<const Column> columns, const Column& column) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& other) { return other.name == column.name; });
  SCALESTUDY_EXPECT(found != columns.end());
  return static_cast<std::size_t>(found - columns.begin());
}

void fill_row(std::span<double> row, const StepTimes& times, const StepFacts& facts) {
  const auto set = [&](const Column& column, double value) {
    row[position_of(step_column::all(), column)] = value;
  };
  const auto phase = [&](Phase which) { return times.phase_s[static_cast<std::size_t>(which)]; };
  set(step_column::start_s, times.start_s);
  set(step_column::step_s, times.step_s);
  set(step_column::input_wait_s, phase(Phase::input_wait));
  set(step_column::host_to_device_s, phase(Phase::host_to_device));
  set(step_column::forward_s, phase(Phase::forward));
  set(step_column::backward_s, phase(Phase::backward));
  set(step_column::exposed_communication_s, phase(Phase::exposed_communication));
  set(step_column::optimizer_s, phase(Phase::optimizer));
  set(step_column::other_s, times.other_s());
  // A rank without samples in this step has no loss of its own.
  set(step_column::loss, facts.loss_weight > 0 ? facts.loss_sum / facts.loss_weight
                                               : std::numeric_limits<double>::quiet_NaN());
  set(step_column::loss_weight, facts.loss_weight);
  set(step_column::learning_rate, facts.learning_rate);
  set(step_column::sample_count, static_cast<double>(facts.sample_count));
  set(step_column::epoch, static_cast<double>(facts.epoch));
}

}  // namespace

RunRecorder::RunRecorder(Communicator comm, RunFileWriter* writer, double clock_origin_s)
    : comm_(std::move(comm)), writer_(writer), clock_origin_s_(clock_origin_s) {}

void RunRecorder::add_step(std::span<const BucketTimes> buckets) {
  buckets_.emplace_back(buckets.begin(), buckets.end());
  ++collected_;
}

void RunRecorder::flush(const std::vector<StepTimes>& times, const std::vector<StepFacts>& facts) {
  const auto steps = step_block(times, facts);
  const auto buckets = bucket_block(times);
  const auto world = static_cast<std::size_t>(comm_.world_size().value());
  std::vector<double> all_steps(steps.size() * world);
  std::vector<double> all_buckets(buckets.size() * world);
  comm_.all_gather(const_view_of(std::span<const double>(steps)),
                   view_of(std::span<double>(all_steps)));
  comm_.all_gather(const_view_of(std::span<const double>(buckets)),
                   view_of(std::span<double>(all_buckets)));
  if (writer_ != nullptr) {
    written_ = true;
    writer_->append_steps(collected_, all_steps);
    writer_->append_bucket_rows(all_buckets);
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
  const std::vector<StepTimes> own_times(times.begin(),
                                         times.begin() + static_cast<std::ptrdiff_t>(steps));
  const std::vector<StepFacts> own_facts(facts.begin(),
                                         facts.begin() + static_cast<std::ptrdiff_t>(steps));
  const auto block = step_block(own_times, own_facts);
  std::vector<double> padded(block.size() * comm_.world_size().index(),
                             std::numeric_limits<double>::quiet_NaN());
  std::copy(block.begin(), block.end(), padded.begin());
  writer_->append_steps(static_cast<std::int64_t>(steps), padded);
  writer_->flush();
}

std::vector<double> RunRecorder::step_block(const std::vector<StepTimes>& times,
                                            const std::vector<StepFacts>& facts) const {
  SCALESTUDY_EXPECT(times.size() == facts.size());
  std::vector<double> block(times.size() * step_columns);
  for (std::size_t i = 0; i < times.size(); ++i)
    fill_row(std::span(block).subspan(i * step_columns, step_columns), times[i], facts[i]);
  return block;
}

std::vector<double> RunRecorder::bucket_block(const std::vector<StepTimes>& times) const {
  std::vector<double> block;
  for (std::size_t i = 0; i < buckets_.size() && i < times.size(); ++i) {
    const double step_start_s = clock_origin_s_ + times[i].start_s;
    for (std::size_t b = 0; b < buckets_[i].size(); ++b) {
      const auto& bucket = buckets_[i][b];
      // In the order of bucket_column::all(): rank, step, bucket, size_bytes, ready_s, start_s,
      // end_s.
      block.insert(block.end(), {static_cast<double>(comm_.rank().value()),
                                 static_cast<double>(first_step_ + static_cast<std::int64_t>(i)),
                                 static_cast<double>(b), static_cast<double>(bucket.size_bytes),
                                 bucket.ready_s - step_start_s, bucket.start_s - step_start_s,
                                 bucket.end_s - step_start_s});
    }
  }
  SCALESTUDY_EXPECT(block.size() % bucket_columns == 0);
  return block;
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
