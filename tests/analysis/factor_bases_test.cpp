#include "analysis/speed/factor_bases.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FactorBases : public AnalysedStudy {
 protected:
  /// Steps of 63 ms at one rank, 10 and 20 % longer at two and four; as many samples.
  void add_ranks(std::int64_t ranks) {
    add({.ranks = ranks,
         .epochs = 4 / ranks,
         .exposed_communication_s = 0.0063 * std::log2(double(ranks)),
         .between_epochs_s = 0.2,
         .time_noise = 0.01},
        3);
  }
  /// Steps of `compute_s` and 3 ms.
  void add_arm(double compute_s) {
    add({.compute_s = compute_s,
         .between_epochs_s = 0.2,
         .time_noise = 0.01,
         .control_arm = ControlArm::no_distributed_path},
        3);
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const FactorsAgainst& one : series().factor_bases)
      all.push_back(cat(one.base, " ", one.base_ranks, " ", one.ranks));
    return all;
  }
  static double geometric(const Series& series, std::int64_t ranks, double SummaryRow::*measure) {
    double product = 1;
    for (const double value : series.group(ranks).values(measure)) product *= value;
    return std::cbrt(product);
  }
};

TEST_F(FactorBases, AreOneRankWithoutThePathAndTheRanksBefore) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks);
  add_arm(0.054);
  EXPECT_THAT(names(), ElementsAre("no_distributed_path 1 1", "no_distributed_path 1 2",
                                   "no_distributed_path 1 4", "previous_ranks 2 4"));
}

TEST_F(FactorBases, AreRecomputedFromTheRuns) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks);
  add_arm(0.054);
  const Series& proper = series().series;
  const Series& arm = analysis().control_arms().at(0).series;
  for (const FactorsAgainst& one : series().factor_bases) {
    const Series& base = one.base == FactorBase::no_distributed_path ? arm : proper;
    const double time_s = geometric(base, one.base_ranks, &SummaryRow::training_time_s);
    const double rate = geometric(base, one.base_ranks, &SummaryRow::samples_per_s);
    const Factorisation& f = one.factors;
    EXPECT_NEAR(one.base_absolute.training_time_s, time_s, 1e-9);
    EXPECT_NEAR(one.base_absolute.samples_per_s, rate, 1e-9);
    EXPECT_NEAR(f.total.value, time_s / one.absolute.training_time_s, 1e-9);
    EXPECT_NEAR(f.throughput.value, one.absolute.samples_per_s / rate, 1e-9);
    EXPECT_NEAR(f.throughput.value * f.statistical.value * f.fixed_cost.value * f.unexplained.value,
                f.total.value, 1e-9);
    EXPECT_TRUE(f.total.interval);
  }
}

/// 57 ms without the path, 63 ms with it.
TEST_F(FactorBases, APlantedCostOfThePathIsFound) {
  add_ranks(1);
  add_ranks(2);
  add_arm(0.054);
  const FactorsAgainst& one = series().factor_bases.at(0);
  ASSERT_TRUE(one.factors.throughput.interval);
  EXPECT_TRUE(one.factors.throughput.interval->contains(57.0 / 63));
  EXPECT_TRUE(is_resolved(one.factors.throughput, 1));
}

TEST_F(FactorBases, APathThatCostsNothingIsNoFactor) {
  add_ranks(1);
  add_ranks(2);
  add_arm(0.060);
  EXPECT_FALSE(is_resolved(series().factor_bases.at(0).factors.throughput, 1));
}

TEST_F(FactorBases, AreNoneWithoutArmAndWithOneRankBefore) {
  add_ranks(1);
  add_ranks(2);
  EXPECT_THAT(names(), IsEmpty()) << "one rank is the base of the speed-up itself";
}

TEST_F(FactorBases, OfOneRankCountAreNone) {
  add_ranks(2);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FactorBases, WithoutOneRankTheStepIsStillThere) {
  add_ranks(2);
  add_ranks(4);
  EXPECT_THAT(names(), ElementsAre("previous_ranks 2 4"));
}

TEST_F(FactorBases, ResumedRunsAreNoBase) {
  add_ranks(1);
  add_run({.ranks = 2, .epochs = 2, .labels = {"resumed"}});
  add_ranks(4);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FactorBases, TheArmOfAnotherStudyIsNoBase) {
  add_ranks(1);
  add_ranks(2);
  add({.local_batch = 8, .control_arm = ControlArm::no_distributed_path}, 3);
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace scalestudy
