/// What a measurement of collectives is not asked to do, and which sizes it takes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/study.hpp"
#include "study/study_matrix.hpp"

#include "record/run_file/collective_columns.hpp"

#include "tests/study/toy_workload.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/collectives/cases.hpp"

namespace scalestudy {
namespace {

using collectives::Case;
using collectives::cases_of;
using testing::ElementsAre;
using testing::HasSubstr;

StudyFile study_with(const std::string& more, const std::string& settings = "{}") {
  return StudyFile(
      cat(R"({"schema": 1, "workload": "collectives", "settings": )", settings, more, "}"));
}

std::string refusal_of(const StudyFile& file) {
  return message_of([&] { return read_study(file.path(), {}, workload_catalogue()); });
}

StudyMatrix matrix_of(const StudyFile& file) {
  return expand(read_study(file.path(), {}, workload_catalogue()), {.launcher = "mpirun"}, 2,
                workload_catalogue(), toy_launchers());
}

std::string reason_against(const std::string& settings) {
  const auto matrix = matrix_of(study_with(R"(, "axes": {"ranks": [2]})", settings));
  return matrix.skipped.empty() ? "" : matrix.skipped.front().reason;
}

std::vector<std::int64_t> sizes_of(const std::vector<Case>& cases) {
  std::vector<std::int64_t> sizes;
  for (const auto& one : cases) sizes.push_back(one.size_bytes);
  return sizes;
}

TEST(CollectivesSettings, WhatIsOfTrainingIsRefusedWhereverItStands) {
  for (const auto* more :
       {R"(, "data": {"path": "x.tif"})", R"(, "comparison": "paired")", R"(, "quality": {})",
        R"(, "control_arms": [])", R"(, "axes": {"ranks": [2], "scaling_rule": ["strong"]})"})
    EXPECT_THAT(refusal_of(study_with(more)), HasSubstr("has no meaning for collectives")) << more;
  for (const auto* settings : {R"({"local_batch_size": 4})", R"({"optimizer": {"name": "sgd"}})",
                               R"({"checkpoint": {"every_epochs": 1}})", R"({"device": "cpu"})"})
    EXPECT_THAT(refusal_of(study_with("", settings)), HasSubstr("it trains nothing")) << settings;
}

TEST(CollectivesSettings, SeedAndTimeoutsHaveAMeaning) {
  EXPECT_EQ(refusal_of(study_with("", R"({"seed": 4, "timeouts": {"collective_deadline_s": 9}})")),
            "accepted");
}

TEST(CollectivesSettings, WhatCannotBeMeasuredIsLeftOutWithItsReason) {
  EXPECT_THAT(reason_against(R"({"operations": []})"), HasSubstr("operations is empty"));
  EXPECT_THAT(reason_against(R"({"sizes_bytes": [8, 8]})"), HasSubstr("sizes_bytes names a value"));
  EXPECT_THAT(reason_against(R"({"sizes_bytes": [6]})"), HasSubstr("no multiple of the 4 bytes"));
  EXPECT_EQ(reason_against(R"({"sizes_bytes": [6], "element_type": "bfloat16"})"), "");
  EXPECT_THAT(reason_against(R"({"iterations": 1000000})"), HasSubstr("rows: take fewer"));
}

/// Nothing of training in it, back from JSON as it was, under a name without rule and strategy.
TEST(CollectivesSettings, ARunHasNoTraining) {
  const auto matrix = matrix_of(study_with(R"(, "axes": {"ranks": [1, 3]}, "repeats": 2)"));
  ASSERT_EQ(matrix.runs.size(), 4U);
  for (const auto& run : matrix.runs) {
    EXPECT_FALSE(run.trains());
    EXPECT_FALSE(run.no_spare_core);
    EXPECT_THAT(run.run_id(), testing::MatchesRegex("collectives-r[13]-rep[01]-[0-9a-f]+"));
    const auto again = run_spec_from_json_text(to_json_text(run), "here");
    EXPECT_EQ(to_json_text(again), to_json_text(run));
    EXPECT_EQ(again.plan.samples, 0);
  }
}

TEST(CollectivesSettings, InjectionsThatHappenInStepsDoNothing) {
  EXPECT_THAT(message_of([] {
                return matrix_of(
                    study_with(R"(, "axes": {"ranks": [2]}, "injections": ["slow-rank=1:2x"])"));
              }),
              HasSubstr("nothing is trained"));
  EXPECT_EQ(matrix_of(study_with(R"(, "axes": {"ranks": [2]}, "injections": ["slow-link=1MB/s"])"))
                .runs.size(),
            3U);
}

/// Run files have numbers, of which their description says what they mean.
TEST(CollectivesCases, TheRunFileNamesEachOperation) {
  const std::string described(column_of(&CollectiveRow::operation).description);
  for (const auto& choice : choices<CollectiveOperation>)
    EXPECT_THAT(described, HasSubstr(cat(static_cast<int>(choice.value), " ", choice.name)));
}

TEST(CollectivesCases, PartsAreEqualAndEachSizeIsThereOnce) {
  collectives::Settings settings;
  settings.sizes_bytes = {8, 4, 64};
  settings.operations = {CollectiveOperation::all_gather};
  EXPECT_THAT(sizes_of(cases_of(settings, 3)), ElementsAre(12, 72));
  settings.operations = {CollectiveOperation::all_reduce};
  EXPECT_THAT(sizes_of(cases_of(settings, 3)), ElementsAre(4, 8, 64));
  settings.operations = {CollectiveOperation::barrier};
  EXPECT_THAT(sizes_of(cases_of(settings, 3)), ElementsAre(0));
}

}  // namespace
}  // namespace scalestudy
