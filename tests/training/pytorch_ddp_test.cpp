#include "training/pytorch_ddp.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/error.hpp"

#include "training/flat_parameters.hpp"

#include "tests/support/field_values.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

/// Three layers of 4 × 4 weights without bias, whose gradients become ready from the last to the
/// first; buckets of one and of two layers.
class Rank3Layers {
 public:
  explicit Rank3Layers(const Communicator& comm)
      : layers_(make_layers()), parameters_(layer_parameters(), {2, 1, 0}) {
    parameters_.accumulate();
    settings.buckets = {64, 128};
    strategy = make_pytorch_ddp(
        {comm, parameters_.element_counts(), parameters_.flat_gradients(), clock, settings},
        layer_parameters(), inner);
  }

  /// Every gradient is `weight` times what it is with 1.
  void step(double weight) {
    parameters_.gradients().zero_();
    parameters_.weight().fill_(weight);
    strategy->begin_step();
    auto x = torch::ones({1, 4});
    for (auto& layer : layers_) x = layer->forward(x);
    (x * weight).sum().backward();
    in_backward = inner.take();
    strategy->finish();
  }
  [[nodiscard]] torch::Tensor flat() {
    return torch::cat({parameters_.gradients(), parameters_.weight()}).clone();
  }

  HostClock clock;
  CommonSettings settings;
  InnerCollectives inner;
  InnerCollectives::Times in_backward;
  std::unique_ptr<ReductionStrategy> strategy;

 private:
  static std::vector<torch::nn::Linear> make_layers() {
    std::vector<torch::nn::Linear> layers;
    const torch::NoGradGuard no_grad;
    for (int i = 0; i < 3; ++i) {
      layers.emplace_back(torch::nn::LinearOptions(4, 4).bias(false));
      layers.back()->weight.fill_(0.5);
    }
    return layers;
  }
  [[nodiscard]] std::vector<torch::Tensor> layer_parameters() {
    std::vector<torch::Tensor> parameters;
    for (auto& layer : layers_) parameters.push_back(layer->weight);
    return parameters;
  }

  std::vector<torch::nn::Linear> layers_;
  FlatParameters parameters_;
};

std::vector<std::int64_t> sizes_bytes(const Rank3Layers& rank) {
  return values_of(rank.strategy->bucket_marks(), &BucketMarks::size_bytes);
}

TEST(PytorchDdp, SumsGradientsAndLossWeights) {
  for (const std::int64_t ranks : {1, 2, 3}) {
    std::vector<torch::Tensor> flats(static_cast<std::size_t>(ranks));
    torch::Tensor alone;
    on_ranks(ranks, [&](const Communicator& comm) {
      Rank3Layers rank(comm);
      for (int step = 0; step < 3; ++step)
        rank.step(1.0 + static_cast<double>(comm.rank().value()));
      flats[comm.rank().index()] = rank.flat();
    });
    on_ranks(1, [&](const Communicator& comm) {
      Rank3Layers rank(comm);
      rank.step(1.0);
      alone = rank.flat();
    });
    const auto factor = static_cast<double>(ranks * (ranks + 1)) / 2;
    for (const auto& flat : flats) EXPECT_TRUE(torch::equal(flat, alone * factor)) << ranks;
  }
}

TEST(PytorchDdp, HasOneBucketInTheFirstStepAndThenThoseOfTheReadyOrder) {
  on_ranks(2, [&](const Communicator& comm) {
    Rank3Layers rank(comm);
    EXPECT_THAT(sizes_bytes(rank), ElementsAre(64, 128, 4)) << "what the probe tries";
    rank.step(1);
    EXPECT_THAT(sizes_bytes(rank), ElementsAre(192, 4));
    rank.step(1);
    EXPECT_THAT(sizes_bytes(rank), ElementsAre(64, 128, 4));
    const auto marks = rank.strategy->bucket_marks();
    EXPECT_LE(marks[0].ready, marks[1].ready);
    for (const auto& mark : marks) {
      EXPECT_LE(mark.ready, mark.entered);
      EXPECT_LE(mark.entered, mark.left);
    }
  });
}

TEST(PytorchDdp, WhatTheBackwardPassWaitsForIsCounted) {
  on_ranks(2, [&](const Communicator& comm) {
    Rank3Layers rank(comm);
    rank.step(1);
    rank.step(1);  // agrees on the order of buckets before its forward pass
    if (comm.rank() == Rank(1)) std::this_thread::sleep_for(std::chrono::milliseconds(40));
    rank.step(1);
    if (comm.rank() == Rank(0)) {
      EXPECT_GT(rank.in_backward.wait_s, 0);
    }
  });
}

TEST(PytorchDdp, AFailureLeavesTheBackwardPass) {
  const auto comms = make_thread_ranks(WorldSize(2), Seconds(30));
  Rank3Layers rank(comms[0]);
  comms[1].abort("planted");
  EXPECT_THAT(message_of<RunFailed>([&] { rank.step(1); }), testing::HasSubstr("planted"));
}

}  // namespace
}  // namespace scalestudy
