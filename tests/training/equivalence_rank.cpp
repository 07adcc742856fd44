/// Trains a small Noise2Void network for a few steps through the real trainer, on given ranks and a
/// given split of one global batch, and writes rank 0's parameters: N ranks must equal 1 rank.
///
///   equivalence_rank BACK_END RANKS DTYPE STEPS MUTATION FOLDER
///
/// BACK_END threads runs all ranks here; shm and mpi take the rank from the environment.

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

#include "training/trainer.hpp"

#include "workloads/noise2void/loss.hpp"
#include "workloads/noise2void/model.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t global_batch_size = 7;  // prime: no rank count above 1 divides it

struct Arguments {
  std::string back_end;
  std::int64_t ranks = 1;
  torch::ScalarType type = torch::kFloat64;
  std::int64_t steps = 1;
  std::string mutation;
  std::filesystem::path folder;
};

/// A network with frozen batch norm on samples whose weights (mask counts) differ.
class EquivalenceTask final : public TrainingTask {
 public:
  EquivalenceTask(const Arguments& arguments)
      : arguments_(arguments), model_(std::make_shared<noise2void::UNet>(2, 4)) {
    const torch::NoGradGuard no_grad;
    model_->to(arguments.type);
    Random random(11);
    for (auto& parameter : model_->parameters()) {
      auto values = torch::empty(parameter.sizes(), torch::kFloat64);
      for (std::int64_t i = 0; i < values.numel(); ++i)
        values.data_ptr<double>()[i] = 0.1 * random.normal();
      parameter.copy_(values);
    }
  }

  torch::nn::Module& model() override { return *model_; }

  void prepare_batch(const Shard& shard) override {
    const auto shape = std::vector<std::int64_t>{shard.count, 1, 4, 8, 8};
    input_ = torch::empty(shape, torch::kFloat64);
    mask_ = torch::zeros(shape, torch::kFloat64);
    const auto voxels = input_.numel() / shard.count;
    for (std::int64_t sample = 0; sample < shard.count; ++sample) {
      Random random(5, static_cast<std::uint64_t>(shard.first + sample));
      const auto masked = 1 + (shard.first + sample) % 5;
      for (std::int64_t i = 0; i < voxels; ++i)
        input_.data_ptr<double>()[sample * voxels + i] = random.normal();
      for (std::int64_t i = 0; i < masked; ++i)
        mask_.data_ptr<double>()[sample * voxels + 17 * i] = 1.0;
    }
    weight_ = mask_.sum().item<double>();
    input_ = input_.to(arguments_.type);
    mask_ = mask_.to(arguments_.type);
  }

  void move_batch_to_device() override {}

  torch::Tensor loss_sum() override {
    model_->eval();  // frozen batch norm
    const auto sum =
        noise2void::masked_loss_sum("mse", model_->forward(input_), input_ * mask_, mask_);
    return arguments_.mutation == "mean_of_means" ? sum / weight_ : sum;
  }

  /// Two classic mistakes: the mean of the ranks' means, and a divisor without the other ranks.
  [[nodiscard]] double loss_weight() const override {
    if (arguments_.mutation == "mean_of_means") return 1.0;
    if (arguments_.mutation == "sum_for_mean")
      return weight_ / static_cast<double>(arguments_.ranks);
    return weight_;
  }

  Evaluation evaluate(const Communicator&, const SignOfLife&) override {
    return {1.0, 0, 1, 1, "0"};
  }
  Evaluation final_evaluation(const Communicator&,
                              const SignOfLife&,
                              std::vector<Panel>&) override {
    return {1.0, 0, 1, 1, "0"};
  }
  [[nodiscard]] std::map<std::string, std::string> effective_settings() const override {
    return {};
  }

 private:
  Arguments arguments_;
  std::shared_ptr<noise2void::UNet> model_;
  torch::Tensor input_, mask_;
  double weight_ = 0;
};

RunSpec spec_of(const Arguments& arguments) {
  RunSpec spec;
  spec.workload = "equivalence";
  spec.ranks = arguments.ranks;
  spec.reduction = "bucketed_overlap";
  spec.settings.buckets = {256, 4096};  // several buckets although the network is small
  spec.settings.schedule.name = "constant";
  spec.plan.local_batch_sizes = even_split(global_batch_size, arguments.ranks);
  if (arguments.mutation == "dropped_remainder")
    spec.plan.local_batch_sizes.assign(spec.plan.local_batch_sizes.size(),
                                       global_batch_size / arguments.ranks);
  spec.plan.global_batch_size = global_batch_size;
  spec.plan.learning_rate = 1e-3;
  if (arguments.type == torch::kFloat32) {
    // With an epsilon far above sqrt(v), Adam's step is proportional to the gradient; with a rate
    // that makes it far larger than the weights, the weights afterwards *are* the gradient, scaled.
    spec.settings.optimizer.epsilon = 1e6;
    spec.plan.learning_rate = 1e15;
  }
  spec.plan.epochs = 1;
  spec.plan.steps_per_epoch = arguments.steps;
  return spec;
}

void write_parameters(const Arguments& arguments, torch::nn::Module& model) {
  std::ofstream out(arguments.folder / "parameters.bin", std::ios::binary);
  for (const auto& parameter : model.named_parameters()) {
    const auto values = parameter.value().detach().to(torch::kFloat64).contiguous();
    const auto count = values.numel();
    out.write(reinterpret_cast<const char*>(&count), sizeof(count));
    out.write(static_cast<const char*>(values.data_ptr()),
              static_cast<std::streamsize>(values.nbytes()));
  }
}

void run_rank(const Arguments& arguments, const Communicator& comm) {
  at::set_num_threads(1);
  const auto spec = spec_of(arguments);
  EquivalenceTask task(arguments);
  Heartbeat heartbeat(heartbeat_file(arguments.folder, comm.rank().value()));
  Log log(std::cerr, Verbosity::normal);
  HostClock clock;
  RankServices services{spec,
                        comm,
                        c10::Device(c10::kCPU),
                        clock,
                        nullptr,
                        heartbeat,
                        log,
                        arguments.folder / cat("rank-", comm.rank())};
  std::filesystem::create_directories(services.run_folder);
  (void)train(services, task);
  if (comm.is_root()) write_parameters(arguments, task.model());
}

void run_threads(const Arguments& arguments) {
  std::vector<std::thread> ranks;
  for (const auto& comm : make_thread_ranks(WorldSize(arguments.ranks), Seconds(60)))
    ranks.emplace_back([&arguments, comm] { run_rank(arguments, comm); });
  for (auto& rank : ranks) rank.join();
}

}  // namespace
}  // namespace scalestudy

int main(int argc, char** argv) {
  using namespace scalestudy;
  if (argc != 7) return 2;
  const Arguments arguments{argv[1],
                            std::atoll(argv[2]),
                            std::string(argv[3]) == "float32" ? torch::kFloat32 : torch::kFloat64,
                            std::atoll(argv[4]),
                            argv[5],
                            argv[6]};
  try {
    if (arguments.back_end == "threads") {
      run_threads(arguments);
    } else {
      const auto rendezvous = rendezvous_from_environment(arguments.folder.string());
      run_rank(arguments, make_communicator(arguments.back_end, rendezvous, Seconds(60)));
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 5;
  }
}
