#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "study/choices.hpp"
#include "study/scaling_rules.hpp"

#include "record/run_file/columns.hpp"

#include "driver/terminal/listing.hpp"
#include "tests/driver/driver_answer.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json listed(const std::string& kind) {
  return json_of_driver({"list", kind}).at(kind);
}

bool has_row(const json& rows, const std::string& name) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return row["name"] == name; });
}

TEST(List, ShowsEveryKind) {
  EXPECT_TRUE(has_row(listed("workloads"), "noise2void"));
  for (const auto& strategy : named_choices<Reduction>())
    EXPECT_TRUE(has_row(listed("strategies"), std::string(strategy.name)));
  EXPECT_EQ(listed("rules").size(), choices<ScalingRule>.size());
  EXPECT_TRUE(has_row(listed("launchers"), "local"));
  EXPECT_TRUE(has_row(listed("launchers"), "mpirun"));
  EXPECT_TRUE(has_row(listed("environments"), "debian12-cpu"));
}

TEST(List, EveryShippedStudyCanBeRead) {
  const auto studies = listed("studies");
  EXPECT_TRUE(has_row(studies, "n2v-quickstart"));
  for (const auto& study : studies) {
    EXPECT_FALSE(study["description"].get<std::string>().starts_with("UNREADABLE")) << study;
    EXPECT_NE(study["description"], "") << study;
  }
}

TEST(List, EveryRecordedColumnIsAMetricWithUnit) {
  const auto metrics = listed("metrics");
  EXPECT_TRUE(has_row(metrics, "/summary/samples_per_s"));
  EXPECT_TRUE(has_row(metrics, "/steps/exposed_communication_s"));
  EXPECT_TRUE(has_row(metrics, "/ranks/peak_memory_bytes"));
  for (const auto& metric : metrics) {
    EXPECT_NE(metric["unit"], "") << metric;
    EXPECT_NE(metric["meaning"], "") << metric;
  }
}

TEST(List, UnknownKindSuggestsTheNearest) {
  const auto answer = ask_driver({"list", "studeis"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("nothing called 'studeis' to list"));
  EXPECT_THAT(answer.err, HasSubstr("Did you mean 'studies'"));
}

TEST(Listing, AlignsItsColumns) {
  std::ostringstream out;
  Context context{{}, "", out, out};
  show({"things", {"name", "what"}, {{"a", "first"}, {"long name", "µ"}}, ""}, context);
  EXPECT_EQ(out.str(), "name       what\na          first\nlong name  µ\n");
}

TEST(Schema, IsJsonWithTheKnownKeys) {
  const auto study = json::parse(ask_driver({"schema", "study"}).out);
  EXPECT_TRUE(study["properties"].contains("axes"));
  EXPECT_TRUE(study["properties"].contains("settings"));
  const auto environment = json::parse(ask_driver({"schema", "environment"}).out);
  EXPECT_TRUE(environment["properties"].contains("launcher"));
}

TEST(Schema, UnknownKindSuggestsTheNearest) {
  const auto unknown = ask_driver({"schema", "stduy"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("Did you mean 'study'"));
}

}  // namespace
}  // namespace scalestudy
