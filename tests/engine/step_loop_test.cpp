#include "engine/step_loop.hpp"

#include <gtest/gtest.h>

#include "comm/rendezvous.hpp"

namespace scalestudy {
namespace {

class WrittenDown final : public StepWork {
 public:
  void prepare_batch(const StepPlan& plan) override {
    calls.push_back("prepare " + std::to_string(plan.step.value()));
  }
  void move_batch_to_device() override { calls.emplace_back("move"); }
  void forward() override { calls.emplace_back("forward"); }
  void backward() override { calls.emplace_back("backward"); }
  void update() override { calls.emplace_back("update"); }
  [[nodiscard]] double loss_weight() const override { return 1; }
  std::vector<std::string> calls;
};

TEST(StepLoop, RunsThePhasesInOrderAndTimesEach) {
  WrittenDown work;
  HostClock clock;
  std::vector<float> flat(2);
  auto reduction = make_reduction(Reduction::flat_after_backward,
                                  {make_thread_ranks(WorldSize(1), Seconds(1)).front(),
                                   {{{0}, ElementCount(0), ElementCount(1)}},
                                   view_of(std::span(flat)),
                                   clock});
  PhaseTimeline timeline(clock, nullptr);
  StepLoop(work, *reduction, timeline).run({StepIndex(7), {}, 0.1});
  EXPECT_EQ(work.calls,
            (std::vector<std::string>{"prepare 7", "move", "forward", "backward", "update"}));
  const auto steps = timeline.take_finished();
  ASSERT_EQ(steps.size(), 1U);
  for (const double phase_s : steps[0].phase_s) EXPECT_GT(phase_s, 0.0);
  EXPECT_GE(steps[0].other_s(), 0.0);
}

}  // namespace
}  // namespace scalestudy
