#include "training/pytorch_ddp.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/error.hpp"

#include "engine/gradient_buckets.hpp"
#include "engine/reduction/communication_thread.hpp"
#include "engine/reduction/exchange.hpp"

#include "training/flat_parameters.hpp"

namespace scalestudy {
namespace {

/// Something that was done at once.
class DoneWork final : public c10d::Work {
 public:
  DoneWork() { finish(); }
};

/// What the reducer asks of its process group: once, the order of the buckets of rank 0.
class OurBackend final : public c10d::Backend {
 public:
  explicit OurBackend(Communicator comm)
      : Backend(static_cast<int>(comm.rank().value()), static_cast<int>(comm.world_size().value())),
        comm_(std::move(comm)) {}

  [[nodiscard]] const std::string getBackendName() const override { return "scalestudy"; }
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override {
    for (auto& tensor : tensors)
      comm_.broadcast({tensor.data_ptr(), ElementCount(static_cast<std::int64_t>(tensor.nbytes())),
                       DataType::uint8},
                      Rank(options.rootRank));
    return c10::make_intrusive<DoneWork>();
  }

 private:
  Communicator comm_;
};

c10::intrusive_ptr<c10d::ProcessGroup> process_group_over(const Communicator& comm) {
  const auto backend = c10::make_intrusive<OurBackend>(comm);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(backend->getRank(), backend->getSize());
  constexpr auto ours = c10d::ProcessGroup::BackendType::CUSTOM;
  group->setBackend(c10::DeviceType::CPU, ours, backend);
  group->setDefaultBackend(ours);
  return group;
}

/// Sums buckets on a thread of its own and notes when.
class SummingHook final : public c10d::CommHookInterface {
 public:
  SummingHook(const ReductionContext& context,
              InnerCollectives& inner,
              std::vector<BucketMarks>& marks)
      : comm_(context.comm),
        clock_(context.clock),
        inner_(inner),
        marks_(marks),
        thread_(context.communication_core) {
    // A bucket has at least one parameter, and the thread writes into marks while others come.
    marks_.reserve(context.element_counts.size());
  }

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    auto done = c10::make_intrusive<c10::ivalue::Future>(c10::TensorType::get());
    if (bucket.getIndex() == 0) marks_.clear();
    auto& marks = marks_.emplace_back();
    marks.size_bytes = static_cast<std::int64_t>(bucket.getBuffer().nbytes());
    marks.ready = clock_.mark();
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
      if (last_ready) inner_.add(exposed(*last_ready, started.times));
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
      parameters, std::move(buckets), process_group_over(context.comm), are_sparse,
      caps.bucket_cap_bytes, /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false,
      std::unordered_map<std::size_t, std::string>(), caps.first_bucket_bytes,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>());
}

class PytorchDdp final : public ReductionStrategy {
 public:
  PytorchDdp(const ReductionContext& context,
             const std::vector<torch::Tensor>& parameters,
             InnerCollectives& inner)
      : comm_(context.comm),
        weight_(part_of(context.flat, context.flat.count.value() - 1, 1)),
        clock_(context.clock),
        marks_(planned_marks(context)),
        reducer_(make_reducer(context, parameters)),
        logger_(std::make_shared<c10d::Logger>(reducer_)) {
    reducer_->set_logger(logger_);
    reducer_->register_comm_hook(std::make_unique<SummingHook>(context, inner, bucket_marks_));
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
                                                    InnerCollectives& inner) {
  return std::make_unique<PytorchDdp>(context, parameters, inner);
}

}  // namespace scalestudy
