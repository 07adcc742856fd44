#include "driver/run/memory_format_choice.hpp"

#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/study_matrix.hpp"

#include "driver/run/writable_study_folder.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(FasterFormat, IsContiguousOnlyWhereItSurelyIs) {
  EXPECT_EQ(faster_format(1.00, 0.90), MemoryFormat::contiguous);
  EXPECT_EQ(faster_format(0.90, 1.00), MemoryFormat::channels_last);
  EXPECT_EQ(faster_format(1.00, 1.00), MemoryFormat::channels_last);
  EXPECT_EQ(faster_format(1.00, 0.96), MemoryFormat::channels_last) << "less than noise";
}

RunSpec open_spec(std::int64_t ranks, std::int64_t threads) {
  auto spec = spec_of({.ranks = ranks, .threads_per_rank = threads});
  spec.settings.memory_format = MemoryFormat::trial;
  return spec;
}

StudyPlan open_plan(const std::vector<std::int64_t>& threads) {
  StudyPlan plan;
  plan.study = "s";
  for (const auto count : threads)
    for (const std::int64_t ranks : {4, 1, 2}) plan.matrix.runs.push_back(open_spec(ranks, count));
  return plan;
}

std::vector<std::string> formats_of(const StudyPlan& plan) {
  std::vector<std::string> formats;
  for (const auto& spec : plan.matrix.runs)
    add_unique(formats, cat(spec.settings.threads_per_rank, ": ", spec.settings.memory_format));
  return formats;
}

/// Trials whose steps take what a test says.
class Planted {
 public:
  /// By "threads format"; what is not named does not come to its end.
  explicit Planted(std::map<std::string, double> steps_s) : steps_s_(std::move(steps_s)) {}

  std::optional<std::vector<TrialTimes>> try_formats(StudyPlan& plan) {
    return scalestudy::try_formats(
        plan, [this](const RunSpec& spec) { return trial_of(spec); }, reporter_);
  }

  RunStatus end_of_others = RunStatus::failed;
  bool is_stopped = false;         ///< all are, after their steps
  std::vector<std::string> tried;  ///< "threads format, ranks"

 private:
  Trial trial_of(const RunSpec& spec) {
    const auto name = cat(spec.settings.threads_per_rank, " ", spec.settings.memory_format);
    tried.push_back(cat(name, ", ", spec.ranks));
    Trial trial;
    const auto found = steps_s_.find(name);
    if (found == steps_s_.end())
      trial.outcome.status = end_of_others;
    else
      trial.step_s = found->second;
    if (trial.step_s && !is_stopped) trial.times = TrialTimes{spec, 10, *trial.step_s, 0};
    return trial;
  }

  std::map<std::string, double> steps_s_;
  std::ostringstream console_;
  Reporter reporter_{console_, Verbosity::normal, false, "/dev/null"};
};

TEST(TryFormats, DecidesForEachNumberOfThreads) {
  auto plan = open_plan({1, 2});
  Planted trials({{"1 contiguous", 0.4},
                  {"1 channels_last", 0.2},
                  {"2 contiguous", 0.1},
                  {"2 channels_last", 0.2}});
  const auto times = trials.try_formats(plan);
  EXPECT_THAT(formats_of(plan), ElementsAre("1: channels_last", "2: contiguous"));
  EXPECT_THAT(trials.tried, ElementsAre("1 contiguous, 1", "1 channels_last, 1", "2 contiguous, 1",
                                        "2 channels_last, 1"));
  ASSERT_THAT(plan.memory_format_trials, SizeIs(2));
  EXPECT_EQ(plan.memory_format_trials[1].contiguous_step_s, 0.1);
  ASSERT_TRUE(times);
  ASSERT_THAT(*times, SizeIs(2));
  EXPECT_EQ(times->at(1).step_s, 0.1);
}

TEST(TryFormats, DecidesForEachPrecisionAndForControlArms) {
  auto plan = open_plan({1});
  plan.matrix.runs.push_back(without(open_spec(1, 1), ControlArm::no_distributed_path));
  plan.matrix.runs.push_back(open_spec(1, 1));
  plan.matrix.runs.back().settings.precision = Precision::bf16;
  Planted trials({{"1 contiguous", 0.1}, {"1 channels_last", 0.2}});
  ASSERT_TRUE(trials.try_formats(plan));
  EXPECT_THAT(formats_of(plan), ElementsAre("1: contiguous"));
  EXPECT_THAT(trials.tried, SizeIs(4));
}

TEST(TryFormats, WhatTheStudyNamesIsNotTried) {
  auto plan = open_plan({1});
  for (auto& spec : plan.matrix.runs) spec.settings.memory_format = MemoryFormat::contiguous;
  Planted trials({});
  ASSERT_TRUE(trials.try_formats(plan));
  EXPECT_THAT(trials.tried, IsEmpty());
  EXPECT_THAT(formats_of(plan), ElementsAre("1: contiguous"));
  EXPECT_THAT(plan.memory_format_trials, IsEmpty());
}

TEST(TryFormats, StepsDecideAlsoWhereWhatFollowsThemTakesTooLong) {
  auto plan = open_plan({1});
  Planted trials({{"1 contiguous", 0.1}, {"1 channels_last", 0.2}});
  trials.is_stopped = true;
  const auto times = trials.try_formats(plan);
  EXPECT_THAT(formats_of(plan), ElementsAre("1: contiguous"));
  ASSERT_TRUE(times);
  EXPECT_THAT(*times, IsEmpty()) << "how long a launch takes is not known";
}

TEST(TryFormats, ATrialWithoutStepsDecidesNothing) {
  for (const auto& half : {"1 contiguous", "1 channels_last"}) {
    auto plan = open_plan({1});
    Planted trials({{half, 0.1}});
    trials.end_of_others = RunStatus::timed_out;
    ASSERT_TRUE(trials.try_formats(plan));
    EXPECT_THAT(formats_of(plan), ElementsAre("1: channels_last")) << half;
    EXPECT_THAT(plan.memory_format_trials, IsEmpty());
  }
}

TEST(TryFormats, AnInterruptionEndsIt) {
  auto plan = open_plan({1, 2});
  Planted trials({{"1 contiguous", 0.1}});
  trials.end_of_others = RunStatus::interrupted;
  EXPECT_FALSE(trials.try_formats(plan));
  EXPECT_THAT(trials.tried, SizeIs(2));
}

TEST(MemoryFormat, IsPartOfARunsName) {
  auto one = open_spec(1, 1), other = open_spec(1, 1);
  decide_memory_format(one, MemoryFormat::channels_last);
  decide_memory_format(other, MemoryFormat::contiguous);
  EXPECT_NE(one.content_hash(), other.content_hash());
  EXPECT_NE(one.run_id(), other.run_id());
  decide_memory_format(other, MemoryFormat::channels_last);
  EXPECT_EQ(other.settings.memory_format, MemoryFormat::contiguous) << "it is decided";
}

/// A folder whose earlier plan chose contiguous for two threads.
class EarlierChoice : public ::testing::Test {
 protected:
  EarlierChoice() {
    folder_.create();
    earlier_ = open_plan({2});
    for (auto& spec : earlier_.matrix.runs) decide_memory_format(spec, MemoryFormat::contiguous);
    earlier_.memory_format_trials = {{2, Precision::fp32, MemoryFormat::contiguous, 0.2, 0.1}};
    folder_.write_plan(earlier_);
  }

  [[nodiscard]] std::vector<std::string> adopted(StudyPlan plan = open_plan({2})) {
    adopt_formats(plan, folder_);
    trials_ = plan.memory_format_trials.size();
    return formats_of(plan);
  }

  TemporaryFolder temporary_;
  WritableStudyFolder folder_{temporary_.path() / "out"};
  StudyPlan earlier_;
  std::size_t trials_ = 0;
};

TEST_F(EarlierChoice, IsTaken) {
  EXPECT_THAT(adopted(), ElementsAre("2: contiguous"));
  EXPECT_EQ(trials_, 1U) << "what was tried stays known";
}

TEST_F(EarlierChoice, SaysNothingOfOtherThreadsArithmeticAndNetworks) {
  EXPECT_THAT(adopted(open_plan({1, 2})), ElementsAre("1: trial", "2: contiguous"));
  auto other = open_plan({2});
  for (auto& spec : other.matrix.runs) spec.settings.precision = Precision::bf16;
  EXPECT_THAT(adopted(other), ElementsAre("2: trial"));
  other = open_plan({2});
  for (auto& spec : other.matrix.runs) spec.workload_settings = R"({"depth":5})";
  EXPECT_THAT(adopted(other), ElementsAre("2: trial"));
  EXPECT_EQ(trials_, 0U);
}

TEST_F(EarlierChoice, WithoutATrialIsTakenWhereThereAreResults) {
  earlier_.memory_format_trials.clear();
  folder_.write_plan(earlier_);
  EXPECT_THAT(adopted(), ElementsAre("2: trial")) << "nothing would be mixed";
  write_synthetic(folder_.path(), {});
  EXPECT_THAT(adopted(), ElementsAre("2: contiguous"));
  EXPECT_EQ(trials_, 0U);
}

TEST_F(EarlierChoice, ThatCannotBeReadIsMadeAgain) {
  write_text(folder_.plan_file(), "{");
  EXPECT_THAT(adopted(), ElementsAre("2: trial"));
}

TEST_F(EarlierChoice, IsOverruledByTheStudy) {
  auto plan = open_plan({2});
  for (auto& spec : plan.matrix.runs) decide_memory_format(spec, MemoryFormat::channels_last);
  EXPECT_THAT(adopted(plan), ElementsAre("2: channels_last"));
  EXPECT_EQ(trials_, 0U);
}

}  // namespace
}  // namespace scalestudy
