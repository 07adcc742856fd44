/// What the report says of collective operations: no number that the interval does not carry.

#include "analysis/report/exchange/collectives_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/exchange/collectives_figures.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Complete, of two ranks; a broadcast of 8 B and one of 4 KiB take these times.
Run measured_run(std::int64_t repeat,
                 double small_s,
                 double large_s,
                 const std::vector<std::string>& labels) {
  RunSpec spec;
  spec.workload = "collectives";
  spec.ranks = 2;
  spec.repeat = repeat;
  spec.communicator = CommunicatorKind::shm;
  spec.plan = plan_without_training(2);
  RunRecord record;
  record.header.run_id = spec.run_id();
  record.header.status = RunStatus::complete;
  record.header.labels = labels;
  record.resolved_settings = to_json_text(spec);
  record.steps = StepTable(2, 0);
  for (const auto& column : columns_of<StepRow>) record.steps.values(column).clear();
  for (const std::int64_t rank : {0, 1})
    for (const auto& [size_bytes, time_s] : {std::pair{8, small_s}, std::pair{4096, large_s}})
      record.collectives.push_back(
          {.rank = rank,
           .operation = static_cast<std::int64_t>(CollectiveOperation::broadcast),
           .size_bytes = size_bytes,
           .iteration = 0,
           .wait_s = 0,
           .transfer_s = time_s,
           .wrong_count = 0});
  return judge_run(record);
}

/// Small ones scatter over decades, large ones by 1 %.
StudyAnalysis measured_study(std::size_t repeats, const std::vector<std::string>& labels = {}) {
  RunSet set;
  const std::vector<std::pair<double, double>> times_s{
      {1e-7, 1e-5}, {2e-6, 1.01e-5}, {4e-5, 0.99e-5}};
  for (std::size_t i = 0; i < repeats; ++i)
    set.runs.push_back(
        measured_run(static_cast<std::int64_t>(i), times_s[i].first, times_s[i].second, labels));
  return StudyAnalysis(std::move(set));
}

TEST(CollectivesReport, SaysATimeWithItsIntervalAndWithholdsWhatIsNotDetermined) {
  const auto text = collective_paragraphs(measured_study(3)).at(0);
  EXPECT_THAT(text, HasSubstr("takes a time that is not determined: 0.00117 µs to 3.41 ms, "));
  EXPECT_THAT(text, Not(HasSubstr("2.00 µs"))) << "the geometric mean";
  EXPECT_THAT(text, HasSubstr(", of 4 KiB 10.00 µs (9.75–10.3), a bus bandwidth of 410 MB/s."));
  EXPECT_THAT(text, HasSubstr("In brackets: 95 % intervals over 3 runs."));
}

TEST(CollectivesReport, OfTwoRunsSaysThatThereAreNoIntervals) {
  const auto text = collective_paragraphs(measured_study(2)).at(0);
  EXPECT_THAT(text, HasSubstr("No intervals: they need 3 runs."));
  EXPECT_THAT(text, Not(HasSubstr("not determined")));
}

TEST(CollectivesReport, SaysLabelsInWordsAndKeepsTheirNamesInFiles) {
  const auto study = measured_study(3, {"busy_machine"});
  EXPECT_THAT(collective_paragraphs(study).at(0), HasSubstr("shm, 2 ranks (busy machine): "));
  EXPECT_THAT(to_csv(collectives_table(study)), HasSubstr(",busy_machine\n"));
  EXPECT_THAT(to_csv(collective_fits_table(study)), HasSubstr(",labels\n"));
  EXPECT_EQ(collective_figures(study).at(0).labels, "busy_machine");
}

TEST(CollectivesReport, EachOperationHasChartsOfItsOwnWithBackEndsAsCurves) {
  std::vector<std::string> slugs;
  for (const auto& figure : collective_figures(measured_study(3))) {
    slugs.push_back(figure.slug);
    EXPECT_THAT(figure.drawing, HasSubstr("title 'shm, 2 ranks'"));
  }
  EXPECT_THAT(slugs, ElementsAre("collectives-broadcast-time", "collectives-broadcast-bandwidth"));
}

}  // namespace
}  // namespace scalestudy
