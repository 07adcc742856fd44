#include "workloads/collectives/measurement.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/hash.hpp"
#include "core/shuffle.hpp"

namespace scalestudy::collectives {
namespace {

/// However slow the link: a median of fewer is none.
constexpr std::int64_t fewest_calls = 3;
/// A killed run loses no more than that, and writing stays rare.
constexpr double longest_unwritten_s = 1;

}  // namespace

Measurement::Measurement(const Communicator& measured,
                         const Communicator& control,
                         Settings settings,
                         std::uint64_t seed,
                         StepClock& clock,
                         const std::shared_ptr<NcclDevice>& gpu)
    : rank_(measured.rank()), control_(control), settings_(std::move(settings)), seed_(seed) {
  std::int64_t most_bytes = 0;
  for (const auto& one : cases_of(settings_, measured.world_size().value())) {
    cases_.push_back({.what = one});
    most_bytes = std::max(most_bytes, one.size_bytes);
  }
  buffers_ = make_buffers(settings_.element_type, most_bytes, rank_, measured.world_size());
  caller_ = make_caller(measured, clock, gpu, most_bytes);
}

bool Measurement::Progress::is_warm(const Settings& settings) const {
  return calls >= settings.warmup_iterations || spent_s > settings.time_limit_s / 2;
}

bool Measurement::Progress::is_over(const Settings& settings) const {
  if (recorded >= settings.iterations) return true;
  if (recorded < fewest_calls) return false;
  const double with_one_more_s =
      spent_s * static_cast<double>(calls + 1) / static_cast<double>(calls);
  return with_one_more_s > settings.time_limit_s;
}

bool Measurement::is_over() const {
  return std::ranges::all_of(cases_, [&](const Progress& one) { return one.is_over(settings_); });
}

void Measurement::round(const std::function<void(CollectiveOperation)>& on_call) {
  const auto seed = mix64(seed_ ^ mix64(static_cast<std::uint64_t>(rounds_++)));
  for (const auto index : shuffled_order(cases_.size(), seed)) {
    auto& one = cases_[index];
    if (one.is_over(settings_)) continue;
    on_call(one.what.operation);
    call(one);
  }
  agree();
}

void Measurement::call(Progress& one) {
  const Stopwatch watch;
  const bool is_recorded = one.is_warm(settings_);
  buffers_->fill(one.what, one.calls);
  const auto times = caller_->call(*buffers_, one.what);
  if (is_recorded)
    rows_.push_back(
        {.rank = rank_.value(),
         .operation = static_cast<std::int64_t>(one.what.operation),
         .size_bytes = one.what.size_bytes,
         .iteration = one.recorded++,
         .wait_s = times.wait_s(),
         .transfer_s = times.transfer_s(),
         .wrong_count = settings_.check ? buffers_->wrong_count(one.what, one.calls) : -1});
  ++one.calls;
  one.spent_s += watch.elapsed_s();
}

/// Who has had enough, and whether to write: decided by the slowest rank.
void Measurement::agree() {
  std::vector<double> times_s{since_taken_.elapsed_s()};
  for (const auto& one : cases_) times_s.push_back(one.spent_s);
  control_.all_reduce(view_of(std::span(times_s)), ReduceOp::max);
  is_due_ = times_s.front() > longest_unwritten_s;
  for (std::size_t i = 0; i < cases_.size(); ++i) cases_[i].spent_s = times_s[i + 1];
}

std::vector<CollectiveRow> Measurement::take_rows() {
  since_taken_ = {};
  is_due_ = false;
  return std::exchange(rows_, {});
}

}  // namespace scalestudy::collectives
