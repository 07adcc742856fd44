#include "analysis/step/arm_contrast.hpp"

#include <cmath>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/study_matrix.hpp"

#include "analysis/study/study_analysis.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Student's t, 97.5 %, from a printed table.
constexpr double t_of_2 = 4.302652730;
constexpr double t_of_4 = 2.776445105;

/// A launch whose every steady step is the same.
struct Launch {
  std::int64_t ranks = 2;
  std::optional<ControlArm> arm;
  std::vector<double> step_s{0.2};  ///< by rank; the last one's stands for those that are missing
  double peer_wait_s = 0;
  double exposed_transfer_s = 0;
  double input_wait_s = 0;
  double local_samples = 4;
  bool is_split = true;  ///< into waiting and transfer; not in files of schema 1
  std::vector<std::string> labels;
  SyntheticRun spec;
};

constexpr std::int64_t steps = 30;

void fill(StepTable& table, const Launch& launch) {
  for (const auto& column : columns_of<StepRow>)
    table.values(column).assign(static_cast<std::size_t>(launch.ranks * steps), 0.0);
  const auto fill_with = [&](double StepRow::*time, double value) {
    auto& values = table.values(time);
    values.assign(values.size(), value);
  };
  fill_with(&StepRow::exposed_communication_s, launch.peer_wait_s + launch.exposed_transfer_s);
  fill_with(&StepRow::peer_wait_s, launch.is_split ? launch.peer_wait_s : not_available);
  fill_with(&StepRow::exposed_transfer_s,
            launch.is_split ? launch.exposed_transfer_s : not_available);
  fill_with(&StepRow::input_wait_s, launch.input_wait_s);
  table.values(&StepRow::sample_count)
      .assign(table.values(&StepRow::loss).size(), launch.local_samples);
  auto& step_s = table.values(&StepRow::step_s);
  for (std::size_t i = 0; i < step_s.size(); ++i) {
    const auto rank = i / static_cast<std::size_t>(steps);
    step_s[i] = launch.step_s[std::min(rank, launch.step_s.size() - 1)];
  }
}

scalestudy::Run run_of(const Launch& launch, std::int64_t repeat) {
  scalestudy::Run run;
  auto spec = launch.spec;
  spec.ranks = launch.ranks;
  spec.repeat = repeat;
  run.spec = spec_of(spec);
  if (launch.arm) run.spec = without(run.spec, *launch.arm);
  run.origin = {spec.study, spec.build_id, spec.cpu_model, "", ""};
  run.labels = launch.labels;
  RunRecord record;
  record.header.labels = launch.labels;
  record.steps = StepTable(launch.ranks, steps);
  fill(record.steps, launch);
  run.measures = RunMeasures(record, {run.spec.settings.warmup_steps});
  run.digest = digest_of(record, run.measures);
  run.record = std::move(record);
  return run;
}

class ArmContrasts : public ::testing::Test {
 protected:
  void add(const Launch& launch, std::int64_t repeat = 0) {
    set_.runs.push_back(run_of(launch, repeat));
  }
  /// A launch per step time, the repeats counted from `first`.
  void add_all(Launch launch, const std::vector<double>& steps_s, std::int64_t first = 0) {
    for (const double step_s : steps_s) {
      launch.step_s = {step_s};
      add(launch, first++);
    }
  }
  const StudyAnalysis& analysis() {
    if (!analysis_) analysis_.emplace(set_);
    return *analysis_;
  }
  const std::vector<ArmContrast>& all() { return analysis().studies().at(0).arm_contrasts; }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const ArmContrast& one : all()) names.push_back(cat(one.kind->name, " ", one.ranks));
    return names;
  }
  const ArmContrast& found(std::string_view name, std::int64_t ranks = 2) {
    for (const ArmContrast& one : all())
      if (one.kind->name == name && one.ranks == ranks) return one;
    throw std::runtime_error(cat("no contrast ", name, " at ", ranks));
  }

  RunSet set_;

 private:
  std::optional<StudyAnalysis> analysis_;
};

const Launch full{.exposed_transfer_s = 0.02};
const Launch barrier{.arm = ControlArm::barrier_only};
const Launch silent{.arm = ControlArm::no_communication};

// Seconds saved in the pairs: 19, 20, 21 ms, of standard error 1 ms ÷ √3.
TEST_F(ArmContrasts, APlantedDifferenceIsFoundPairedByRepeat) {
  add_all(full, {0.20, 0.22, 0.18});
  add_all(barrier, {0.181, 0.200, 0.159});
  const ArmContrast& one = found("moving_gradients");
  const double reach_s = t_of_2 * 0.001 / std::sqrt(3.0);
  EXPECT_NEAR(one.base_step_s, 0.2, 1e-12);
  EXPECT_NEAR(one.arm_step_s, 0.18, 1e-12);
  EXPECT_NEAR(one.saved_s.value, 0.02, 1e-12);
  ASSERT_TRUE(one.saved_s.interval);
  EXPECT_NEAR(one.saved_s.interval->low, 0.02 - reach_s, 1e-9);
  EXPECT_NEAR(one.saved_s.interval->high, 0.02 + reach_s, 1e-9);
  EXPECT_EQ(one.saved_s.method, IntervalMethod::paired);
  EXPECT_EQ(one.saved_s.count, 3U);
  EXPECT_TRUE(one.is_resolved());
  EXPECT_NEAR(one.column_s, 0.02, 1e-12) << "the other look: the column of the full runs";
}

// Logarithms of the pairs' ratios: ln 0.9 + (−0.01, 0, 0.01), of standard error 0.01 ÷ √3.
TEST_F(ArmContrasts, TheShareIsOfRatios) {
  add_all(full, {0.20, 0.22, 0.18});
  add_all(barrier, {0.18 * std::exp(-0.01), 0.198, 0.162 * std::exp(0.01)});
  const ArmContrast& one = found("moving_gradients");
  const double reach = t_of_2 * 0.01 / std::sqrt(3.0);
  EXPECT_NEAR(one.saved_frac.value, 0.1, 1e-12);
  EXPECT_NEAR(one.saved_frac.interval->low, 1 - 0.9 * std::exp(reach), 1e-9);
  EXPECT_NEAR(one.saved_frac.interval->high, 1 - 0.9 * std::exp(-reach), 1e-9);
  EXPECT_EQ(one.saved_frac.method, IntervalMethod::paired_on_logs);
}

// Equal variances in equal groups: Welch's degrees of freedom are 4.
TEST_F(ArmContrasts, OtherRepeatsAreComparedByWelch) {
  add_all(full, {0.199, 0.2, 0.201});
  add_all(barrier, {0.179, 0.18, 0.181}, 1);
  const ArmContrast& one = found("moving_gradients");
  const double reach_s = t_of_4 * 0.001 * std::sqrt(2.0 / 3);
  EXPECT_EQ(one.saved_s.method, IntervalMethod::welch);
  ASSERT_TRUE(one.saved_s.interval);
  EXPECT_NEAR(one.saved_s.value, 0.02, 1e-12);
  EXPECT_NEAR(one.saved_s.interval->low, 0.02 - reach_s, 1e-9);
  EXPECT_NEAR(one.saved_s.interval->high, 0.02 + reach_s, 1e-9);
}

TEST_F(ArmContrasts, ARepeatThereTwiceMakesNoPairs) {
  add_all(full, {0.20, 0.21, 0.22});
  add(full, 2);
  add_all(barrier, {0.20, 0.21, 0.22});
  add(barrier, 2);
  EXPECT_EQ(found("moving_gradients").saved_s.method, IntervalMethod::welch);
}

TEST_F(ArmContrasts, NothingSavedIsNotResolved) {
  add_all(full, {0.200, 0.202, 0.198, 0.201});
  add_all(barrier, {0.201, 0.199, 0.200, 0.202});
  const ArmContrast& one = found("moving_gradients");
  ASSERT_TRUE(one.saved_s.interval);
  EXPECT_TRUE(one.saved_s.interval->contains(0));
  EXPECT_FALSE(one.is_resolved());
}

TEST_F(ArmContrasts, AnArmThatIsSlowerSavesLessThanNothing) {
  add_all(full, {0.200, 0.202, 0.198});
  add_all(barrier, {0.220, 0.222, 0.218});
  const ArmContrast& one = found("moving_gradients");
  EXPECT_LT(one.saved_s.value, -0.019);
  EXPECT_LT(one.saved_frac.interval->high, 0);
  EXPECT_TRUE(one.is_resolved());
}

/// Of 19, 22 and 19 ms that are saved the column sees 15, 16 and 14.
TEST_F(ArmContrasts, WhatTheColumnDoesNotSeeIsBeyondIt) {
  const std::vector<double> exposed_s{0.015, 0.016, 0.014}, steps_s{0.200, 0.202, 0.198};
  for (std::size_t i = 0; i < 3; ++i) {
    auto launch = full;
    launch.exposed_transfer_s = exposed_s[i];
    add_all(launch, {steps_s[i]}, static_cast<std::int64_t>(i));
  }
  add_all(barrier, {0.181, 0.180, 0.179});
  const Estimate& beyond_s = found("moving_gradients").beyond_column_s;
  // 4, 6 and 5 ms.
  const double reach_s = t_of_2 * 0.001 / std::sqrt(3.0);
  EXPECT_NEAR(beyond_s.value, 0.005, 1e-12);
  ASSERT_TRUE(beyond_s.interval);
  EXPECT_NEAR(beyond_s.interval->low, 0.005 - reach_s, 1e-9);
  EXPECT_NEAR(beyond_s.interval->high, 0.005 + reach_s, 1e-9);
}

TEST_F(ArmContrasts, WhereTheColumnSeesAllNothingIsBeyondIt) {
  add_all(full, {0.200, 0.202, 0.198});
  add_all(barrier, {0.181, 0.181, 0.178});
  const Estimate& beyond_s = found("moving_gradients").beyond_column_s;
  ASSERT_TRUE(beyond_s.interval);
  EXPECT_TRUE(beyond_s.interval->contains(0));
}

TEST_F(ArmContrasts, OneLaunchEachHasNoInterval) {
  add(full);
  add(barrier);
  const ArmContrast& one = found("moving_gradients");
  EXPECT_DOUBLE_EQ(one.saved_s.value, 0);
  EXPECT_FALSE(one.saved_s.interval);
  EXPECT_FALSE(one.is_resolved());
  EXPECT_EQ(one.saved_s.method, IntervalMethod::not_determinable);
}

TEST_F(ArmContrasts, AnArmWithoutPartnerHasNoneAtOneRank) {
  add({.ranks = 1});
  add(full);
  add(silent);
  EXPECT_THAT(names(), ElementsAre("exchange 2"));
}

TEST_F(ArmContrasts, PartnersStandAtOneRank) {
  add({.ranks = 1, .step_s = {0.15}});
  add(full);
  add(silent);
  add({.ranks = 1, .arm = ControlArm::no_distributed_path, .step_s = {0.14}});
  EXPECT_THAT(names(), ElementsAre("exchange 2", "distributed_path 1", "neighbours 2"));
  EXPECT_NEAR(found("distributed_path", 1).saved_s.value, 0.01, 1e-12);
}

TEST_F(ArmContrasts, NothingIsComparedWhereTheStudyProperHasNoRuns) {
  add(full);
  add({.ranks = 4, .arm = ControlArm::barrier_only});
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ArmContrasts, WithoutArmsThereIsNothingToSay) {
  add(full);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ArmContrasts, ResumedRunsDoNotCount) {
  add_all(full, {0.20, 0.20, 0.20});
  add_all(barrier, {0.18, 0.18, 0.18});
  auto resumed = barrier;
  resumed.labels = {"resumed"};
  add_all(resumed, {9.0}, 3);
  resumed.ranks = 1;
  add(resumed);
  EXPECT_THAT(names(), ElementsAre("moving_gradients 2"));
  EXPECT_EQ(found("moving_gradients").saved_s.count, 3U);
  EXPECT_NEAR(found("moving_gradients").saved_s.value, 0.02, 1e-12);
}

TEST_F(ArmContrasts, StudiesHaveTheirOwnArms) {
  std::vector<SyntheticRun> studies(4);
  studies[1].local_batch = 8;
  studies[2].study = "another";
  studies[3].build_id = "0.2.0+g99999999.release";
  for (std::size_t i = 0; i < studies.size(); ++i) {
    add({.step_s = {0.2}, .spec = studies[i]});
    add({.arm = ControlArm::barrier_only,
         .step_s = {0.19 - 0.01 * static_cast<double>(i)},
         .spec = studies[i]});
  }
  ASSERT_EQ(analysis().studies().size(), 4U);
  std::set<int> saved_ms;
  for (const SeriesAnalysis& study : analysis().studies()) {
    ASSERT_EQ(study.arm_contrasts.size(), 1U);
    saved_ms.insert(static_cast<int>(std::lround(study.arm_contrasts[0].saved_s.value * 1e3)));
  }
  EXPECT_THAT(saved_ms, ElementsAre(10, 20, 30, 40));
}

// The plan makes one arm for both.
TEST_F(ArmContrasts, StudiesThatDifferInWhatIsLeftOutShareTheArm) {
  add(full);
  add(silent);
  auto flat = run_of(full, 0);
  flat.spec.reduction = Reduction::flat_after_backward;
  set_.runs.push_back(flat);
  ASSERT_EQ(analysis().studies().size(), 2U);
  for (const SeriesAnalysis& study : analysis().studies())
    EXPECT_EQ(study.arm_contrasts.size(), 1U) << study.series.name;
}

// One of two ranks is always slower: the other waits 100 ms of every step for it. Without exchange
// it runs ahead, and the slower one gains nothing.
TEST_F(ArmContrasts, WaitingIsWhatARankSavesOnAverage) {
  add({.step_s = {0.3}, .peer_wait_s = 0.05, .exposed_transfer_s = 0.01});
  add({.arm = ControlArm::barrier_only, .step_s = {0.29}, .peer_wait_s = 0.049});
  add({.arm = ControlArm::no_communication, .step_s = {0.29, 0.19}});
  EXPECT_NEAR(found("moving_gradients").saved_s.value, 0.01, 1e-12);
  EXPECT_NEAR(found("moving_gradients").column_s, 0.01, 1e-12);
  EXPECT_NEAR(found("waiting").saved_s.value, 0.05, 1e-12);
  EXPECT_NEAR(found("waiting").column_s, 0.049, 1e-12) << "of the runs that wait only";
  EXPECT_NEAR(found("exchange").saved_s.value, 0.06, 1e-12);
  EXPECT_NEAR(found("exchange").column_s, 0.06, 1e-12);
}

TEST_F(ArmContrasts, InputAndExchangeMayHideBehindEachOther) {
  add({.step_s = {0.30}, .exposed_transfer_s = 0.01, .input_wait_s = 0.02});
  add({.arm = ControlArm::no_communication, .step_s = {0.29}, .input_wait_s = 0.03});
  add({.arm = ControlArm::synthetic_input, .step_s = {0.28}});
  add({.arm = ControlArm::synthetic_input_no_communication, .step_s = {0.20}});
  EXPECT_NEAR(found("input").saved_s.value, 0.02, 1e-12);
  EXPECT_NEAR(found("input").column_s, 0.02, 1e-12);
  EXPECT_NEAR(found("input_and_exchange").saved_s.value, 0.10, 1e-12);
  EXPECT_NEAR(found("input_and_exchange").column_s, 0.03, 1e-12);
  EXPECT_NEAR(found("input_without_exchange").saved_s.value, 0.09, 1e-12);
  EXPECT_NEAR(found("input_without_exchange").column_s, 0.03, 1e-12);
}

TEST_F(ArmContrasts, FilesWithoutTheSplitHaveOnlyTheSum) {
  add({.peer_wait_s = 0.03, .exposed_transfer_s = 0.02, .is_split = false});
  add({.arm = ControlArm::barrier_only, .step_s = {0.18}});
  add({.arm = ControlArm::no_communication, .step_s = {0.16}});
  EXPECT_TRUE(std::isnan(found("moving_gradients").column_s));
  EXPECT_NEAR(found("exchange").column_s, 0.05, 1e-12);
}

// Half the samples per rank at two ranks: half of one rank's step is what they would take alone.
TEST_F(ArmContrasts, NeighboursAreComparedPerSample) {
  add({.step_s = {0.13}, .local_samples = 2});
  add({.arm = ControlArm::no_communication, .step_s = {0.12}, .local_samples = 2});
  add({.ranks = 1, .arm = ControlArm::no_distributed_path, .step_s = {0.2}});
  const ArmContrast& one = found("neighbours");
  EXPECT_NEAR(one.base_step_s, 0.12, 1e-12);
  EXPECT_NEAR(one.arm_step_s, 0.10, 1e-12);
  EXPECT_NEAR(one.saved_s.value, 0.02, 1e-12);
  EXPECT_TRUE(std::isnan(one.column_s)) << "no column says it";
}

TEST_F(ArmContrasts, ABusyMachineIsNamed) {
  add(full);
  add(barrier);
  auto busy = silent;
  busy.labels = {"busy_machine"};
  add(busy);
  EXPECT_FALSE(found("moving_gradients").is_on_busy_machine);
  EXPECT_TRUE(found("exchange").is_on_busy_machine);
}

}  // namespace
}  // namespace scalestudy
