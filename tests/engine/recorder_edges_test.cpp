#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "core/error.hpp"

#include "engine/run_recorder.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

StepTimes step_of(double start_s, double step_s) {
  return {.start_s = start_s, .step_s = step_s, .phase_s = {}};
}

StepFacts facts() {
  return {.results = {6}, .loss_weight = 2, .learning_rate = 0.1, .sample_count = 2, .epoch = 0};
}

class RecorderOfOneRank : public ::testing::Test {
 protected:
  RunRecord written() {
    writer_.flush();
    return read_run_file(folder_ / "run.h5.part");
  }
  void record(double step_s, std::int64_t buckets = 0) {
    const double start_s = 100 + step_s * static_cast<double>(times_.size());
    times_.push_back(step_of(start_s, step_s));
    facts_.push_back(facts());
    std::vector<BucketMarks> all(static_cast<std::size_t>(buckets));
    const auto ready = std::llround(start_s * 1e9);
    for (auto& bucket : all) bucket = {8, ready, ready + 1'000'000'000, ready + 2'000'000'000};
    recorder_.add_step(all);
  }
  void flush() {
    recorder_.resolve_buckets();
    recorder_.flush(times_, facts_);
    times_.clear();
    facts_.clear();
  }
  TemporaryFolder folder_;
  RunFileWriter writer_{folder_ / "run.h5.part", sample_header(), 1};
  HostClock clock_;
  RunRecorder recorder_{make_thread_ranks(WorldSize(1), Seconds(1)).front(), &writer_, clock_};
  std::vector<StepTimes> times_;
  std::vector<StepFacts> facts_;
};

TEST_F(RecorderOfOneRank, TheFirstStepIsDueAtOnce) {
  EXPECT_FALSE(recorder_.is_due());
  record(0.01);
  EXPECT_TRUE(recorder_.is_due());
}

TEST_F(RecorderOfOneRank, QuickStepsAreWrittenAboutOnceASecond) {
  record(0.25);
  flush();
  for (int step = 0; step < 4; ++step) {
    EXPECT_FALSE(recorder_.is_due()) << step;
    record(0.25);
  }
  EXPECT_TRUE(recorder_.is_due());
}

TEST_F(RecorderOfOneRank, SlowStepsAreWrittenEach) {
  record(90);
  flush();
  EXPECT_FALSE(recorder_.is_due());
  record(90);
  EXPECT_TRUE(recorder_.is_due());
}

TEST_F(RecorderOfOneRank, StepsOfNoTimeDoNotCollectForEver) {
  record(0);
  flush();
  for (int step = 0; step < 1000; ++step) record(0);
  EXPECT_TRUE(recorder_.is_due());
}

TEST_F(RecorderOfOneRank, BucketsAreNumberedOnFromFlushToFlush) {
  recorder_.start_at(10);
  record(1, 2);
  flush();
  record(1, 1);
  record(1, 0);
  record(1, 1);
  flush();
  const auto run = written();
  EXPECT_EQ(run.steps.steps(), 4);
  EXPECT_THAT(values_of(run.buckets, &BucketRow::step), ElementsAre(10, 10, 11, 13));
  EXPECT_THAT(values_of(run.buckets, &BucketRow::bucket), ElementsAre(0, 1, 0, 0));
  for (const auto& bucket : run.buckets) {
    EXPECT_NEAR(bucket.ready_s, 0, 1e-9) << "from the step's start, not the clock's";
    EXPECT_NEAR(bucket.left_s, 2, 1e-9);
    EXPECT_EQ(bucket.size_bytes, 8);
  }
}

TEST_F(RecorderOfOneRank, FlushingNothingWritesNothingAndKeepsThePace) {
  record(0.25);
  flush();
  flush();
  EXPECT_EQ(written().steps.steps(), 1);
  for (int step = 0; step < 4; ++step) record(0.25);
  EXPECT_TRUE(recorder_.is_due());
}

TEST_F(RecorderOfOneRank, AStepWithoutItsFactsIsABugOfOurs) {
  recorder_.add_step({});
  EXPECT_THROW(recorder_.flush({step_of(0, 1)}, {}), InternalError);
}

TEST_F(RecorderOfOneRank, LossOfAStepIsItsWeightedMean) {
  record(1);
  facts_[0] = {.results = {9}, .loss_weight = 4, .learning_rate = 0, .sample_count = 1, .epoch = 0};
  flush();
  const auto row = written().steps.row(0, 0);
  EXPECT_EQ(row.loss, 2.25);
  EXPECT_EQ(row.loss_weight, 4);
}

TEST_F(RecorderOfOneRank, ANonfiniteLossIsKeptAsItIs) {
  record(1);
  facts_[0].results.loss_sum = std::numeric_limits<double>::infinity();
  flush();
  EXPECT_TRUE(std::isinf(written().steps.row(0, 0).loss));
}

TEST_F(RecorderOfOneRank, AloneItWritesOnlyWhatHasTimesAndFacts) {
  recorder_.flush_alone({step_of(1, 2), step_of(3, 4), step_of(5, 6)}, {facts(), facts()});
  const auto run = written();
  ASSERT_EQ(run.steps.steps(), 2);
  EXPECT_EQ(run.steps.row(0, 1).start_s, 3);
}

TEST_F(RecorderOfOneRank, AloneItWritesNothingWhereThereIsNothing) {
  recorder_.flush_alone({}, {});
  EXPECT_EQ(written().steps.steps(), 0);
}

TEST(RunRecorder, ARankWithoutAWriterWritesNothingAlone) {
  HostClock clock;
  RunRecorder recorder(make_thread_ranks(WorldSize(2), Seconds(1)).back(), nullptr, clock);
  EXPECT_NO_THROW(recorder.flush_alone({step_of(0, 1)}, {facts()}));
}

TEST(RunRecorder, AllRanksFlushWhenRankZeroSays) {
  const TemporaryFolder folder;
  RunFileWriter writer(folder / "run.h5.part", sample_header(), 2);
  on_ranks(2, [&](const Communicator& comm) {
    HostClock clock;
    RunRecorder recorder(comm, comm.is_root() ? &writer : nullptr, clock);
    recorder.add_step({});
    recorder.flush({step_of(0, comm.is_root() ? 0.5 : 0.001)}, {facts()});
    recorder.add_step({});
    EXPECT_FALSE(recorder.is_due());
    recorder.add_step({});
    EXPECT_TRUE(recorder.is_due()) << "rank " << comm.rank();
  });
}

}  // namespace
}  // namespace scalestudy
