#include "conformance/stream_cases.hpp"

#include <array>
#include <vector>

#include "core/text.hpp"

#include "conformance/device_memory.hpp"

namespace scalestudy {

namespace {

constexpr std::int64_t bucket_bytes = 300'000;

/// A stream that computes, and device memory that it fills.
class Computing {
 public:
  explicit Computing(const NcclRank& rank)
      : rank_(rank),
        copies_(rank.device),
        ballast_(rank.device->allocate(ByteCount(4 * mib))),
        bucket_(rank.device->allocate(ByteCount(bucket_bytes))) {}

  [[nodiscard]] BufferView bucket() const {
    return {bucket_.get(), ElementCount(bucket_bytes), DataType::uint8};
  }
  [[nodiscard]] CudaStream stream() const { return copies_.stream(); }

  /// The device falls behind the host.
  void dawdle() {
    for (int i = 0; i < 10; ++i) fill(ballast_.get(), i, 4 * mib);
  }

  /// The event after which the bucket holds `value` everywhere.
  [[nodiscard]] std::shared_ptr<DeviceEvent> fill_bucket(int value) {
    fill(bucket_.get(), value, bucket_bytes);
    return rank_.device->event_on(stream());
  }

  void use_after(const StartedCollective& started) {
    rank_.device->make_wait(stream(), started.ended->get());
  }

  /// In the stream; what is not `value`.
  [[nodiscard]] std::string differs_from(int value) {
    std::vector<std::uint8_t> there(static_cast<std::size_t>(bucket_bytes));
    copies_.copy(there.data(), bucket_.get(), ByteCount(bucket_bytes));
    for (const std::uint8_t each : there)
      if (each != value) return cat("a sum on the stream is ", int{each}, ", not ", value);
    return "";
  }

 private:
  void fill(std::byte* memory, int value, std::int64_t bytes) {
    rank_.device->check(
        rank_.device->api().set_async(memory, value, static_cast<std::size_t>(bytes), stream()),
        "cudaMemsetAsync");
  }

  const NcclRank& rank_;
  DeviceCopies copies_;
  std::shared_ptr<std::byte> ballast_;
  std::shared_ptr<std::byte> bucket_;
};

int value_of(std::int64_t rank, std::int64_t step) {
  return static_cast<int>(1 + rank + step % 7);
}

int sum_of_values(std::int64_t world, std::int64_t step) {
  int sum = 0;
  for (std::int64_t rank = 0; rank < world; ++rank) sum += value_of(rank, step);
  return sum;
}

/// The host only launches: computing, summing and using the sum follow each other on the device.
std::string sums_follow_what_is_computed(const NcclRank& rank) {
  Computing computing(rank);
  const auto me = rank.nccl->rank().value();
  std::string finding;
  for (std::int64_t step = 0; step < 20; ++step) {
    computing.dawdle();
    const auto filled = computing.fill_bucket(value_of(me, step));
    const auto started = rank.nccl->start(all_reduce_of(computing.bucket()), filled->get());
    computing.use_after(started);
    const auto differs =
        computing.differs_from(sum_of_values(rank.nccl->world_size().value(), step));
    if (finding.empty()) finding = differs;
  }
  return finding;
}

/// Several before the first is awaited, and blocking ones of the same communicator among them.
std::string several_are_in_flight(const NcclRank& rank) {
  std::vector<std::unique_ptr<Computing>> buckets;
  for (int i = 0; i < 3; ++i) buckets.push_back(std::make_unique<Computing>(rank));
  const auto me = rank.nccl->rank().value();
  const auto world = rank.nccl->world_size().value();
  std::string finding;
  for (std::int64_t step = 0; step < 10; ++step) {
    std::vector<StartedCollective> started;
    for (auto& bucket : buckets) {
      const auto filled = bucket->fill_bucket(value_of(me, step));
      started.push_back(rank.nccl->start(all_reduce_of(bucket->bucket()), filled->get()));
    }
    if (step % 3 == 0 && all_reduce_value(rank.comm, 1.0) != static_cast<double>(world))
      finding = "a blocking sum beside those on the stream is wrong";
    for (const auto& each : started) wait_for(*rank.nccl, each);
    for (auto& bucket : buckets) {
      const auto differs = bucket->differs_from(sum_of_values(world, step));
      if (finding.empty()) finding = differs;
    }
  }
  return finding;
}

constexpr std::array<StreamCase, 2> all_cases{{
    {"sums_follow_what_is_computed", sums_follow_what_is_computed},
    {"several_are_in_flight", several_are_in_flight},
}};

}  // namespace

void wait_for(CommunicatorInterface& comm, const StartedCollective& started) {
  started.ended->wait();
  comm.throw_if_aborted();  // an abort, too, lets the device go on
}

std::span<const StreamCase> stream_cases() {
  return all_cases;
}

}  // namespace scalestudy
