#include "engine/step_loop.hpp"

#include <gmock/gmock.h>

#include "comm/rendezvous.hpp"

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
  void update() override { calls.emplace_back("update"); }
  [[nodiscard]] double loss_weight() const override { return 1; }
  std::vector<std::string> calls;
  bool graph = false;
};

StepTimes times_of_one_step(StepWork& work) {
  HostClock clock;
  std::vector<float> flat(2);
  auto reduction = make_reduction(Reduction::flat_after_backward,
                                  {make_thread_ranks(WorldSize(1), Seconds(1)).front(),
                                   {1},
                                   view_of(std::span(flat)),
                                   clock,
                                   CommonSettings()});
  PhaseTimeline timeline(clock, nullptr);
  StepLoop(work, *reduction, timeline).run({StepIndex(7), {}, 0.1});
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
