#include "training/owned_update.hpp"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

/// Of two linear layers without bias, 6 and 12 weights, each a piece of its own.
class TwoPieces final : public ReductionStrategy {
 public:
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {}
  [[nodiscard]] std::vector<Piece> owned(std::int64_t) const override { return {{0, 6}, {6, 12}}; }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return {}; }
};

class Layers {
 public:
  explicit Layers(OptimizerKind kind)
      : parameters_({layer(2, 3), layer(3, 4)}, {0, 1}),
        update_(settings(kind), parameters_, two_) {}

  /// Updates with gradients that all are `gradient`, as early as the first `summed_count` allow.
  void step(double gradient, std::int64_t summed_count) {
    parameters_.gradients().fill_(gradient);
    parameters_.weight().fill_(2);
    update_.step_early(summed_count, 0.125, parameters_.gradients(), parameters_.weight());
    early_ = parameters_.values().clone();
    update_.step(0.125, parameters_.gradients(), parameters_.weight(), {});
  }
  [[nodiscard]] torch::Tensor values() { return parameters_.values().clone(); }
  [[nodiscard]] const torch::Tensor& early() const { return early_; }
  [[nodiscard]] OwnedUpdate& update() { return update_; }

 private:
  static torch::Tensor layer(std::int64_t inputs, std::int64_t outputs) {
    return torch::arange(1, 1 + inputs * outputs, torch::kFloat32)
        .reshape({outputs, inputs})
        .requires_grad_();
  }
  static OptimizerSettings settings(OptimizerKind kind) {
    OptimizerSettings settings;
    settings.name = kind;
    settings.weight_decay = 0.01;
    return settings;
  }

  TwoPieces two_;
  FlatParameters parameters_;
  OwnedUpdate update_;
  torch::Tensor early_;
};

class EarlyUpdate : public testing::TestWithParam<OptimizerKind> {};

TEST_P(EarlyUpdate, ChangesNothingButWhen) {
  Layers late(GetParam()), early(GetParam());
  for (int step = 0; step < 3; ++step) {
    late.step(step + 1, 0);
    early.step(step + 1, step == 0 ? 6 : step == 1 ? 18 : 17);
    EXPECT_TRUE(early.values().equal(late.values())) << "step " << step;
  }
  EXPECT_EQ(early.update().steps(), 3);
  const auto one = late.update().state(), other = early.update().state();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].second.equal(other[i].second));
}

TEST_P(EarlyUpdate, TakesWholePiecesThatAreSummed) {
  Layers layers(GetParam());
  const auto before = layers.values();
  layers.step(1, 5);
  EXPECT_TRUE(layers.early().equal(before)) << "the last of its gradients is missing";
  const auto between = layers.values();
  layers.step(1, 17);
  EXPECT_FALSE(layers.early().narrow(0, 0, 6).equal(between.narrow(0, 0, 6)));
  EXPECT_TRUE(layers.early().narrow(0, 6, 12).equal(between.narrow(0, 6, 12)));
}

INSTANTIATE_TEST_SUITE_P(
    , EarlyUpdate, testing::Values(OptimizerKind::adam, OptimizerKind::sgd, OptimizerKind::lars));

}  // namespace
}  // namespace scalestudy
