#include "analysis/report/step/bucket_timeline.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file_content.hpp"
#include "core/text.hpp"

#include "analysis/report/plot/gnuplot.hpp"
#include "tests/analysis/synthetic_run.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t steps = 9;
constexpr std::int64_t warmup_steps = 2;
constexpr std::int64_t median = 7;  ///< of the steps from 2 on

/// Two ranks, two buckets; step s of the steady ones is 100 ms + its place in a shuffled order.
scalestudy::Run run_with_buckets(const std::function<void(RunRecord&)>& change = [](RunRecord&) {
}) {
  scalestudy::Run run;
  run.spec = spec_of({.ranks = 2});
  RunRecord record;
  record.steps = StepTable(2, steps);
  for (const auto& column : columns_of<StepRow>) record.steps.values(column).assign(2 * steps, 0.0);
  const std::vector<double> order{9, 9, 6, 1, 5, 0, 4, 3, 2};
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto place = static_cast<std::size_t>(rank * steps + step);
      record.steps.values(&StepRow::step_s)[place] =
          0.1 + 0.001 * order[static_cast<std::size_t>(step)];
      record.steps.values(&StepRow::start_s)[place] =
          static_cast<double>(step) + 0.002 * static_cast<double>(rank);
      for (std::int64_t bucket = 0; bucket < 2; ++bucket) {
        const double later_s = 0.02 * static_cast<double>(bucket);
        record.buckets.push_back({.rank = rank,
                                  .step = step,
                                  .bucket = bucket,
                                  .size_bytes = 1000,
                                  .ready_s = 0.05 + later_s,
                                  .entered_s = 0.051 + later_s,
                                  .all_arrived_s = 0.06 + later_s,
                                  .left_s = 0.065 + later_s});
      }
    }
  }
  change(record);
  run.measures = RunMeasures(record, {warmup_steps});
  run.digest = digest_of(record, run.measures);
  return run;
}

SeriesAnalysis series_of(const scalestudy::Run& run) {
  SeriesAnalysis analysis;
  analysis.series.slug = "study";
  analysis.series.by_ranks[run.spec.ranks] = {&run};
  return analysis;
}

TEST(BucketTimeline, IsOfTheMedianStepOnOneClock) {
  const auto run = run_with_buckets();
  const auto figure = bucket_timeline(series_of(run));
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->slug, "study-bucket-timeline");
  EXPECT_THAT(figure->caption, HasSubstr(cat("(step ", median, ")")));
  const auto lines = split(figure->tsv, '\n');
  ASSERT_GE(lines.size(), 5U);
  EXPECT_EQ(lines[1], "0\t0\t1000\t0\t50\t51\t60\t65\t103");
  EXPECT_EQ(lines[2], "0\t1\t1000\t0\t70\t71\t80\t85\t103");
  EXPECT_EQ(lines[3], "1\t0\t1000\t2\t52\t53\t62\t67\t105") << "rank 1 began 2 ms later";
}

TEST(BucketTimeline, OfManyRanksDrawsEightAndSaysSo) {
  auto run = run_with_buckets();
  EXPECT_THAT(bucket_timeline(series_of(run))->drawing, HasSubstr("set yrange [2 - 0.5:-0.5]"));
  run.spec.ranks = 64;
  const auto figure = bucket_timeline(series_of(run));
  EXPECT_THAT(figure->drawing, HasSubstr("set yrange [8 - 0.5:-0.5]"));
  EXPECT_THAT(figure->caption, HasSubstr("The first 8 of 64 ranks are drawn; the data have all."));
}

TEST(BucketTimeline, IsDrawn) {
  SCALESTUDY_NEEDS("gnuplot", std::system("gnuplot --version > /dev/null 2>&1") == 0);
  const auto run = run_with_buckets();
  const auto figure = bucket_timeline(series_of(run));
  ASSERT_TRUE(figure);
  TemporaryFolder folder;
  std::ofstream(folder / "study-bucket-timeline.tsv") << figure->tsv;
  std::ofstream(folder / "timeline.gp") << gnuplot_script(*figure);
  EXPECT_EQ(run_gnuplot(folder / "", "timeline.gp"), "");
  const auto svg = readable_text_of_file(folder / "study-bucket-timeline.svg").value_or("");
  EXPECT_THAT(svg,
              AllOf(HasSubstr("peer wait"), HasSubstr("transfer"), HasSubstr("until its turn")));
}

TEST(BucketTimeline, NeedsSeveralRanksAndBucketsWithTimes) {
  auto run = run_with_buckets();
  run.labels = {"resumed"};
  EXPECT_FALSE(bucket_timeline(series_of(run))) << "its times are several attempts'";
  run.labels.clear();
  run = run_with_buckets([](RunRecord& record) {
    for (BucketRow& bucket : record.buckets) bucket.left_s = not_recorded;
  });
  EXPECT_FALSE(bucket_timeline(series_of(run)));
  run = run_with_buckets([](RunRecord& record) { record.buckets.clear(); });
  EXPECT_FALSE(bucket_timeline(series_of(run)));
  run = run_with_buckets();
  run.spec.ranks = 1;
  EXPECT_FALSE(bucket_timeline(series_of(run)));
}

}  // namespace
}  // namespace scalestudy
