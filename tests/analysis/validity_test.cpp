#include "record/measures/validity.hpp"

#include <gmock/gmock.h>

#include "tests/analysis/analysed_study.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// Two ranks of four samples each.
class Validity : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> codes() const {
    return validity_codes_of(record_, spec_of({.ranks = 2}));
  }
  [[nodiscard]] double& samples_of(std::int64_t step) {
    return record_.steps.values(&StepRow::sample_count)[static_cast<std::size_t>(step)];
  }

  RunRecord record_ = synthetic_record("study", {.ranks = 2, .cpu_share = 0.9});
};

TEST_F(Validity, ARunAsItWasPlannedHasNoCode) {
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(Validity, WhereNoSamplesAreRecordedNoRuleIsAsked) {
  std::ranges::fill(record_.steps.values(&StepRow::sample_count), 0);
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(Validity, MoreSamplesThanABatchBreakTheRule) {
  samples_of(17) = 5;
  EXPECT_THAT(codes(), ElementsAre("batch_rule_broken"));
}

TEST_F(Validity, AFirstStepOfLessThanABatchBreaksIt) {
  samples_of(0) = 1;
  EXPECT_THAT(codes(), ElementsAre("batch_rule_broken"));
}

TEST_F(Validity, WhatIsLeftAtTheEndOfAnEpochDoesNot) {
  samples_of(39) = 1;
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(Validity, OneRankMayHaveMoreWhereAllTogetherHaveTheBatch) {
  record_.steps.values(&StepRow::sample_count)[3] = 5;
  record_.steps.values(
      &StepRow::sample_count)[3 + static_cast<std::size_t>(record_.steps.steps())] = 3;
  EXPECT_THAT(codes(), IsEmpty());
}

TEST_F(Validity, RanksOnDevicesOfTwoKindsAreMixed) {
  record_.ranks[0].device = "cuda:0";
  record_.ranks[1].device = "cuda:1";
  EXPECT_THAT(codes(), IsEmpty()) << "two of one kind";
  record_.ranks[1].device = "cpu";
  EXPECT_THAT(codes(), ElementsAre("mixed_devices"));
}

TEST_F(Validity, AnInvalidRunIsListedAndNoData) {
  samples_of(17) = 5;
  const auto run = judge_run(record_);
  EXPECT_FALSE(run.is_data());
  EXPECT_THAT(run.left_out, testing::HasSubstr("batch_rule_broken"));
}

TEST_F(Validity, SlowDownsByHeatAreALabel) {
  const auto looks = [](double first, double later) {
    return std::vector<MonitorRow>{{.rank = 0, .throttle_count = first},
                                   {.rank = 4, .throttle_count = 70},
                                   {.rank = 0, .throttle_count = later},
                                   {.rank = 4, .throttle_count = 70}};
  };
  EXPECT_FALSE(was_throttled(looks(12, 12))) << "before the run, and other hosts more often";
  EXPECT_FALSE(was_throttled(looks(not_recorded, not_recorded)));
  record_.monitor = looks(12, 13);
  const auto run = judge_run(record_);
  EXPECT_THAT(run.labels, ElementsAre("clock_throttled"));
  EXPECT_TRUE(run.is_data());
}

TEST_F(Validity, FewerSamplesThanOneRankHasAreALabel) {
  auto spec = spec_of({.ranks = 2});
  spec.plan.requested_samples = spec.plan.samples + 1;
  record_.resolved_settings = to_json_text(spec);
  EXPECT_THAT(judge_run(record_).labels, ElementsAre("remainder_dropped"));
}

class Binding : public AnalysedStudy {
 protected:
  [[nodiscard]] std::vector<std::string> codes_with(std::int64_t cores_of_last) {
    SyntheticRun run{.ranks = 2, .cpu_share = 0.9, .core_count = 2};
    add(run, 2);
    run.repeat = 2;
    run.core_count = cores_of_last;
    add_run(run);
    add_run({.ranks = 1, .cpu_share = 0.9, .core_count = 4});
    return values_of(analysis().flags(), &StudyFlag::code);
  }
};

TEST_F(Binding, OfOtherNumbersOfCoresIsFlagged) {
  EXPECT_THAT(codes_with(1), Contains("binding_changed"));
}

TEST_F(Binding, MayDifferBetweenNumbersOfRanks) {
  EXPECT_THAT(codes_with(2), Not(Contains("binding_changed")));
}

}  // namespace
}  // namespace scalestudy
