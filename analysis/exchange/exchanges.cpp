#include "analysis/exchange/exchanges.hpp"

#include <array>
#include <optional>

namespace scalestudy {
namespace {

/// Elsewhere a bucket goes by several collectives, or to some ranks only.
bool is_all_reduced(const RunSpec& spec) {
  return properties_of(spec.reduction).updating == Updating::everywhere &&
         spec.reduction != Reduction::reduce_to_one && spec.reduction != Reduction::none;
}

constexpr std::array bucket_times{
    &BucketExchange::ready_s,        &BucketExchange::entered_s,
    &BucketExchange::all_arrived_s,  &BucketExchange::left_s,
    &BucketExchange::exposed_s,      &BucketExchange::slowest_transfer_s,
    &BucketExchange::idle_transfer_s};
constexpr std::array step_times{&Exchange::overlap_s, &Exchange::best_exposed_s};

/// Times of buckets weighted with how many ranks and steps have them.
Exchange weighted(Exchange one) {
  for (auto& bucket : one.buckets)
    for (const auto time : bucket_times) bucket.*time *= bucket.share;
  return one;
}

/// Adds what is to be divided by the number of launches, or by the weights.
void add(Exchange& sum, const Exchange& one) {
  for (std::size_t i = 0; i < sum.buckets.size(); ++i) {
    auto& bucket = sum.buckets[i];
    const auto& other = one.buckets[i];
    bucket.share += other.share;
    for (const auto time : bucket_times) bucket.*time += other.share * other.*time;
    if (bucket.size_bytes != other.size_bytes) bucket.size_bytes = not_available;
  }
  for (auto& time : sum.probe) time.transfer_s += probed_transfer_s(one.probe, time.size_bytes);
  for (const auto time : step_times) sum.*time += one.*time;
  ++sum.launches;
}

void divide_by_launches(Exchange& sum) {
  const auto launches = static_cast<double>(sum.launches);
  for (auto& bucket : sum.buckets) {
    for (const auto time : bucket_times) bucket.*time /= bucket.share;
    bucket.share /= launches;
  }
  for (auto& time : sum.probe) time.transfer_s /= launches;
  for (const auto time : step_times) sum.*time /= launches;
}

}  // namespace

std::vector<Exchange> exchanges(const Series& series) {
  std::vector<Exchange> all;
  if (!is_all_reduced(series.spec)) return all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    std::optional<Exchange> sum;
    for (const Run* run : runs) {
      const auto& one = run->digest.exchange;
      if (!run->is_timing_data() || !one) continue;
      if (!sum)
        sum = weighted(*one);
      else if (one->buckets.size() == sum->buckets.size())
        add(*sum, *one);
    }
    if (!sum) continue;
    divide_by_launches(*sum);
    all.push_back(*sum);
  }
  return all;
}

}  // namespace scalestudy
