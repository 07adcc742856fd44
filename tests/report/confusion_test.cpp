#include "analysis/report/learning/confusion.hpp"

#include <gmock/gmock.h>

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

Run run_with(std::vector<float> counts, std::int64_t classes, const std::string& effective) {
  Run run;
  run.record.effective_settings = effective;
  RunRecord record;
  record.panels.push_back({"confusion", classes, classes, std::move(counts)});
  run.digest = digest_of(record, run.measures);
  return run;
}

SeriesAnalysis series_of(const std::vector<const Run*>& one, const std::vector<const Run*>& two) {
  SeriesAnalysis analysis;
  analysis.series.by_ranks[1] = one;
  analysis.series.by_ranks[2] = two;
  return analysis;
}

constexpr auto cells = R"({"class_names": ["Platelets", "<WBC>"]})";

TEST(ConfusionMatrix, SumsTheRunsOfARankCountAndNamesClasses) {
  const auto a = run_with({9, 1, 2, 8}, 2, cells), b = run_with({10, 0, 0, 10}, 2, cells);
  const auto c = run_with({5, 5, 0, 10}, 2, cells);
  const auto html = confusion_html(series_of({&a, &b}, {&c}));
  EXPECT_THAT(html, HasSubstr("One rank"));
  EXPECT_THAT(html, HasSubstr("37 of 40 right (92.5"));
  EXPECT_THAT(html, HasSubstr("2 runs"));
  EXPECT_THAT(html, HasSubstr("Two ranks"));
  EXPECT_THAT(html, HasSubstr("15 of 20 right (75"));
  EXPECT_THAT(html, HasSubstr(">19</td>"));  // 9 + 10
  EXPECT_THAT(html, HasSubstr("&lt;WBC&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("<WBC>")));
}

TEST(ConfusionMatrix, ManyClassesBecomeAPicture) {
  const auto run = run_with(std::vector<float>(50 * 50, 1), 50, "{}");
  const auto html = confusion_html(series_of({&run}, {}));
  EXPECT_THAT(html, HasSubstr("data:image/png;base64,"));
  EXPECT_THAT(html, HasSubstr("50 of 2500 right (2.0"));
  EXPECT_THAT(html, Not(HasSubstr("<table")));
}

TEST(ConfusionMatrix, NamesThatDoNotFitAreNotUsed) {
  const auto run = run_with({1, 0, 0, 0, 1, 0, 0, 0, 0}, 3, cells);
  const auto html = confusion_html(series_of({&run}, {}));
  EXPECT_THAT(html, HasSubstr("class 2"));
  EXPECT_THAT(html, Not(HasSubstr("Platelets")));
}

TEST(ConfusionMatrix, DamagedOrMissingOnesShowNothing) {
  const auto damaged = run_with({1, 2, 3}, 2, cells);
  const auto without = run_with({}, 0, cells);
  EXPECT_EQ(confusion_html(series_of({&damaged}, {&without})), "");
}

}  // namespace
}  // namespace scalestudy
