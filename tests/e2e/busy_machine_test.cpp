/// Programs beside a study: they must be told before it starts, and its runs must carry the label.

#include <atomic>

#include <gmock/gmock.h>

#include "record/machine/cpu_load.hpp"

#include "tests/e2e/real_study.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two threads at work for every core, as long as it lives.
class BusyCores {
 public:
  BusyCores() {
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
      threads_.emplace_back([this] {
        while (!stop_) {
        }
      });
  }
  ~BusyCores() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(BusyMachine, IsToldBeforeTheStudyAndLabelledInIt) {
  if (std::isnan(core_busy_time_s())) GTEST_SKIP() << "the kernel does not tell";
  const Workplace place;
  write_real_study(place, R"("ranks": [1])", 1, 20);
  Finished finished;
  {
    const BusyCores busy;
    finished = place.call({"run", place.study_file().string(), "--out", place.out().string()});
  }
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("warning: Other programs keep"));
  EXPECT_THAT(finished.err, HasSubstr("Trial: the first steps with 1 rank"));
  EXPECT_THAT(finished.err, HasSubstr("its times say little about scaling"));
  const auto run = records_of(place).at(0);
  EXPECT_TRUE(run.header.has_label(RunLabel::busy_machine));
  EXPECT_GT(run.summary.contended_cpu_frac, notable_contended_frac);
  const auto folder = place.run_folders().at(0);
  EXPECT_THAT(place.run().err, HasSubstr("(1 kept from before)"));
  EXPECT_THAT(place.run({}, {"--dry-run"}).out, HasSubstr("complete, would be kept"));
  EXPECT_THAT(place.run({}, {"--redo-busy", "--dry-run"}).out, Not(HasSubstr("would be kept")));
  EXPECT_EQ(place.run({}, {"--redo-busy"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "run.h5"));
  EXPECT_TRUE(std::filesystem::exists(folder / "attempt-1" / "run.h5")) << "nothing is lost";
}

}  // namespace
}  // namespace scalestudy
