/// What comes with scalestudy says what was published.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>

#include "analysis/claims/claim.hpp"
#include "tests/support/places.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

fs::path claims_folder() {
  return fs::path(test::in_sources("results/claims"));
}

Claim shipped(const std::string& name) {
  return read_claim(claims_folder() / (name + ".json"), workload_catalogue());
}

double value_at(const Claim& claim, std::int64_t ranks) {
  const auto found = std::ranges::find(claim.points, ranks, &ClaimPoint::ranks);
  return found == claim.points.end() ? not_available : found->value;
}

TEST(ShippedClaims, AllAreReadAndCalledAsTheirFiles) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(claims_folder())) {
    EXPECT_EQ(entry.path().extension(), ".json");
    const auto claim = shipped(entry.path().stem().string());
    EXPECT_EQ(claim.name, entry.path().stem().string());
    EXPECT_THAT(claim.source, HasSubstr(" @ ")) << claim.name << " names a commit";
    ++count;
  }
  EXPECT_EQ(count, 15U);
}

TEST(ShippedClaims, OneAndFourA100) {
  const auto one = shipped("biapol-one-gpu-time"), four = shipped("biapol-four-gpu-time");
  EXPECT_EQ(value_at(one, 1), 42 * 60 + 31);
  EXPECT_EQ(value_at(four, 4), 20 * 60 + 26);
  EXPECT_EQ(one.points.at(0).steps, 200 * 200);
  EXPECT_EQ(four.points.at(0).steps, 50 * 200);
  const auto speedup = shipped("biapol-speed-up");
  EXPECT_NEAR(value_at(speedup, 4), value_at(one, 1) / value_at(four, 4), 0.005);
  for (const auto* claim : {&one, &four, &speedup}) {
    EXPECT_EQ(claim->conditions.sample_size, (std::vector<std::int64_t>{16, 64, 64}));
    EXPECT_EQ(claim->conditions.local_batch_size, 16);
    EXPECT_EQ(claim->conditions.base_learning_rate, 4e-4);
    EXPECT_EQ(claim->conditions.device_model, "A100");
  }
  const auto because = shipped("biapol-because-of-synchronisation");
  EXPECT_EQ(because.causes, (std::vector{StepCause::transfer, StepCause::exchange_contention}));
  EXPECT_EQ(because.conditions.input, InputKind::serial);
  const auto smoother = shipped("biapol-smoother");
  EXPECT_EQ(smoother.accepted(smoother.points.at(0)).high, 1);
}

/// Speed-up and IoU by numbers of GPUs, as the repositories' 32 files give them.
struct PublishedArm {
  const char* name;
  std::array<double, 8> speedup, iou;
};
constexpr std::array<std::int64_t, 8> gpus{1, 2, 4, 6, 8, 10, 12, 14};
const std::array arms{PublishedArm{"tf-native",
                                   {1, 1.97, 3.37, 5.20, 6.52, 7.52, 9.59, 10.49},
                                   {.9643, .9508, .9506, .9345, .9241, .9105, .5509, .4858}},
                      PublishedArm{"tf-horovod",
                                   {1, 1.96, 3.85, 5.84, 7.50, 9.39, 11.20, 12.59},
                                   {.9653, .9678, .9195, .9560, .8862, .9444, .9170, .8882}},
                      PublishedArm{"pytorch-ddp",
                                   {1, 1.87, 3.61, 5.54, 7.00, 8.69, 10.78, 11.96},
                                   {.8998, .8977, .8840, .8517, .8680, .7814, .8022, .9244}},
                      PublishedArm{"pytorch-horovod",
                                   {1, 1.11, 1.83, 2.75, 3.47, 4.38, 5.35, 5.98},
                                   {.8985, .8846, .8942, .8843, .8673, .7835, .7929, .9018}}};

TEST(ShippedClaims, All32PointsOfTheUNet) {
  for (const auto& arm : arms) {
    const auto speedup = shipped(std::string("rwth-") + arm.name + "-speed-up");
    const auto iou = shipped(std::string("rwth-") + arm.name + "-iou");
    EXPECT_EQ(speedup.points.size(), gpus.size() - 1);
    EXPECT_EQ(iou.points.size(), gpus.size());
    EXPECT_EQ(iou.metric, "iou_smoothed");
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      EXPECT_EQ(value_at(iou, gpus[i]), arm.iou[i]) << arm.name << gpus[i];
      if (gpus[i] == 1) continue;
      EXPECT_EQ(value_at(speedup, gpus[i]), arm.speedup[i]) << arm.name << gpus[i];
    }
    for (const auto* claim : {&speedup, &iou}) {
      EXPECT_EQ(claim->conditions.sample_size, (std::vector<std::int64_t>{768, 1024}));
      for (const auto& point : claim->points)
        EXPECT_EQ(point.steps, 200 * (1792 / (16 * point.ranks)));
    }
  }
}

/// 224 images, of which a rank judges its share without the incomplete batch of 16.
TEST(ShippedClaims, EachIouSaysOnHowManyImages) {
  for (const auto& arm : arms) {
    for (const auto& point : shipped(std::string("rwth-") + arm.name + "-iou").points) {
      const bool is_known = point.ranks == 1 || std::string(arm.name) != "tf-native";
      const auto images = 224 / point.ranks / 16 * 16;
      EXPECT_EQ(point.evaluated_samples, is_known ? images : 0) << arm.name << point.ranks;
    }
  }
}

/// Bars of 59, 42 and 32 %, read to 1 %.
TEST(ShippedClaims, TowersAreAsExactAsTheirFigure) {
  const auto claim = shipped("cxflow-towers-speed-up");
  const std::map<std::int64_t, double> bars{{2, 59}, {3, 42}, {4, 32}};
  const std::map<std::int64_t, double> published{{2, 1.69}, {3, 2.4}, {4, 3.1}};
  ASSERT_EQ(claim.points.size(), bars.size());
  for (const auto& point : claim.points) {
    EXPECT_EQ(point.value, published.at(point.ranks));
    const auto accepted = claim.accepted(point);
    const double bar = bars.at(point.ranks);
    EXPECT_TRUE(accepted.contains(100 / (bar + 1)) && accepted.contains(100 / (bar - 1))) << bar;
    EXPECT_FALSE(accepted.contains(100 / (bar + 2)) || accepted.contains(100 / (bar - 2))) << bar;
  }
  EXPECT_EQ(claim.conditions.workload, "") << "the figure names none";
}

TEST(ShippedClaims, BirdsAreFasterWithoutANumber) {
  const auto claim = shipped("saturn-faster");
  EXPECT_EQ(claim.relation, ClaimRelation::more);
  EXPECT_EQ(value_at(claim, 4), 1);
  EXPECT_EQ(claim.conditions.scaling_rule, ScalingRule::strong);
  EXPECT_EQ(claim.conditions.local_batch_size, 64);
}

}  // namespace
}  // namespace scalestudy
