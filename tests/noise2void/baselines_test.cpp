#include "workloads/noise2void/baselines.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalestudy::noise2void {
namespace {

TEST(ConstantLoss, OfSquaresIsTheVariance) {
  EXPECT_DOUBLE_EQ(constant_loss(LossKind::mse, {1, 2, 6}), (4.0 + 1 + 9) / 3);
}

TEST(ConstantLoss, OfAbsoluteErrorsIsTheDistanceToTheMedian) {
  EXPECT_DOUBLE_EQ(constant_loss(LossKind::mae, {1, 2, 6}), (1.0 + 0 + 4) / 3);
  EXPECT_DOUBLE_EQ(constant_loss(LossKind::mae, {6, 1, 2, 3}), (3.5 + 1.5 + 0.5 + 0.5) / 4);
}

/// Of no other value the loss is smaller.
TEST(ConstantLoss, IsTheBestOfAllConstants) {
  const std::vector<double> targets{-1.5, 0.2, 0.3, 0.4, 7};
  for (double value = -2; value < 8; value += 0.01) {
    double squares = 0, distances = 0;
    for (const double target : targets) {
      squares += (target - value) * (target - value) / 5;
      distances += std::abs(target - value) / 5;
    }
    EXPECT_GE(squares, constant_loss(LossKind::mse, targets) - 1e-12);
    EXPECT_GE(distances, constant_loss(LossKind::mae, targets) - 1e-12);
  }
}

TEST(ConstantLoss, IsZeroForOneGreyValueAndUnknownWithoutAny) {
  EXPECT_EQ(constant_loss(LossKind::mse, {3, 3}), 0);
  EXPECT_TRUE(std::isnan(constant_loss(LossKind::mse, {})));
}

/// Range 10, errors 1, −1, 2 and 0: 10 log10(100 / 1.5).
TEST(Psnr, IsThatOfTheReferencesRange) {
  const Volume reference{{1, 2, 2}, {0, 10, 4, 4}, "uint8"};
  const Volume noisy{{1, 2, 2}, {1, 9, 6, 4}, "uint8"};
  EXPECT_NEAR(psnr_db(reference, noisy), 18.239087, 1e-6);
  EXPECT_EQ(psnr_db(reference, reference), INFINITY);
}

}  // namespace
}  // namespace scalestudy::noise2void
