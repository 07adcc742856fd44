#include "engine/input_pipeline.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace scalestudy {

InputPipeline::~InputPipeline() = default;

namespace {

Shard shard_in(const InputContext& context, StepIndex step) {
  return shard_of(context.rank, context.world_size, step, context.layout);
}

/// Holds every sample back for as long as the emulated cost says.
BatchMaker with_sample_cost(BatchMaker make, double sample_cost_s) {
  if (sample_cost_s <= 0) return make;
  return [make = std::move(make), sample_cost_s](const Shard& shard, HostBatch& batch) {
    const auto ready = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           Seconds(sample_cost_s * static_cast<double>(shard.count)));
    make(shard, batch);
    std::this_thread::sleep_until(ready);
  };
}

/// The batch is made in the step that wants it.
class InStepInput final : public InputPipeline {
 public:
  explicit InStepInput(InputContext context) : context_(std::move(context)) {}

  const HostBatch& take(StepIndex step) override {
    const Stopwatch making;
    context_.make(shard_in(context_, step), batch_);
    times_ = {.make_s = making.elapsed_s(), .ready_count = 0};
    return batch_;
  }

 private:
  InputContext context_;
  HostBatch batch_;
};

/// The first batch again and again: no input work, the right shapes.
class SyntheticInput final : public InputPipeline {
 public:
  explicit SyntheticInput(const InputContext& context) {
    context.make(shard_in(context, context.first), batch_);
    times_ = {.make_s = 0, .ready_count = 1};
  }
  const HostBatch& take(StepIndex) override { return batch_; }

 private:
  HostBatch batch_;
};

/// Worker threads make batches ahead, at most `prefetch_batches` beyond the one in use.
class PrefetchingInput final : public InputPipeline {
 public:
  explicit PrefetchingInput(InputContext context)
      : context_(std::move(context)),
        next_(context_.first.value()),
        wanted_(context_.first.value()) {
    try {
      for (std::int64_t i = 0; i < context_.settings.worker_threads; ++i)
        workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // a limit: no destructor will join those there are
      join_workers();
      throw;
    }
  }

  ~PrefetchingInput() override { join_workers(); }

  const HostBatch& take(StepIndex step) override {
    std::unique_lock lock(mutex_);
    spare_.push_back(std::move(current_));
    wanted_ = step.value();
    const auto ready_count = made_.contains(wanted_) ? std::ssize(made_) : 0;
    changed_.notify_all();
    changed_.wait(lock, [&] { return made_.contains(wanted_); });
    auto made = std::move(made_.extract(wanted_).mapped());
    if (made.error) std::rethrow_exception(made.error);
    times_ = {.make_s = made.make_s, .ready_count = ready_count};
    current_ = std::move(made.batch);
    return current_;
  }

 private:
  struct Made {
    HostBatch batch;
    double make_s = 0;
    std::exception_ptr error;
  };

  void join_workers() {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  [[nodiscard]] bool may_start() const {
    return next_ < context_.end.value() && next_ <= wanted_ + context_.settings.prefetch_batches;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || may_start(); });
      if (stop_) return;
      const auto step = next_++;
      Made made;
      if (!spare_.empty()) {
        made.batch = std::move(spare_.front());
        spare_.pop_front();
      }
      lock.unlock();
      const Stopwatch making;
      try {
        context_.make(shard_in(context_, StepIndex(step)), made.batch);
      } catch (...) {
        made.error = std::current_exception();
      }
      made.make_s = making.elapsed_s();
      lock.lock();
      made_.emplace(step, std::move(made));
      changed_.notify_all();
    }
  }

  InputContext context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::int64_t next_;    ///< first step nobody works on
  std::int64_t wanted_;  ///< step in use, or waited for
  std::map<std::int64_t, Made> made_;
  std::deque<HostBatch> spare_;  ///< memory to use again
  HostBatch current_;
  std::vector<std::thread> workers_;  // last: they use all of the above
};

std::unique_ptr<InputPipeline> make_sharded(const InputContext& context) {
  if (context.settings.worker_threads == 0) return std::make_unique<InStepInput>(context);
  return std::make_unique<PrefetchingInput>(context);
}

}  // namespace

std::unique_ptr<InputPipeline> make_input(InputKind input, InputContext context) {
  context.make = with_sample_cost(std::move(context.make), context.settings.sample_cost_s);
  switch (input) {
    case InputKind::sharded:
      return make_sharded(context);
    case InputKind::serial:
      return make_serial_input(context);
    case InputKind::device:
      return nullptr;
    case InputKind::synthetic:
      return std::make_unique<SyntheticInput>(context);
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy
