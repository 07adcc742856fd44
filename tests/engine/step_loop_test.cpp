#include "engine/step_loop.hpp"

#include <gmock/gmock.h>

namespace scalestudy {
namespace {

using testing::ElementsAre;

class WrittenDown final : public StepWork {
 public:
  void prepare_batch(const StepPlan& plan) override {
    calls.push_back("prepare " + std::to_string(plan.step.value()));
  }
  void move_batch_to_device() override { calls.emplace_back("move"); }
  [[nodiscard]] bool has_graph() const override { return graph; }
  void replay() override { calls.emplace_back("replay"); }
  void forward() override { calls.emplace_back("forward"); }
  void spoil_loss() override { calls.emplace_back("spoil"); }
  void backward() override { calls.emplace_back("backward"); }
  void update_early(std::int64_t gradient_count) override {
    calls.push_back("update the first " + std::to_string(gradient_count));
  }
  void update() override { calls.emplace_back("update"); }
  [[nodiscard]] double loss_weight() const override { return 1; }
  std::vector<std::string> calls;
  bool graph = false;
};

/// Of gradients that are summed so far.
class SummedSoFar final : public ReductionStrategy {
 public:
  explicit SummedSoFar(std::int64_t count) : count_(count) {}
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  [[nodiscard]] std::int64_t summed_count() const override { return count_; }
  void finish() override {}
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return {}; }

 private:
  std::int64_t count_;
};

StepTimes times_of_one_step(StepWork& work, std::int64_t summed_count = 0) {
  HostClock clock;
  SummedSoFar reduction(summed_count);
  PhaseTimeline timeline(clock, nullptr);
  StepLoop(work, reduction, timeline).run({StepIndex(7), {}, 0.1});
  const auto steps = timeline.take_finished();
  EXPECT_EQ(steps.size(), 1U);
  return steps.at(0);
}

/// Phases that were timed.
std::vector<std::string> phases_in(const StepTimes& times) {
  std::vector<std::string> phases;
  for (std::size_t i = 0; i < phase_count; ++i)
    if (times.phase_s[i] > 0) phases.emplace_back(to_string(static_cast<Phase>(i)));
  return phases;
}

TEST(StepLoop, RunsThePhasesInOrderAndTimesEach) {
  WrittenDown work;
  const auto times = times_of_one_step(work);
  EXPECT_THAT(work.calls, ElementsAre("prepare 7", "move", "forward", "backward", "update"));
  EXPECT_THAT(phases_in(times), ElementsAre("input_wait", "host_to_device", "forward", "backward",
                                            "exposed_communication", "optimizer"));
  EXPECT_GE(times.other_s(), 0.0);
}

TEST(StepLoop, WhatIsSummedAfterTheBackwardPassIsUpdatedBeforeTheWait) {
  WrittenDown work;
  const auto times = times_of_one_step(work, 12);
  EXPECT_THAT(work.calls, ElementsAre("prepare 7", "move", "forward", "backward",
                                      "update the first 12", "update"));
  EXPECT_THAT(phases_in(times), ElementsAre("input_wait", "host_to_device", "forward", "backward",
                                            "early_update", "exposed_communication", "optimizer"));
  EXPECT_LE(times.ready_s, times.released_s);
}

TEST(StepLoop, AGraphReplaysBothPassesAsOnePhase) {
  WrittenDown work;
  work.graph = true;
  const auto times = times_of_one_step(work);
  EXPECT_THAT(work.calls, ElementsAre("prepare 7", "move", "replay", "update"));
  EXPECT_THAT(phases_in(times), ElementsAre("input_wait", "host_to_device", "device_step",
                                            "exposed_communication", "optimizer"));
}

}  // namespace
}  // namespace scalestudy
