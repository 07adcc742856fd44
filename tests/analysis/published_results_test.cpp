/// The shipped published studies: each published number comes out of the analysis.

#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/published/published_analysis.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

fs::path shipped_folder() {
  return fs::path(test::in_sources("results/published"));
}

PublishedAnalysis shipped(const std::string& name) {
  return analyse_published(read_published_study(shipped_folder() / (name + ".json")));
}

const ArmAnalysis& arm_of(const PublishedAnalysis& analysis, const std::string& name) {
  for (const auto& arm : analysis.arms)
    if (arm.arm.name == name) return arm;
  throw std::out_of_range(name);
}

double product(const Factorisation& f) {
  return f.throughput.value * f.statistical.value * f.fixed_cost.value * f.unexplained.value;
}

constexpr std::array<std::int64_t, 8> numbers_of_gpus{1, 2, 4, 6, 8, 10, 12, 14};

/// As published by numbers of GPUs: total time's speed-up, that of the median epoch.
struct RwthArm {
  const char* study;
  const char* arm;
  std::array<double, 8> total, steady;
};

const std::array rwth_arms{RwthArm{"rwth-unet-tensorflow",
                                   "native",
                                   {1, 1.97, 3.37, 5.20, 6.52, 7.52, 9.59, 10.49},
                                   {1, 1.99, 3.44, 5.35, 6.76, 7.93, 10.16, 11.19}},
                           RwthArm{"rwth-unet-tensorflow",
                                   "Horovod",
                                   {1, 1.96, 3.85, 5.84, 7.50, 9.39, 11.20, 12.59},
                                   {1, 1.97, 3.91, 6.00, 7.78, 9.86, 12.00, 13.51}},
                           RwthArm{"rwth-unet-pytorch",
                                   "DDP",
                                   {1, 1.87, 3.61, 5.54, 7.00, 8.69, 10.78, 11.96},
                                   {1, 1.86, 3.59, 5.52, 6.98, 8.66, 10.77, 11.92}},
                           RwthArm{"rwth-unet-pytorch",
                                   "Horovod",
                                   {1, 1.11, 1.83, 2.75, 3.47, 4.38, 5.35, 5.98},
                                   {1, 1.11, 1.83, 2.75, 3.46, 4.38, 5.33, 5.98}}};

class Rwth : public testing::TestWithParam<RwthArm> {
 protected:
  PublishedAnalysis analysis_ = shipped(GetParam().study);
  const ArmAnalysis& arm_ = arm_of(analysis_, GetParam().arm);
};

TEST_P(Rwth, HasThePublishedSpeedups) {
  ASSERT_EQ(arm_.points.size(), numbers_of_gpus.size());
  for (std::size_t i = 0; i < arm_.points.size(); ++i) {
    const auto& point = arm_.points[i];
    EXPECT_EQ(point.ranks, numbers_of_gpus[i]);
    EXPECT_NEAR(point.to_base.total.value, GetParam().total[i], 0.01) << point.ranks;
    EXPECT_NEAR(point.to_base.median_epoch.value, GetParam().steady[i], 0.03) << point.ranks;
  }
}

TEST_P(Rwth, CountsTheSamplesThatWereDropped) {
  for (const auto& point : arm_.points) {
    const double n = static_cast<double>(point.ranks);
    const double kept = std::floor(1792 / (16 * n)) * 16 * n;
    EXPECT_EQ(point.samples_per_epoch, kept) << n;
    EXPECT_EQ(point.global_batch_size, 16 * n);
    const auto& ratio = point.to_base;
    EXPECT_NEAR(ratio.rate.value, ratio.median_epoch.value * kept / 1792, 1e-9) << n;
    EXPECT_NEAR(ratio.factors.statistical.value, 1792 / kept, 1e-9) << n;
  }
}

TEST_P(Rwth, TheFactorsMakeUpTheTotal) {
  for (const auto& point : arm_.points) {
    EXPECT_EQ(point.to_base.identified, Identified::all);
    EXPECT_NEAR(product(point.to_base.factors), point.to_base.total.value, 1e-9);
    EXPECT_NEAR(point.to_base.factors.unexplained.value, 1, 0.03)
        << "what the first epoch takes longer explains the rest";
  }
}

TEST_P(Rwth, OneRunHasNoInterval) {
  for (const auto& point : arm_.points) EXPECT_FALSE(point.to_base.total.interval);
}

INSTANTIATE_TEST_SUITE_P(AllArms, Rwth, testing::ValuesIn(rwth_arms));

TEST(PublishedResults, TheFirstEpochIsTheFixedCostOfTensorFlow) {
  const auto analysis = shipped("rwth-unet-tensorflow");
  const auto& last = arm_of(analysis, "Horovod").points.back();
  EXPECT_NEAR(last.to_base.factors.compared.fixed_frac, (42.8 - 2.78) / 599.2, 1e-9);
  EXPECT_NEAR(last.to_base.factors.base.fixed_frac, (66.3 - 37.55) / 7547.0, 1e-9);
}

TEST(PublishedResults, EvaluationOnRankZerosShareIsFoundFromItsCounts) {
  for (const auto& [study, arm] :
       {std::pair{"rwth-unet-tensorflow", "Horovod"}, std::pair{"rwth-unet-pytorch", "DDP"},
        std::pair{"rwth-unet-pytorch", "Horovod"}}) {
    const auto analysis = shipped(study);
    const auto& found = arm_of(analysis, arm);
    EXPECT_TRUE(found.population.differs) << study << arm;
    EXPECT_THAT(found.population.counts, HasSubstr("224 at 1 rank, 112 at 2 ranks, 48 at 4"));
    for (const auto& point : found.points)
      EXPECT_TRUE(std::isnan(point.quality_difference.value)) << "quality is not compared";
  }
}

TEST(PublishedResults, WhereCountsAreNotStatedNothingIsFlaggedAndNothingCompared) {
  const auto analysis = shipped("rwth-unet-tensorflow");
  const auto& native = arm_of(analysis, "native");
  EXPECT_FALSE(native.population.differs);
  EXPECT_FALSE(native.population.is_known);
  for (const auto& point : native.points) EXPECT_TRUE(std::isnan(point.quality_difference.value));
}

TEST(PublishedResults, DellXe8640IsThroughputTimesEpochsTimesFixedCost) {
  const auto analysis = shipped("mlperf-dell-xe8640");
  const auto& point = analysis.arms.front().points.back();
  const auto& f = point.to_base.factors;
  EXPECT_EQ(point.to_base.base_ranks, 4);
  EXPECT_EQ(point.to_base.identified, Identified::all);
  EXPECT_NEAR(f.total.value, 1.915, 1e-3);
  EXPECT_NEAR(f.throughput.value, 1.867, 1e-3);
  EXPECT_NEAR(f.statistical.value, 36.0 / 35, 1e-9);
  EXPECT_NEAR(f.fixed_cost.value, 1.915 / (1.867 * 36 / 35), 1e-3);
  EXPECT_NEAR(product(f), f.total.value, 1e-9);
  EXPECT_NEAR(f.base.fixed_frac, 0.0066, 1e-4);
  EXPECT_NEAR(f.compared.fixed_frac, 0.0093, 1e-4);
  EXPECT_NEAR(point.efficiency.value, 1.915 / 2, 1e-3);
}

TEST(PublishedResults, H3cIsTwoFactorsAndItsFixedShareIsNotIdentifiable) {
  const auto analysis = shipped("mlperf-h3c-a100");
  const auto& point = analysis.arms.front().points.at(1);
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.to_base.identified, Identified::whole_rate_and_work);
  EXPECT_NEAR(point.to_base.total.value, 6.52, 5e-3);
  EXPECT_NEAR(point.to_base.rate.value, 4.15, 5e-3);
  EXPECT_NEAR(point.to_base.factors.statistical.value, 1.571, 5e-4);
  EXPECT_NEAR(point.to_base.factors.statistical.value * point.to_base.rate.value,
              point.to_base.total.value, 1e-9);
  const auto& eight = analysis.arms.front().points.at(2).to_previous;
  EXPECT_EQ(eight.base_ranks, 4);
  EXPECT_NEAR(eight.total.value, 60.703 / 31.068, 1e-9);
}

TEST(PublishedResults, FujitsuLeavesSamplesAndFixedCostTogether) {
  const auto analysis = shipped("mlperf-fujitsu-cdi");
  const auto& ratio = analysis.arms.front().points.back().to_base;
  EXPECT_EQ(ratio.identified, Identified::rate_and_rest);
  EXPECT_NEAR(ratio.total.value, 115.7 / 24.47, 1e-9);
  EXPECT_NEAR(ratio.rate.value, 30937.0 / 6702, 1e-9);
  EXPECT_NEAR(ratio.rest.value * ratio.rate.value, ratio.total.value, 1e-9);
}

TEST(PublishedResults, BiapolIsWallTimeOfEqualWork) {
  const auto analysis = shipped("biapol-n2v");
  const auto& arm = analysis.arms.front();
  const auto& point = arm.points.back();
  EXPECT_EQ(arm.time, PublishedTime::launch_wall);
  EXPECT_NEAR(point.to_base.total.value, 2.08, 5e-3);
  EXPECT_NEAR(point.efficiency.value, 0.520, 5e-4);
  EXPECT_EQ(point.to_base.identified, Identified::whole_rate_and_work);
  EXPECT_NEAR(point.to_base.factors.statistical.value, 1, 1e-12) << "640,000 patches in both";
}

TEST(PublishedResults, TowersAreRelativeTimesWithoutAbsoluteOnes) {
  const auto analysis = shipped("cxflow-towers");
  const auto& arm = analysis.arms.front();
  const std::vector<double> published{1, 1.69, 2.4, 3.1};
  ASSERT_EQ(arm.points.size(), published.size());
  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_NEAR(arm.points[i].to_base.total.value, published[i], 0.03);
    EXPECT_EQ(arm.points[i].to_base.identified, Identified::total_only);
    EXPECT_TRUE(std::isnan(arm.points[i].time_s));
  }
  EXPECT_EQ(arm.arm.reading_error_frac, 0.01);
}

TEST(PublishedResults, RatesAloneAreRatesAlone) {
  const auto lambda = shipped("lambda");
  const auto& h200 = arm_of(lambda, "H200 AMP").points.back();
  EXPECT_EQ(h200.to_base.identified, Identified::rate_only);
  EXPECT_NEAR(h200.to_base.rate.value, 24479.0 / 3079, 1e-9);
  const auto industrial = shipped("dle-unet-industrial");
  const auto& retrograde = arm_of(industrial, "A100-40 AMP").points.back();
  EXPECT_LT(retrograde.to_previous.rate.value, 1) << "8 GPUs are slower than 4";
}

TEST(PublishedResults, EveryFileCanBeReadAndHasASourceAndItsNameAsName) {
  const auto files = published_files(shipped_folder());
  EXPECT_GE(files.size(), 19U);
  for (const auto& file : files) {
    const auto study = read_published_study(file);
    EXPECT_EQ(study.name, file.stem().string());
    EXPECT_THAT(study.repository, testing::StartsWith("https://github.com/"));
    const auto analysis = analyse_published(study);
    for (const auto& arm : analysis.arms)
      for (const auto& point : arm.points)
        EXPECT_NE(point.to_base.identified, Identified::nothing) << file;
  }
}

}  // namespace
}  // namespace scalestudy
