#include "engine/injected_step.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "comm/observed_communicator.hpp"

#include "tests/engine/epochs.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t steps = 12;

RunSpec injected_spec(const std::vector<std::string>& texts) {
  auto spec = spec_of_fake_training(1, 1, steps, 4);
  spec.injections = injections_from(texts, "injections");
  return spec;
}

std::vector<std::int64_t> steps_without_loss(const RunRecord& record) {
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step < record.steps.steps(); ++step)
    if (!std::isfinite(record.steps.at(&StepRow::loss, 0, step))) found.push_back(step);
  return found;
}

using InjectedStepTest = Epochs;

TEST_F(InjectedStepTest, ALossIsNotFiniteAtItsStepAndTheRunDiverges) {
  const auto outcome = run(injected_spec({"nan@step=3"}));
  EXPECT_TRUE(outcome.training.diverged);
  EXPECT_THAT(steps_without_loss(outcome.record), ElementsAre(3));
}

TEST_F(InjectedStepTest, AnAllocationFailsAtItsStep) {
  const auto outcome = run(injected_spec({"oom@step=3"}));
  EXPECT_EQ(outcome.error, "bad_alloc");
  EXPECT_EQ(outcome.plans.size(), 3U);
  EXPECT_EQ(outcome.record.steps.steps(), 3);
}

TEST_F(InjectedStepTest, WhatHappensOnceDoesNotHappenInALaterAttempt) {
  std::filesystem::create_directory(folder_ / "attempt-1");
  const auto outcome =
      run(injected_spec({"nan@step=3", "oom@step=4", "kill@step=5", "stop@step=6"}));
  EXPECT_EQ(outcome.error, "");
  EXPECT_FALSE(outcome.training.diverged);
  EXPECT_THAT(steps_without_loss(outcome.record), IsEmpty());
  EXPECT_EQ(outcome.record.steps.steps(), steps);
}

TEST_F(InjectedStepTest, NothingHappensOnOtherRanks) {
  auto spec = injected_spec({"oom@step=3:rank=1", "slow-rank=1:100x"});
  EXPECT_EQ(run(spec).error, "");
}

/// What is put in, noted instead of passed.
struct Noted {
  std::shared_ptr<ComputeStretch> stretch = std::make_shared<ComputeStretch>();
  std::vector<Clock::duration> passed;
  Clock::duration now{};

  Noted() {
    stretch->compute_by([this] { return now; },
                        [this](Clock::duration time) {
                          passed.push_back(time);
                          now += time;
                        });
  }
};

constexpr std::chrono::milliseconds computing{10};

TEST(ComputeStretch, LengthensWhatWasComputedOnce) {
  Noted noted;
  noted.now += computing;
  noted.stretch->set_factor(3);
  noted.stretch->begin();
  noted.now += computing;
  noted.stretch->lengthen();
  noted.stretch->lengthen();
  EXPECT_THAT(noted.passed, ElementsAre(2 * computing, Clock::duration{}));
  noted.stretch->set_factor(1);
  noted.stretch->lengthen();
  EXPECT_EQ(noted.passed.size(), 2U);
}

TEST(ComputeStretch, LengthensByTheClockThatComputingIsTimedBy) {
  Noted noted;
  Clock::duration computed{};
  noted.stretch->compute_by([&] { return computed; },
                            [&](Clock::duration time) { computed += time; });
  noted.stretch->set_factor(3);
  noted.stretch->lengthen();
  EXPECT_EQ(computed, Clock::duration{}) << "time without a core is no computing";
  computed += std::chrono::seconds(2);
  noted.stretch->lengthen();
  EXPECT_EQ(computed, std::chrono::seconds(6));
}

TEST(ComputeStretch, ComesBeforeACollectiveAndLeavesItOut) {
  Noted noted;
  noted.stretch->set_factor(2);
  bool was_before = false;
  const auto waited = [&](CollectiveTimes times) {
    was_before = noted.passed.size() == 1;
    noted.now += 20 * computing;
    return times;
  };
  const auto comm =
      stretched(observed(make_thread_ranks(WorldSize(1), Seconds(30))[0], waited), noted.stretch);
  noted.stretch->begin();
  noted.now += computing;
  comm.barrier();
  noted.stretch->lengthen();
  EXPECT_TRUE(was_before);
  EXPECT_THAT(noted.passed, ElementsAre(Clock::duration(computing), Clock::duration{}));
}

/// Notes how much was passed when it hears of a gradient.
class Listening final : public ReductionStrategy {
 public:
  explicit Listening(const Noted& noted) : noted_(noted) {}
  void begin_step() override {}
  void gradient_ready(std::size_t) override { heard_.push_back(noted_.passed.size()); }
  void finish() override { EXPECT_THAT(heard_, ElementsAre(1U, 2U)); }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return {}; }

 private:
  const Noted& noted_;
  std::vector<std::size_t> heard_;
};

TEST(ComputeStretch, ComesBeforeEveryGradient) {
  Noted noted;
  noted.stretch->set_factor(2);
  const auto reduction = stretched(std::make_unique<Listening>(noted), noted.stretch);
  reduction->gradient_ready(0);
  reduction->gradient_ready(1);
  reduction->finish();
}

TEST(ComputeStretch, WithoutOneNothingIsWrapped) {
  Noted noted;
  auto strategy = std::make_unique<Listening>(noted);
  const auto* const itself = strategy.get();
  EXPECT_EQ(stretched(std::move(strategy), nullptr).get(), itself);
}

TEST(Jitter, HasItsSpreadAndIsTheSameAgain) {
  constexpr double spread_frac = 0.05;
  std::vector<double> fracs;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    for (std::int64_t step = 0; step < 5000; ++step)
      fracs.push_back(jitter_frac(spread_frac, 7, Rank(rank), StepIndex(step)));
  double mean = 0, square = 0;
  for (const double frac : fracs) {
    EXPECT_GE(frac, 0);
    mean += frac / static_cast<double>(fracs.size());
  }
  for (const double frac : fracs)
    square += (frac - mean) * (frac - mean) / static_cast<double>(fracs.size());
  EXPECT_NEAR(std::sqrt(square), spread_frac, 0.02 * spread_frac);
  EXPECT_NEAR(mean, 1.3236 * spread_frac, 0.02 * spread_frac);
  EXPECT_EQ(std::set<double>(fracs.begin(), fracs.end()).size(), fracs.size());
  EXPECT_EQ(jitter_frac(spread_frac, 7, Rank(1), StepIndex(3)), fracs[5003]);
  EXPECT_NE(jitter_frac(spread_frac, 8, Rank(1), StepIndex(3)), fracs[5003]);
}

}  // namespace
}  // namespace scalestudy
