#include "training/pytorch_ddp.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/error.hpp"

#include "engine/gradient_buckets.hpp"
#include "engine/reduction/communication_thread.hpp"
#include "engine/reduction/exchange.hpp"

#include "training/device.hpp"
#include "training/flat_parameters.hpp"

namespace scalestudy {
namespace {

/// Something that was done at once.
class DoneWork final : public c10d::Work {
 public:
  DoneWork() { finish(); }
};

/// What the reducer asks of its process group: once, the order of the buckets of rank 0, which is
/// numbers of the host that it brings to the device of the gradients.
class OurBackend final : public c10d::Backend {
 public:
  explicit OurBackend(const Communicator& comm)
      : Backend(static_cast<int>(comm.rank().value()), static_cast<int>(comm.world_size().value())),
        comm_(comm.host()) {}

  [[nodiscard]] const std::string getBackendName() const override { return "scalestudy"; }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override {
    for (auto& tensor : tensors) {
      const auto here = tensor.to(torch::kCPU);
      comm_.broadcast({here.data_ptr(), ElementCount(static_cast<std::int64_t>(here.nbytes())),
                       DataType::uint8},
                      Rank(options.rootRank));
      if (!tensor.is_cpu()) tensor.copy_(here);
    }
    return c10::make_intrusive<DoneWork>();
  }

 private:
  Communicator comm_;
};

c10::intrusive_ptr<c10d::ProcessGroup> process_group_over(const Communicator& comm,
                                                          c10::DeviceType device) {
  const auto backend = c10::make_intrusive<OurBackend>(comm);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(backend->getRank(), backend->getSize());
  constexpr auto ours = c10d::ProcessGroup::BackendType::CUSTOM;
  for (const auto place : {c10::kCPU, device}) group->setBackend(place, ours, backend);
  group->setDefaultBackend(ours);
  return group;
}

/// Notes in `marks` each bucket of a step, the first one of which begins a new step.
BucketMarks& next_bucket(const c10d::GradBucket& bucket,
                         StepClock& clock,
                         std::vector<BucketMarks>& marks) {
  if (bucket.getIndex() == 0) marks.clear();
  return marks.emplace_back(BucketMarks{
      .size_bytes = static_cast<std::int64_t>(bucket.getBuffer().nbytes()), .ready = clock.mark()});
}

/// Sums buckets of a device on NCCL's stream and notes when. What the reducer waits for is the
/// device's to wait for.
class StreamHook final : public c10d::CommHookInterface {
 public:
  StreamHook(const ReductionContext& context,
             const c10::Device& device,
             InnerCollectives& inner,
             std::shared_ptr<NcclDevice> gpu,
             std::vector<BucketMarks>& marks)
      : comm_(context.comm),
        clock_(context.clock),
        inner_(inner),
        gpu_(std::move(gpu)),
        marks_(marks),
        device_(device),
        summed_(c10::impl::VirtualGuardImpl(device.type())
                    .getStreamFromGlobalPool(device, /*isHighPriority=*/true)) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    auto sums = bucket.getBuffer();
    auto& marks = next_bucket(bucket, clock_, marks_);
    const auto ready = gpu_->event_on(computing_stream(device_));
    StartedCollective started;
    carry_out(comm_, clock_, marks, [&](CudaEvent after) {
      return started = comm_.start(all_reduce_of(view_of_tensor(sums)), after);
    });
    if (bucket.isLast()) inner_.add({started.call, {}, ready, started.ended}, clock_);
    auto done =
        c10::make_intrusive<c10::ivalue::Future>(c10::TensorType::get(), std::vector{device_});
    gpu_->make_wait(static_cast<CudaStream>(summed_.native_handle()), started.ended->get());
    const c10::StreamGuard on(summed_);
    done->markCompleted(sums);
    return done;
  }
  at::Tensor parseHookResult(const c10::IValue& result) override { return result.toTensor(); }

 private:
  Communicator comm_;
  StepClock& clock_;
  InnerCollectives& inner_;
  std::shared_ptr<NcclDevice> gpu_;
  std::vector<BucketMarks>& marks_;
  c10::Device device_;
  c10::Stream summed_;  ///< what is put there comes after the sums
};

/// Sums buckets of the host on a thread of its own and notes when.
class ThreadHook final : public c10d::CommHookInterface {
 public:
  ThreadHook(const ReductionContext& context,
             InnerCollectives& inner,
             std::vector<BucketMarks>& marks)
      : comm_(context.comm),
        clock_(context.clock),
        inner_(inner),
        marks_(marks),
        thread_(context.communication_core) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    auto done = c10::make_intrusive<c10::ivalue::Future>(c10::TensorType::get());
    auto& marks = next_bucket(bucket, clock_, marks_);
    const auto ready = Clock::now();
    thread_.run([this, done, &marks, ready, sums = bucket.getBuffer(), is_last = bucket.isLast()] {
      sum(sums, marks, *done, is_last ? std::optional(ready) : std::nullopt);
    });
    return done;
  }
  at::Tensor parseHookResult(const c10::IValue& result) override { return result.toTensor(); }

 private:
  /// What the backward pass waited for after the last gradient; one rank waits for no other.
  [[nodiscard]] CollectiveTimes exposed(Clock::time_point ready,
                                        const CollectiveTimes& last) const {
    const bool is_alone = comm_.world_size() == WorldSize(1);
    return {ready, is_alone ? ready : std::max(ready, last.all_arrived), last.left};
  }

  /// `last_ready`: of the last bucket.
  void sum(torch::Tensor sums,
           BucketMarks& marks,
           c10::ivalue::Future& done,
           std::optional<Clock::time_point> last_ready) {
    try {
      StartedCollective started;
      carry_out(comm_, clock_, marks, [&](CudaEvent after) {
        return started = comm_.start(all_reduce_of(view_of_tensor(sums)), after);
      });
      if (last_ready && sums.is_cpu()) inner_.add(exposed(*last_ready, started.times));
      done.markCompleted(sums);
    } catch (...) {
      done.setError(std::current_exception());
    }
  }

  Communicator comm_;
  StepClock& clock_;
  InnerCollectives& inner_;
  std::vector<BucketMarks>& marks_;
  CommunicationThread thread_;  ///< last: it uses all of the above
};

/// As DistributedDataParallel makes it; buckets come in ready order once that has been seen.
std::shared_ptr<c10d::Reducer> make_reducer(const ReductionContext& context,
                                            const std::vector<torch::Tensor>& parameters) {
  const std::vector<bool> are_sparse(parameters.size(), false);
  auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
      parameters, {std::numeric_limits<std::int64_t>::max()}, are_sparse);
  std::reverse(buckets.begin(), buckets.end());
  const auto& caps = context.settings.buckets;
  return std::make_shared<c10d::Reducer>(
      parameters, std::move(buckets),
      process_group_over(context.comm, parameters.front().device().type()), are_sparse,
      caps.bucket_cap_bytes, /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false,
      std::unordered_map<std::size_t, std::string>(), caps.first_bucket_bytes,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>());
}

std::unique_ptr<c10d::CommHookInterface> make_hook(const ReductionContext& context,
                                                   const c10::Device& device,
                                                   InnerCollectives& inner,
                                                   std::shared_ptr<NcclDevice> gpu,
                                                   std::vector<BucketMarks>& marks) {
  if (context.comm.is_on_stream())
    return std::make_unique<StreamHook>(context, device, inner, std::move(gpu), marks);
  return std::make_unique<ThreadHook>(context, inner, marks);
}

class PytorchDdp final : public ReductionStrategy {
 public:
  PytorchDdp(const ReductionContext& context,
             const std::vector<torch::Tensor>& parameters,
             InnerCollectives& inner,
             std::shared_ptr<NcclDevice> gpu)
      : comm_(context.comm),
        weight_(part_of(context.flat, context.flat.count.value() - 1, 1)),
        clock_(context.clock),
        marks_(planned_marks(context)),
        reducer_(make_reducer(context, parameters)),
        logger_(std::make_shared<c10d::Logger>(reducer_)) {
    // A bucket has at least one parameter, and a thread writes into marks while others come.
    bucket_marks_.reserve(context.element_counts.size());
    reducer_->set_logger(logger_);
    reducer_->register_comm_hook(
        make_hook(context, parameters.front().device(), inner, std::move(gpu), bucket_marks_));
  }

  void begin_step() override {
    reducer_->rebuild_buckets();
    reducer_->prepare_for_forward();
    reducer_->prepare_for_backward({});
  }

  /// The reducer has hooks of its own.
  void gradient_ready(std::size_t) override {}

  /// The backward pass has waited for the buckets.
  void finish() override {
    marks_ = bucket_marks_;
    const auto ready = marks_.back().ready;
    auto& marks = marks_.emplace_back();
    marks.size_bytes = weight_.bytes().value();
    marks.ready = ready;
    carry_out(comm_, clock_, marks,
              [&](CudaEvent after) { return comm_.start(all_reduce_of(weight_), after); });
    clock_.compute_after(marks.left);
  }

  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  /// What will travel once buckets are in ready order.
  static std::vector<BucketMarks> planned_marks(const ReductionContext& context) {
    const auto& caps = context.settings.buckets;
    const auto element_bytes = size_of(context.flat.type);
    std::vector<BucketMarks> marks;
    for (const auto& bucket :
         plan_buckets(context.element_counts, element_bytes,
                      {ByteCount(caps.first_bucket_bytes), ByteCount(caps.bucket_cap_bytes)}))
      marks.push_back({.size_bytes = bucket.count.value() * element_bytes});
    marks.push_back({.size_bytes = element_bytes});
    return marks;
  }

  Communicator comm_;
  BufferView weight_;
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
  std::vector<BucketMarks> bucket_marks_;  ///< written by the hook and its thread
  std::shared_ptr<c10d::Reducer> reducer_;
  std::shared_ptr<c10d::Logger> logger_;
};

}  // namespace

std::unique_ptr<ReductionStrategy> make_pytorch_ddp(const ReductionContext& context,
                                                    const std::vector<torch::Tensor>& parameters,
                                                    InnerCollectives& inner,
                                                    std::shared_ptr<NcclDevice> gpu) {
  return std::make_unique<PytorchDdp>(context, parameters, inner, std::move(gpu));
}

}  // namespace scalestudy
