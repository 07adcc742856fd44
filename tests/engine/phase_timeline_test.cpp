#include "engine/phase_timeline.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/observed_communicator.hpp"
#include "comm/rendezvous.hpp"

namespace scalestudy {
namespace {

/// Advances by one second per mark, so that every difference is known.
class CountingClock final : public StepClock {
 public:
  Mark mark() override { return next_++; }
  double seconds(Mark mark) override { return static_cast<double>(mark); }
  void recycle() override { ++recycled; }
  void advance(double) override {}
  [[nodiscard]] double origin_s() const override { return 0; }
  int recycled = 0;

 private:
  Mark next_ = 0;
};

TEST(PhaseTimeline, EachPhaseIsTimedOnItsOwnAndTheRestIsMeasured) {
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr);
  timeline.begin_step(0);                                  // mark 0
  { const auto timed = timeline.phase(Phase::forward); }   // 1, 2
  clock.mark();                                            // 3: something unaccounted
  { const auto timed = timeline.phase(Phase::backward); }  // 4, 5
  timeline.end_step();                                     // 6
  const auto steps = timeline.take_finished();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].step_s, 6.0);
  EXPECT_EQ(steps[0].phase_s[static_cast<std::size_t>(Phase::forward)], 1.0);
  EXPECT_EQ(steps[0].phase_s[static_cast<std::size_t>(Phase::backward)], 1.0);
  EXPECT_EQ(steps[0].phase_s[static_cast<std::size_t>(Phase::input_wait)], 0.0);
  EXPECT_EQ(steps[0].other_s(), 4.0);
}

/// Those of the first pass, for example.
TEST(PhaseTimeline, CollectivesBeforeAStepAreNoPartOfIt) {
  InnerCollectives inner;
  const auto held = [](CollectiveTimes times) {
    times.left = times.all_arrived + std::chrono::milliseconds(10);
    return times;
  };
  const auto comm = inner.counted(observed(make_thread_ranks(WorldSize(1), Seconds(30))[0], held));
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr, &inner);
  comm.barrier();
  timeline.begin_step(0);
  { const auto timed = timeline.phase(Phase::input_wait); }
  {
    const auto timed = timeline.phase(Phase::forward);
    comm.barrier();
  }
  timeline.end_step();
  const auto step = timeline.take_finished().at(0);
  EXPECT_EQ(step.phase_s[static_cast<std::size_t>(Phase::input_wait)], 1.0);
  EXPECT_GE(step.phase_transfer_s, 0.01);
  EXPECT_LT(step.phase_s[static_cast<std::size_t>(Phase::forward)], 1.0);
}

TEST(PhaseTimeline, FinishedStepsAreTakenOnce) {
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr);
  for (int step = 0; step < 3; ++step) {
    timeline.begin_step(step);
    timeline.end_step();
  }
  EXPECT_EQ(timeline.take_finished().size(), 3U);
  EXPECT_EQ(timeline.take_finished().size(), 0U);
  EXPECT_EQ(clock.recycled, 1) << "before the first step: a pause may lie behind it";
}

TEST(PhaseTimeline, APhaseTwiceInOneStepIsABug) {
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr);
  timeline.begin_step(0);
  { const auto timed = timeline.phase(Phase::forward); }
  EXPECT_THROW((void)timeline.phase(Phase::forward), InternalError);
}

TEST(PhaseTimeline, HostClockIsMonotonicAndMeasuresItsOwnCost) {
  HostClock clock;
  const auto first = clock.mark();
  EXPECT_GE(clock.seconds(clock.mark()), clock.seconds(first));
  const auto file = std::filesystem::temp_directory_path() / cat("scalestudy-beat-", ::getpid());
  {
    Heartbeat heartbeat(file);
    EXPECT_GT(measure_timeline_cost_s(clock, heartbeat), 0.0);
  }
  std::filesystem::remove(file);
}

TEST(PhaseTimeline, AStepThatAnErrorCutShortIsLeftOut) {
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr);
  timeline.begin_step(0);
  timeline.end_step();
  timeline.begin_step(1);
  EXPECT_EQ(timeline.take_finished().size(), 1U);
  EXPECT_TRUE(timeline.take_finished().empty());
}

TEST(PhaseTimeline, TheSamePhaseMayStandInEveryStep) {
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr);
  for (int step = 0; step < 2; ++step) {
    timeline.begin_step(step);
    { const auto timed = timeline.phase(Phase::optimizer); }
    timeline.end_step();
  }
  const auto steps = timeline.take_finished();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].start_s, 0);
  EXPECT_EQ(steps[1].start_s, 4);
  EXPECT_EQ(steps[1].phase_s[static_cast<std::size_t>(Phase::optimizer)], 1.0);
}

TEST(PhaseTimeline, APhaseOrAnEndWithoutAStepIsABugOfOurs) {
  CountingClock clock;
  PhaseTimeline timeline(clock, nullptr);
  EXPECT_THROW((void)timeline.phase(Phase::forward), InternalError);
  EXPECT_THROW(timeline.end_step(), InternalError);
}

TEST(PhaseTimeline, PhasesHaveTheNamesOfTheirColumns) {
  EXPECT_STREQ(to_string(Phase::input_wait), "input_wait");
  EXPECT_STREQ(to_string(Phase::exposed_communication), "exposed_communication");
  EXPECT_STREQ(to_string(Phase::optimizer), "optimizer");
}

TEST(HostClock, AnAdvancedClockGoesOnFromThere) {
  HostClock clock;
  const double origin_s = clock.origin_s();
  clock.advance(1000);
  EXPECT_NEAR(clock.origin_s(), origin_s - 1000, 1e-6);
  EXPECT_GE(clock.seconds(clock.mark()), 1000);
}

}  // namespace
}  // namespace scalestudy
