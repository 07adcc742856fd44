#include "training/training_step.hpp"

#include <utility>

#include <ATen/ops/stack.h>

#include "engine/gradient_buckets.hpp"
#include "engine/run_progress.hpp"

#include "training/ready_order.hpp"

namespace scalestudy {

TrainingStep::TrainingStep(RankServices& services, const c10::Device& device, TrainingTask& task)
    : services_(services),
      spec_(services.spec),
      device_(device),
      task_(task),
      layout_(epoch_layout(spec_.plan)),
      hooks_(task.model().parameters()),
      parameters_(task.model().parameters(),
                  observe_ready_order(services.comm, task, hooks_, layout_)),
      optimizer_(make_optimizer(spec_.settings.optimizer,
                                {parameters_.values(), parameters_.element_counts()})),
      scaler_(spec_.settings.precision, device),
      reduction_(make_reduction(spec_.reduction, reduction_context())),
      transfer_(device) {
  hooks_.on_ready([this](std::size_t parameter) {
    reduction_->gradient_ready(parameters_.position_of(parameter));
  });
}

ReductionContext TrainingStep::reduction_context() {
  const auto& buckets = spec_.settings.buckets;
  const BucketLimits limits{ByteCount(buckets.first_bucket_bytes),
                            ByteCount(buckets.bucket_cap_bytes)};
  const auto element_bytes = static_cast<std::int64_t>(parameters_.values().element_size());
  return {services_.comm, plan_buckets(parameters_.element_counts(), element_bytes, limits),
          parameters_.flat_gradients(), services_.clock};
}

void TrainingStep::start_input(StepIndex first) {
  if (spec_.input == InputKind::device) {
    task_.keep_samples_on_device();
    return;
  }
  const StepIndex end(spec_.plan.epochs * spec_.plan.steps_per_epoch);
  const auto make = [this](const Shard& shard, HostBatch& batch) {
    task_.make_batch(shard, batch);
  };
  const auto& comm = services_.comm;
  input_ = make_input(spec_.input, {make, layout_, comm.rank(), comm.world_size(), first, end,
                                    spec_.settings.input, services_.input_comm});
}

void TrainingStep::prepare_batch(const StepPlan& plan) {
  plan_ = plan;
  if (input_)
    batch_ = &input_->take(plan.step);
  else
    loss_weight_ = task_.make_batch_on_device(plan.shard);
}

void TrainingStep::move_batch_to_device() {
  if (!input_) return;
  task_.set_batch(transfer_.start(*batch_));
  transfer_.release();
  loss_weight_ = batch_->loss_weight;
}

void TrainingStep::forward() {
  parameters_.weight().fill_(loss_weight_);
  const Autocast autocast(spec_.settings.precision, device_);
  loss_ = task_.loss_sum();
  losses_.push_back(loss_.detach());
}

void TrainingStep::backward() {
  if (scaler_.is_active())
    (loss_ * scaler_.scale().squeeze()).backward();
  else
    loss_.backward();
}

void TrainingStep::update() {
  if (scaler_.is_active()) {
    const auto divisor = parameters_.weight() * scaler_.scale();
    optimizer_->step(plan_.learning_rate, parameters_.gradients(), divisor,
                     scaler_.check(parameters_.gradients()));
  } else {
    optimizer_->step(plan_.learning_rate, parameters_.gradients(), parameters_.weight(), {});
  }
  parameters_.gradients().zero_();
}

void TrainingStep::abandon() {
  hooks_.on_ready(nullptr);
  loss_.reset();
}

std::vector<double> TrainingStep::take_loss_sums() {
  if (losses_.empty()) return {};
  const auto sums = at::stack(std::exchange(losses_, {})).to(torch::kCPU, torch::kFloat64);
  return {sums.const_data_ptr<double>(), sums.const_data_ptr<double>() + sums.numel()};
}

}  // namespace scalestudy
