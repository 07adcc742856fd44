#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.hpp"

#include "engine/input_pipeline.hpp"

namespace scalestudy {
namespace {

/// Batches as bytes: what one broadcast carries to all ranks.
class BatchBytes {
 public:
  void clear() { bytes_.clear(); }

  void append(const HostBatch& batch) {
    append_value(batch.sample_count);
    append_value(batch.loss_weight);
    append_value(static_cast<std::int64_t>(batch.arrays.size()));
    for (const auto& array : batch.arrays) {
      append_value(static_cast<std::int64_t>(array.shape.size()));
      for (const auto side : array.shape) append_value(side);
      append_bytes(array.values.data(), array.values.size() * sizeof(float));
    }
  }

  void start_reading() { at_ = 0; }

  void read(HostBatch& batch) {
    read_value(batch.sample_count);
    read_value(batch.loss_weight);
    batch.arrays.resize(static_cast<std::size_t>(read_count()));
    for (auto& array : batch.arrays) {
      std::vector<std::int64_t> shape(static_cast<std::size_t>(read_count()));
      for (auto& side : shape) read_value(side);
      array.resize(std::move(shape));
      read_bytes(array.values.data(), array.values.size() * sizeof(float));
    }
  }

  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  template <class T>
  void append_value(const T& value) {
    append_bytes(&value, sizeof(value));
  }
  void append_bytes(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <class T>
  void read_value(T& value) {
    read_bytes(&value, sizeof(value));
  }
  std::int64_t read_count() {
    std::int64_t count = 0;
    read_value(count);
    return count;
  }
  void read_bytes(void* data, std::size_t size) {
    SCALESTUDY_EXPECT(at_ + size <= bytes_.size());
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Rank 0's courier thread makes the batches of all ranks, one after the other, and broadcasts
/// them; each rank's courier puts its own part into a bounded queue.
class SerialInput final : public InputPipeline {
 public:
  explicit SerialInput(InputContext context)
      : context_(std::move(context)),
        wanted_(context_.first.value()),
        courier_([this] { carry(); }) {}

  ~SerialInput() override {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    courier_.join();
  }

  const HostBatch& take(StepIndex step) override {
    std::unique_lock lock(mutex_);
    spare_.push_back(std::move(current_));
    wanted_ = step.value();
    const auto ready_count = std::ssize(queue_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !queue_.empty() || error_; });
    if (queue_.empty()) std::rethrow_exception(error_);
    current_ = std::move(queue_.front().batch);
    times_ = queue_.front().times;
    times_.ready_count = ready_count;
    queue_.pop_front();
    return current_;
  }

 private:
  void carry() {
    try {
      for (auto step = context_.first; step < context_.end; ++step) {
        if (!wait_for_room(step)) return;
        deliver(step);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
  }

  /// All ranks take the same steps, so all couriers stop behind the same one: the queue is filled
  /// before a stop counts, and nobody is left alone in a broadcast.
  bool wait_for_room(StepIndex step) {
    std::unique_lock lock(mutex_);
    const auto has_room = [&] {
      return step.value() <= wanted_ + context_.settings.prefetch_batches;
    };
    changed_.wait(lock, [&] { return stop_ || has_room(); });
    return has_room();
  }

  void deliver(StepIndex step) {
    BatchTimes times;
    if (context_.rank == Rank(0)) {
      const Stopwatch making;
      make_all(step);
      times.make_s = making.elapsed_s();
    }
    times.hand_over_s = broadcast();
    auto batch = take_spare();
    bytes_.start_reading();
    for (std::int64_t rank = 0; rank <= context_.rank.value(); ++rank) bytes_.read(batch);
    const std::scoped_lock lock(mutex_);
    queue_.push_back({std::move(batch), times});
    changed_.notify_all();
  }

  void make_all(StepIndex step) {
    bytes_.clear();
    for (std::int64_t rank = 0; rank < context_.world_size.value(); ++rank) {
      context_.make(shard_of(Rank(rank), context_.world_size, step, context_.layout), made_);
      bytes_.append(made_);
    }
  }

  /// Returns how long it moved data [s].
  double broadcast() {
    if (!context_.comm) return 0;
    std::vector<std::int64_t> size{static_cast<std::int64_t>(bytes_.bytes().size())};
    const auto announced = context_.comm->broadcast(view_of(std::span(size)), Rank(0));
    bytes_.bytes().resize(static_cast<std::size_t>(size[0]));
    const auto moved = context_.comm->broadcast(view_of(std::span(bytes_.bytes())), Rank(0));
    return announced.transfer_s() + moved.transfer_s();
  }

  HostBatch take_spare() {
    const std::scoped_lock lock(mutex_);
    if (spare_.empty()) return {};
    auto batch = std::move(spare_.front());
    spare_.pop_front();
    return batch;
  }

  InputContext context_;
  BatchBytes bytes_;
  HostBatch made_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::int64_t wanted_;  ///< step in use, or waited for
  std::exception_ptr error_;
  struct Delivered {
    HostBatch batch;
    BatchTimes times;
  };
  std::deque<Delivered> queue_;
  std::deque<HostBatch> spare_;
  HostBatch current_;
  std::thread courier_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<InputPipeline> make_serial_input(const InputContext& context) {
  SCALESTUDY_EXPECT(context.world_size == WorldSize(1) || context.comm.has_value());
  return std::make_unique<SerialInput>(context);
}

}  // namespace scalestudy
