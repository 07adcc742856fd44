#include "analysis/speed/run_causes.hpp"

#include <random>

#include <gmock/gmock.h>

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto cause_at = [](RunCause cause) { return static_cast<std::size_t>(cause); };

/// Five launches of 1,000 steps of 50 ms on one rank, and of a quarter of them on four.
struct Planted {
  std::array<double, run_cause_count> at_one_s{4, 0, 50, 0.5, 3, 0.5, 0.2};
  std::array<double, run_cause_count> at_n_s{1, 0, 12.5, 0.125, 0.75, 0.125, 0.05};
  double samples_at_n = 8000;
  double paired_sd = 0.002;

  [[nodiscard]] RunEvidence evidence(unsigned seed = 1) const {
    std::mt19937 random(seed);
    RunEvidence all{.ranks = 4, .margin_frac = 0.03};
    for (std::int64_t block = 0; block < 5; ++block) {
      all.base.push_back(launch(at_one_s, 8000, block, random));
      all.compared.push_back(launch(at_n_s, samples_at_n, block, random));
    }
    return all;
  }

 private:
  [[nodiscard]] LaunchShares launch(const std::array<double, run_cause_count>& shares_s,
                                    double samples,
                                    std::int64_t block,
                                    std::mt19937& random) const {
    std::normal_distribution<double> scatter(1, paired_sd);
    LaunchShares one{.block = block, .share_s = shares_s, .samples = samples};
    for (double& share_s : one.share_s) {
      share_s *= scatter(random);
      one.launch_s += share_s;
    }
    return one;
  }
};

std::vector<RunCause> with_verdict(const RunDecision& decision, Verdict verdict) {
  std::vector<RunCause> causes;
  for (const auto& finding : decision.findings)
    if (finding.verdict == verdict) causes.push_back(finding.cause);
  return causes;
}

const Estimate& growth_of(const RunDecision& decision, RunCause cause) {
  return decision.findings.at(cause_at(cause)).growth_s;
}

TEST(RunCauses, EachPlantedOneIsFoundAndNoOther) {
  for (const auto& row : choices<RunCause>) {
    if (row.value == RunCause::samples) continue;  // below: no time of its own
    Planted planted;
    planted.at_n_s.at(cause_at(row.value)) += 2;
    const auto decision = decide_run_causes(planted.evidence());
    EXPECT_TRUE(decision.is_loss) << row.name;
    EXPECT_THAT(with_verdict(decision, Verdict::supported), ElementsAre(row.value));
    EXPECT_EQ(with_verdict(decision, Verdict::refuted).size(), run_cause_count - 1) << row.name;
    EXPECT_NEAR(growth_of(decision, row.value).value, 2, 0.1) << row.name;
  }
}

TEST(RunCauses, CostsThatDoNotShrinkAreWhatIsLost) {
  Planted planted;
  planted.at_n_s = planted.at_one_s;
  planted.at_n_s.at(cause_at(RunCause::steps)) = 12.5;
  const auto decision = decide_run_causes(planted.evidence());
  EXPECT_THAT(with_verdict(decision, Verdict::supported),
              ElementsAre(RunCause::start_up, RunCause::evaluation));
  EXPECT_NEAR(growth_of(decision, RunCause::start_up).value, 4 * 0.75, 0.05);
}

/// Steps that are more are not slower.
TEST(RunCauses, MoreSamplesAreNoSlowness) {
  Planted planted;
  planted.samples_at_n = 10000;
  planted.at_n_s.at(cause_at(RunCause::steps)) *= 1.25;
  const auto decision = decide_run_causes(planted.evidence());
  EXPECT_THAT(with_verdict(decision, Verdict::supported), ElementsAre(RunCause::samples));
  EXPECT_NEAR(growth_of(decision, RunCause::samples).value, 3.125, 0.02);
}

/// A loss just below the margin, and scatter in which it may look like more.
TEST(RunCauses, ALossBelowTheMarginIsNone) {
  constexpr int studies = 400;
  int supported = 0;
  for (unsigned seed = 1; seed <= studies; ++seed) {
    Planted planted;
    planted.paired_sd = 0.05;
    planted.at_n_s.at(cause_at(RunCause::steps)) += 0.9 * 0.03 * 14.55;
    const auto decision = decide_run_causes(planted.evidence(seed));
    supported += with_verdict(decision, Verdict::supported).empty() ? 0 : 1;
  }
  EXPECT_LE(supported, studies / 50);
}

TEST(RunCauses, SharesAndTheUnexplainedAddUpToTheLoss) {
  Planted planted;
  planted.at_n_s.at(cause_at(RunCause::first_steps)) += 1;
  auto evidence = planted.evidence();
  for (auto& launch : evidence.compared) {
    launch.unexplained_s = 0.3;
    launch.launch_s += 0.3;
  }
  const auto decision = decide_run_causes(evidence);
  double sum_s = decision.unexplained_s;
  for (const auto& finding : decision.findings) sum_s += finding.growth_s.value;
  EXPECT_NEAR(sum_s, decision.loss_s.value, 1e-9);
  EXPECT_NEAR(decision.unexplained_s, 0.3, 1e-9);
}

TEST(RunCauses, WithFewLaunchesNothingIsSaid) {
  auto evidence = Planted{}.evidence();
  evidence.base.resize(2);
  EXPECT_THAT(decide_run_causes(evidence).findings, IsEmpty());
}

TEST(RunCauses, ConvergenceIsJudgedByWhatReachedTheTarget) {
  const auto verdict_of = [](double low, double high) {
    auto evidence = Planted{}.evidence();
    evidence.sample_ratio.value = (low + high) / 2;
    evidence.sample_ratio.interval = Interval{low, high};
    return decide_run_causes(evidence).slower_convergence;
  };
  EXPECT_EQ(verdict_of(1.2, 1.4), Verdict::supported);
  EXPECT_EQ(verdict_of(0.9, 1.02), Verdict::refuted);
  EXPECT_EQ(verdict_of(1.0, 1.1), Verdict::undecided);
  EXPECT_EQ(decide_run_causes(Planted{}.evidence()).slower_convergence, Verdict::undecided)
      << "no target, or not all reached it";
}

}  // namespace
}  // namespace scalestudy
