#include "training/batch_norm.hpp"

#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>

#include "core/error.hpp"

#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

torch::Tensor sample_input(std::int64_t samples) {
  torch::manual_seed(4);
  return torch::randn({samples, 3, 5, 4}, torch::kFloat64) * 2 + 1;
}

TEST(BatchNorm, LocalIsTorchsBatchNorm) {
  BatchNorm ours(3, 0.1, 1e-5);
  torch::nn::BatchNorm2d theirs(torch::nn::BatchNorm2dOptions(3).momentum(0.1).eps(1e-5));
  ours.to(torch::kFloat64);
  theirs->to(torch::kFloat64);
  for (int step = 0; step < 3; ++step) {
    const auto input = sample_input(4) * (step + 1);
    EXPECT_TRUE(torch::equal(ours.forward(input), theirs->forward(input)));
  }
  EXPECT_TRUE(torch::equal(ours.running_var, theirs->running_var));
  EXPECT_EQ(ours.num_batches_tracked.item<std::int64_t>(), 3);
  ours.eval();
  theirs->eval();
  EXPECT_TRUE(torch::equal(ours.forward(sample_input(2)), theirs->forward(sample_input(2))));
}

TEST(BatchNorm, NamesAreThoseOfAPyTorchStateDict) {
  BatchNorm norm(3, 0.1, 1e-5);
  EXPECT_EQ(norm.named_parameters().keys(), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(norm.named_buffers().keys(),
            (std::vector<std::string>{"running_mean", "running_var", "num_batches_tracked"}));
}

TEST(BatchNorm, FrozenKeepsItsStatisticsAndLearnsScaleAndShift) {
  BatchNorm norm(3, 0.1, 1e-5);
  norm.use(BatchNormPolicy::frozen, std::nullopt);
  const auto input = sample_input(4).to(torch::kFloat32);
  const auto output = norm.forward(input);
  EXPECT_LT((output - input / std::sqrt(1 + 1e-5)).abs().max().item<double>(), 1e-6);
  output.sum().backward();
  EXPECT_TRUE(torch::equal(norm.running_mean, torch::zeros({3})));
  EXPECT_TRUE(norm.weight.grad().defined());
}

/// Output, input gradient and statistics of one rank's part.
struct Part {
  torch::Tensor output, gradient, running_var, weight_gradient;
};

std::vector<Part> synchronised_parts(const std::vector<torch::Tensor>& inputs) {
  std::vector<Part> parts(inputs.size());
  on_ranks(std::ssize(inputs), [&](const Communicator& comm) {
    BatchNorm norm(3, 0.1, 1e-5);
    norm.to(torch::kFloat64);
    norm.use(BatchNormPolicy::synchronised, comm);
    const auto rank = comm.rank().index();
    const auto input = inputs[rank].clone().requires_grad_(true);
    const auto output = norm.forward(input);
    output.pow(3).sum().backward();
    parts[rank] = {output.detach(), input.grad(), norm.running_var.clone(), norm.weight.grad()};
  });
  return parts;
}

TEST(BatchNorm, SynchronisedOverUnevenAndEmptyPartsIsTheWholeBatchs) {
  const auto whole = sample_input(7);
  BatchNorm one(3, 0.1, 1e-5);
  one.to(torch::kFloat64);
  const auto input = whole.clone().requires_grad_(true);
  const auto output = one.forward(input);
  output.pow(3).sum().backward();

  const auto parts =
      synchronised_parts({whole.narrow(0, 0, 4), whole.narrow(0, 4, 3), whole.narrow(0, 7, 0)});
  const auto close = [](const torch::Tensor& a, const torch::Tensor& b) {
    return torch::allclose(a, b, 1e-10, 1e-12);
  };
  EXPECT_TRUE(close(torch::cat({parts[0].output, parts[1].output, parts[2].output}), output));
  EXPECT_TRUE(close(torch::cat({parts[0].gradient, parts[1].gradient}), input.grad()));
  EXPECT_TRUE(close(parts[0].weight_gradient + parts[1].weight_gradient + parts[2].weight_gradient,
                    one.weight.grad()));
  for (const auto& part : parts) EXPECT_TRUE(close(part.running_var, one.running_var));
  EXPECT_TRUE(torch::equal(parts[0].running_var, parts[2].running_var));
}

/// With means far from 0 statistics rounded to 8 bits would shift whole channels.
TEST(BatchNorm, SynchronisedOfNarrowTypesKeepsItsStatisticsWide) {
  const auto input = (sample_input(7).to(torch::kFloat32) + 20).to(torch::kBFloat16);
  on_ranks(1, [&](const Communicator& comm) {
    BatchNorm norm(3, 0.1, 1e-5), local(3, 0.1, 1e-5);
    norm.use(BatchNormPolicy::synchronised, comm);
    const auto ours = norm.forward(input.clone().requires_grad_(true));
    EXPECT_EQ(ours.scalar_type(), torch::kBFloat16);
    ours.sum().backward();
    const auto exact = local.forward(input.to(torch::kFloat32));
    const auto difference = ours.to(torch::kFloat32) - exact;
    EXPECT_LT(difference.mean({0, 2, 3}).abs().max().item<double>(), 2e-3);
  });
}

TEST(BatchNorm, APartAloneIsNotTheWholeBatchs) {
  const auto whole = sample_input(7);
  const auto both = synchronised_parts({whole.narrow(0, 0, 4), whole.narrow(0, 4, 3)});
  const auto alone = synchronised_parts({whole.narrow(0, 0, 4)});
  EXPECT_GT((both[0].output - alone[0].output).abs().max().item<double>(), 1e-3);
}

TEST(BatchNorm, OneValuePerChannelIsNoStatistics) {
  BatchNorm norm(3, 0.1, 1e-5);
  EXPECT_THROW((void)norm.forward(torch::ones({1, 3, 1, 1})), BadInput);
  EXPECT_NO_THROW((void)norm.forward(torch::ones({0, 3, 1, 1})));
  EXPECT_TRUE(torch::isfinite(norm.running_var).all().item<bool>());
}

TEST(BatchNorm, ManyRanksNeedACommunicator) {
  BatchNorm norm(3, 0.1, 1e-5);
  EXPECT_THROW(norm.use(BatchNormPolicy::synchronised, std::nullopt), InternalError);
}

}  // namespace
}  // namespace scalestudy
