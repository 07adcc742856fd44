#include "training/training_step.hpp"

#include <limits>
#include <utility>

#include <ATen/ops/stack.h>

#include "study/injection_reach.hpp"
#include "study/reduction_reach.hpp"

#include "engine/compute_stretch.hpp"
#include "engine/run_progress.hpp"

#include "training/gradient_rounding.hpp"
#include "training/pytorch_ddp.hpp"
#include "training/ready_order.hpp"

namespace scalestudy {

namespace {

/// Zeros. On the processor where the ranks sum them, if that is asked for. Collective.
torch::Tensor gradient_storage(const std::vector<torch::Tensor>& parameters,
                               const GradientSettings& settings,
                               const Communicator& comm) {
  const auto options = parameters.front().options().requires_grad(false);
  const auto count = gradient_and_weight_count(parameters);
  const auto element_bytes = static_cast<std::int64_t>(parameters.front().element_size());
  std::shared_ptr<std::byte> memory;
  if (options.device().is_cpu() && settings.in_shared_memory)
    memory = comm.allocate(ByteCount(count * element_bytes));
  if (!memory) return torch::zeros({count}, options);
  return torch::from_blob(
      memory.get(), {count}, [memory](void*) {}, options);
}

}  // namespace

TrainingStep::TrainingStep(RankServices& services, const c10::Device& device, TrainingTask& task)
    : services_(services),
      spec_(services.spec),
      device_(device),
      task_(task),
      layout_(epoch_layout(spec_.plan)),
      hooks_(task.model().parameters()),
      accumulates_(accumulates_gradients(spec_)),
      parameters_(
          task.model().parameters(),
          observe_ready_order(
              services.comms.control, task, hooks_, layout_, spec_.settings.precision),
          gradient_storage(
              task.model().parameters(), spec_.settings.gradients, services.comms.gradients)),
      rounding_(make_rounding()),
      reduction_(stretched(make_strategy(), services.comms.stretch)),
      owned_update_(spec_.settings.optimizer, parameters_, *reduction_),
      scaler_(spec_.settings.precision, device),
      transfer_(device),
      graph_(spec_.settings.cuda_graph ? make_graph() : nullptr),
      norms_(properties_of(spec_.reduction).updating == Updating::everywhere) {
  place_gradients();
  announce_gradients();
}

/// What a graph records places them, too.
void TrainingStep::place_gradients() {
  if (accumulates_) return parameters_.accumulate();
  hooks_.give_to([this](std::size_t parameter, const torch::Tensor& gradient) {
    parameters_.set_gradient(parameter, gradient);
  });
}

void TrainingStep::announce_gradients() {
  hooks_.on_ready([this](std::size_t parameter) {
    const auto position = parameters_.position_of(parameter);
    norms_.add_local(parameters_.gradients_of(position));
    reduction_->gradient_ready(position);
  });
}

std::unique_ptr<StepGraph> TrainingStep::make_graph() {
  return std::make_unique<StepGraph>(make_device_graph(device_), [this](const auto& arrays) {
    task_.set_batch(arrays);
    auto loss = forward_pass(task_, spec_.settings.precision, device_);
    backward_pass(loss);
    return loss;
  });
}

std::unique_ptr<DeviceRounding> TrainingStep::make_rounding() {
  const auto compression = spec_.settings.compression;
  if (compression == Compression::none || services_.comms.gpu == nullptr) return nullptr;
  return make_device_rounding(services_.comms.gpu, parameters_.gradients_and_weight(), compression);
}

std::unique_ptr<ReductionStrategy> TrainingStep::make_strategy() {
  const ReductionContext context{services_.comms.gradients,
                                 parameters_.element_counts(),
                                 parameters_.flat_gradients(),
                                 services_.clock,
                                 spec_.settings,
                                 services_.comms.gradient_core,
                                 rounding_.get()};
  if (properties_of(spec_.reduction).is_of_pytorch)
    return make_pytorch_ddp(context, task_.model().parameters(), *services_.comms.inner,
                            services_.comms.gpu);
  return make_reduction(spec_.reduction, context);
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
  const auto& comm = services_.comms.control;
  input_ = make_input(spec_.input,
                      {make, layout_, comm.rank(), comm.world_size(), first, end,
                       input_settings_on(spec_, comm.rank().value()), services_.comms.input});
}

void TrainingStep::prepare_batch(const StepPlan& plan) {
  plan_ = plan;
  norms_.begin_step(plan.step);
  if (input_)
    batch_ = &input_->take(plan.step);
  else
    loss_weight_ = task_.make_batch_on_device(plan.shard);
}

void TrainingStep::move_batch_to_device() {
  if (!input_) return;
  const auto arrays = transfer_.start(*batch_);
  is_taken_by_graph_ = graph_ && graph_->take(arrays);
  if (!is_taken_by_graph_) task_.set_batch(arrays);
  transfer_.release();
  loss_weight_ = batch_->loss_weight;
}

/// What a graph was recorded from announces nothing when it is replayed: all gradients are ready
/// at once.
void TrainingStep::replay() {
  parameters_.weight().fill_(loss_weight_);
  hooks_.on_ready(nullptr);
  losses_.push_back(graph_->run());
  announce_gradients();
  norms_.add_local(parameters_.gradients());
  for (std::size_t i = 0; i < parameters_.element_counts().size(); ++i)
    reduction_->gradient_ready(i);
}

void TrainingStep::forward() {
  parameters_.weight().fill_(loss_weight_);
  loss_ = forward_pass(task_, spec_.settings.precision, device_);
  losses_.push_back(loss_.detach());
}

void TrainingStep::spoil_loss() {
  loss_ = loss_ * std::numeric_limits<double>::quiet_NaN();
  losses_.back() = loss_.detach();
}

void TrainingStep::backward_pass(const torch::Tensor& loss) {
  if (scaler_.is_active())
    (loss * scaler_.scale().squeeze()).backward();
  else
    loss.backward();
}

void TrainingStep::backward() {
  backward_pass(loss_);
}

/// Not where something has to be known of all sums before any of them is used.
void TrainingStep::update_early(std::int64_t gradient_count) {
  if (scaler_.is_active() || norms_.is_due()) return;
  owned_update_.step_early(gradient_count, plan_.learning_rate, parameters_.gradients(),
                           parameters_.weight());
}

void TrainingStep::update() {
  norms_.finish_step(parameters_.gradients(), loss_weight_, parameters_.weight(), scaler_.scale());
  const auto gradients = parameters_.gradients();
  const auto is_scaled = scaler_.is_active();
  const auto divisor = is_scaled ? parameters_.weight() * scaler_.scale() : parameters_.weight();
  const auto found_inf = is_scaled ? scaler_.check(gradients) : torch::Tensor();
  services_.comms.inner->add(owned_update_.step(plan_.learning_rate, gradients, divisor, found_inf),
                             services_.clock);
  if (accumulates_) parameters_.gradients().zero_();
}

void TrainingStep::abandon() {
  hooks_.give_to(nullptr);
  hooks_.on_ready(nullptr);
  graph_.reset();
  loss_.reset();
}

std::vector<StepResults> TrainingStep::take_results() {
  const auto norms = norms_.take();
  if (norms.empty()) return {};
  const auto sums = at::stack(std::exchange(losses_, {})).to(torch::kCPU, torch::kFloat64);
  std::vector<StepResults> results;
  for (std::size_t i = 0; i < norms.size(); ++i)
    results.push_back({sums.const_data_ptr<double>()[i], norms[i].local, norms[i].global});
  return results;
}

}  // namespace scalestudy
