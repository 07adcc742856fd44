/// Trains a small Noise2Void network for a few steps through the real trainer, on given ranks and a
/// given split of one global batch, and writes rank 0's parameters: N ranks must equal 1 rank.
///
///   equivalence_rank BACK_END RANKS DTYPE STEPS GLOBAL_BATCH BATCH_NORM REDUCTION COMPRESSION
///                    OPTIMIZER MUTATION FOLDER
///
/// BACK_END threads runs all ranks here; shm and mpi take the rank from the environment. So does
/// nccl: on the fake device of this process, whose NCCL is a fake, too.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include <ATen/Parallel.h>
#include <torch/types.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"
#include "data/random.hpp"

#include "engine/device_step_clock.hpp"

#include "training/device.hpp"
#include "training/trainer.hpp"

#include "tests/support/fake_device.hpp"
#include "tests/support/fake_nccl.hpp"
#include "workloads/noise2void/loss.hpp"
#include "workloads/noise2void/model.hpp"

namespace scalestudy {
namespace {

struct Arguments {
  CommunicatorKind back_end = CommunicatorKind::threads;
  std::int64_t ranks = 1;
  torch::ScalarType type = torch::kFloat64;
  std::int64_t steps = 1;
  std::int64_t global_batch_size = 7;
  BatchNormPolicy batch_norm = BatchNormPolicy::frozen;
  Reduction reduction = Reduction::bucketed_overlap;
  Compression compression = Compression::none;
  OptimizerKind optimizer = OptimizerKind::adam;
  std::string mutation;
  std::filesystem::path folder;
  bool on_devices = false;
};

/// A network on samples whose weights (mask counts) differ.
class EquivalenceTask final : public TrainingTask {
 public:
  EquivalenceTask(const Arguments& arguments)
      : arguments_(arguments), model_(std::make_shared<noise2void::UNet>(2, 4)) {
    const torch::NoGradGuard no_grad;
    model_->to(arguments.type);
    if (arguments.on_devices) model_->to(test::fake_device());
    Random random(11);
    for (auto& parameter : model_->parameters()) {
      auto values = torch::empty(parameter.sizes(), torch::kFloat64);
      for (std::int64_t i = 0; i < values.numel(); ++i)
        values.data_ptr<double>()[i] = 0.1 * random.normal();
      parameter.copy_(values);
    }
  }

  torch::nn::Module& model() override { return *model_; }

  void make_batch(const Shard& shard, HostBatch& batch) const override {
    batch.arrays.resize(2);
    for (auto& array : batch.arrays) array.resize({shard.count, 1, 4, 8, 8});
    auto& input = batch.arrays[0].values;
    auto& mask = batch.arrays[1].values;
    std::fill(mask.begin(), mask.end(), 0.0F);
    constexpr std::int64_t voxels = 4 * 8 * 8;
    batch.loss_weight = 0;
    for (std::int64_t sample = 0; sample < shard.count; ++sample) {
      Random random(5, static_cast<std::uint64_t>(shard.first + sample));
      const auto masked = 1 + (shard.first + sample) % 5;
      const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(sample * voxels + i); };
      for (std::int64_t i = 0; i < voxels; ++i) input[at(i)] = static_cast<float>(random.normal());
      for (std::int64_t i = 0; i < masked; ++i) mask[at(17 * i)] = 1.0F;
      batch.loss_weight += static_cast<double>(masked);
    }
    spoil(batch.loss_weight);
  }

  void set_batch(const std::vector<torch::Tensor>& arrays) override {
    const auto own = [&](const torch::Tensor& array) {
      return array.to(arguments_.type, /*non_blocking=*/false, /*copy=*/true);
    };
    input_ = own(arrays[0]);
    mask_ = own(arrays[1]);
  }

  torch::Tensor loss_sum() override {
    const auto sum = noise2void::masked_loss_sum(noise2void::LossKind::mse, model_->forward(input_),
                                                 input_ * mask_, mask_);
    if (arguments_.mutation == "out_of_memory" && ++calls_ == 3)
      return sum + torch::empty({std::int64_t{1} << 50}).sum();  // more than there are addresses
    return arguments_.mutation == "mean_of_means" ? sum / mask_.sum() : sum;
  }

  Evaluation evaluate(const Communicator&, const HeartbeatCallback&) override { return {}; }
  Evaluation final_evaluation(const Communicator&,
                              const HeartbeatCallback&,
                              FinalResults&) override {
    return {};
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

 private:
  /// Two classic mistakes: the mean of the ranks' means, and a divisor without the other ranks.
  void spoil(double& loss_weight) const {
    if (arguments_.mutation == "mean_of_means") loss_weight = 1;
    if (arguments_.mutation == "sum_for_mean") loss_weight /= static_cast<double>(arguments_.ranks);
  }

  Arguments arguments_;
  std::shared_ptr<noise2void::UNet> model_;
  torch::Tensor input_, mask_;
  int calls_ = 0;
};

RunSpec spec_of(const Arguments& arguments) {
  RunSpec spec;
  spec.workload = "equivalence";
  spec.ranks = arguments.ranks;
  spec.reduction = arguments.reduction;
  spec.settings.compression = arguments.compression;
  spec.settings.optimizer.name = arguments.optimizer;
  spec.settings.optimizer.trust_coefficient = 1;  // so far that a wrong step shows
  // Several pieces although the network is small.
  spec.settings.buckets = {256, 4096};
  spec.settings.packs.count = 5;
  spec.settings.fusion.threshold_bytes = 4096;
  spec.settings.hierarchical.ranks_per_host = arguments.ranks % 2 == 0 ? 2 : 1;
  spec.settings.schedule.name = ScheduleKind::constant;
  spec.settings.batch_norm = arguments.batch_norm;
  spec.input = InputKind::sharded;
  spec.settings.evaluation_threads = 1;
  spec.settings.memory_format = MemoryFormat::contiguous;
  spec.plan.global_batch_size = arguments.global_batch_size;
  if (arguments.mutation == "dropped_remainder")
    spec.plan.global_batch_size -= arguments.global_batch_size % arguments.ranks;
  spec.plan.learning_rate = 1e-3;
  if (arguments.type == torch::kFloat32) {
    // With an epsilon far above sqrt(v), Adam's step is proportional to the gradient; with a rate
    // that makes it far larger than the weights, the weights afterwards *are* the gradient, scaled.
    spec.settings.optimizer.epsilon = 1e6;
    spec.plan.learning_rate = 1e15;
  }
  spec.plan.epochs = 1;
  spec.plan.steps_per_epoch = arguments.steps;
  spec.plan.samples_per_epoch = arguments.steps * spec.plan.global_batch_size;
  spec.plan.epoch_stride_samples = spec.plan.samples_per_epoch;
  return spec;
}

/// Running statistics too: batch norm must have seen the same.
void write_parameters(const Arguments& arguments, torch::nn::Module& model) {
  std::ofstream out(arguments.folder / "parameters.bin", std::ios::binary);
  auto tensors = model.parameters();
  for (const auto& buffer : model.buffers())
    if (buffer.is_floating_point()) tensors.push_back(buffer);
  for (const auto& tensor : tensors) {
    const auto values = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
    const auto count = values.numel();
    out.write(reinterpret_cast<const char*>(&count), sizeof(count));
    out.write(static_cast<const char*>(values.data_ptr()),
              static_cast<std::streamsize>(values.nbytes()));
  }
}

void run_rank(const Arguments& arguments, const Communicator& comm) {
  at::set_num_threads(1);
  const auto spec = spec_of(arguments);
  const auto gpu = arguments.on_devices ? NcclDevice::open(test::fake_nccl(), 0) : nullptr;
  const auto device = gpu ? test::fake_device() : c10::Device(c10::kCPU);
  EquivalenceTask task(arguments);
  Heartbeat heartbeat(heartbeat_file(arguments.folder, comm.rank().value()));
  Log log(std::cerr, Verbosity::normal);
  const auto clock =
      gpu ? make_device_step_clock(gpu, computing_stream(device)) : std::make_unique<HostClock>();
  RankServices services{
      spec, make_rank_communicators(comm, spec, gpu),    *clock, nullptr, heartbeat,
      log,  arguments.folder / cat("rank-", comm.rank())};
  std::filesystem::create_directories(services.run_folder);
  const auto outcome = train(services, device, task);
  if (outcome.diverged) throw std::runtime_error(outcome.reason);
  if (comm.is_root()) write_parameters(arguments, task.model());
}

void run_threads(const Arguments& arguments) {
  const auto comms = make_thread_ranks(WorldSize(arguments.ranks), Seconds(60));
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < comms.size(); ++rank)
    ranks.emplace_back([&, rank] { run_rank(arguments, comms[rank]); });
  for (auto& rank : ranks) rank.join();
}

void run_process(const Arguments& arguments) {
  const auto rendezvous = rendezvous_from_environment(arguments.folder.string());
  run_rank(arguments, make_communicator(arguments.back_end, rendezvous, Seconds(60)));
}

}  // namespace
}  // namespace scalestudy

int main(int argc, char** argv) {
  using namespace scalestudy;
  if (argc != 12) return 2;
  try {
    const std::string back_end = argv[1];
    const Arguments arguments{back_end == "nccl"
                                  ? CommunicatorKind::shm
                                  : choice_from<CommunicatorKind>(back_end, "BACK_END"),
                              std::atoll(argv[2]),
                              std::string(argv[3]) == "float32" ? torch::kFloat32 : torch::kFloat64,
                              std::atoll(argv[4]),
                              std::atoll(argv[5]),
                              choice_from<BatchNormPolicy>(argv[6], "BATCH_NORM"),
                              choice_from<Reduction>(argv[7], "REDUCTION"),
                              choice_from<Compression>(argv[8], "COMPRESSION"),
                              choice_from<OptimizerKind>(argv[9], "OPTIMIZER"),
                              argv[10],
                              argv[11],
                              back_end == "nccl"};
    if (arguments.back_end == CommunicatorKind::threads)
      run_threads(arguments);
    else
      run_process(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return static_cast<int>(failure_of(error).exit_code);
  }
}
