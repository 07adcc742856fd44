#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/choices.hpp"
#include "study/scaling_rules.hpp"

#include "driver/terminal/listing.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/scoped_variable.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kinds{"workloads", "strategies",   "rules",   "injections",
                                     "launchers", "environments", "studies", "profiles",
                                     "claims",    "published",    "metrics"};

json rows_of(const std::string& kind) {
  return json_of_driver({"list", kind}).at(kind);
}

bool has_row(const json& rows, const std::string& name) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return row["name"] == name; });
}

TEST(ListOutput, ShowsEveryKind) {
  EXPECT_TRUE(has_row(rows_of("workloads"), "noise2void"));
  for (const auto& strategy : named_choices<Reduction>())
    EXPECT_TRUE(has_row(rows_of("strategies"), std::string(strategy.name)));
  EXPECT_EQ(rows_of("rules").size(), choices<ScalingRule>.size());
  EXPECT_TRUE(has_row(rows_of("launchers"), "local"));
  EXPECT_TRUE(has_row(rows_of("launchers"), "mpirun"));
  EXPECT_TRUE(has_row(rows_of("environments"), "debian12-cpu"));
}

TEST(ListOutput, EveryShippedStudyCanBeRead) {
  const auto studies = rows_of("studies");
  EXPECT_TRUE(has_row(studies, "n2v-quickstart"));
  for (const auto& study : studies) {
    EXPECT_FALSE(study["description"].get<std::string>().starts_with("UNREADABLE")) << study;
    EXPECT_NE(study["description"], "") << study;
  }
}

TEST(ListOutput, EveryRecordedColumnIsAMetricWithUnit) {
  const auto metrics = rows_of("metrics");
  EXPECT_TRUE(has_row(metrics, "/summary/samples_per_s"));
  EXPECT_TRUE(has_row(metrics, "/steps/exposed_communication_s"));
  EXPECT_TRUE(has_row(metrics, "/ranks/peak_memory_bytes"));
  for (const auto& metric : metrics) {
    EXPECT_NE(metric["unit"], "") << metric;
    EXPECT_NE(metric["meaning"], "") << metric;
  }
}

TEST(ListOutput, EveryKindIsAListOfRowsWithTheSameKeys) {
  for (const auto& kind : kinds) {
    const auto rows = rows_of(kind);
    ASSERT_FALSE(rows.empty()) << kind;
    for (const auto& row : rows) {
      EXPECT_EQ(row.size(), rows[0].size()) << kind;
      for (const auto& [key, value] : rows[0].items()) {
        ASSERT_TRUE(row.contains(key)) << kind << " " << key;
        EXPECT_TRUE(row[key].is_string()) << kind << " " << key;
      }
    }
  }
}

TEST(ListOutput, NamesAreUniqueInEveryKind) {
  for (const auto& kind : kinds) {
    std::set<std::string> names;
    const auto rows = rows_of(kind);
    for (const auto& row : rows) names.insert(row["name"].get<std::string>());
    EXPECT_EQ(names.size(), rows.size()) << kind;
  }
}

TEST(ListOutput, TextAndJsonHaveTheSameRows) {
  for (const auto& kind : kinds) {
    const auto answer = ask_driver({"list", kind});
    EXPECT_EQ(answer.code, 0) << kind;
    EXPECT_EQ(answer.err, "") << kind;
    const auto lines = split(answer.out, '\n');
    const auto rows = rows_of(kind);
    ASSERT_EQ(lines.size(), rows.size() + 2) << kind << ": a title and the last line's end";
    EXPECT_THAT(lines[0], StartsWith("name  ")) << kind;
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_THAT(lines[i + 1], StartsWith(rows[i]["name"].get<std::string>() + " ")) << kind;
  }
}

TEST(ListOutput, RulesComeInTheOrderOfTheirTableWithSources) {
  const auto rows = rows_of("rules");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["name"], choices<ScalingRule>[i].name);
    EXPECT_EQ(rows[i]["source"], source_of(choices<ScalingRule>[i].value));
    EXPECT_EQ(rows[i]["summary"], choices<ScalingRule>[i].summary);
  }
}

TEST(ListOutput, StudiesAndEnvironmentsAreSorted) {
  for (const auto& kind : {"studies", "environments", "launchers"}) {
    const auto rows = rows_of(kind);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a["name"] < b["name"];
    })) << kind;
  }
}

TEST(ListOutput, ALauncherThatIsMissingHereIsSaidToBe) {
  const ScopedVariable path("PATH", "/nowhere");
  for (const auto& row : rows_of("launchers"))
    EXPECT_EQ(row["here"], row["name"] == "mpirun" ? "missing" : "yes") << row["name"];
}

TEST(ListOutput, BetterIsKnownForThroughputAndLoss) {
  int found = 0;
  for (const auto& row : rows_of("metrics")) {
    if (row["name"] != "/summary/samples_per_s" && row["name"] != "/steps/step_s") continue;
    EXPECT_EQ(row["better"], row["unit"] == "s" ? "lower" : "higher") << row;
    ++found;
  }
  EXPECT_EQ(found, 2);
}

TEST(ListOutput, ShowsTheFileOfAStudyAsItIs) {
  const auto answer = ask_driver({"list", "studies", "--show", "n2v-quickstart"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(json::parse(answer.out)["workload"], "noise2void");
  const auto unknown = ask_driver({"list", "studies", "--show", "n2v-quikstart"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("Did you mean 'n2v-quickstart'"));
  const auto no_study = ask_driver({"list", "rules", "--show", "strong"});
  EXPECT_EQ(no_study.code, 2);
  EXPECT_THAT(no_study.err, HasSubstr("Leave it out: scalestudy list rules shows"));
  EXPECT_THAT(ask_driver({"list", "--show", "strong"}).err, HasSubstr("KIND is missing"));
}

TEST(ListOutput, WantsOneKnownKind) {
  EXPECT_EQ(ask_driver({"list"}).code, 2);
  const auto far = ask_driver({"list", "xyzzyxyzzy", "--json"});
  EXPECT_EQ(far.code, 2);
  EXPECT_EQ(json::parse(far.out)["exit_code"], 2);
  EXPECT_THAT(far.err, HasSubstr("can be listed: " + join(kinds, ", ")));
  EXPECT_THAT(far.err, HasSubstr("Use one of them"));
}

TEST(ListOutput, UnknownKindSuggestsTheNearest) {
  const auto answer = ask_driver({"list", "studeis"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("nothing called 'studeis' to list"));
  EXPECT_THAT(answer.err, HasSubstr("Did you mean 'studies'"));
}

Listing two_rows() {
  return {"things", {"name", "what"}, {{"a", "first"}, {"b", "second"}}, "Nothing."};
}

std::string shown(const Listing& listing, bool as_json) {
  std::ostringstream out;
  Context context{{}, "", out, out};
  context.options.json = as_json;
  show(listing, context);
  return out.str();
}

TEST(Listing, AlignsItsColumns) {
  auto listing = two_rows();
  listing.rows = {{"a", "first"}, {"long name", "µ"}};
  EXPECT_EQ(shown(listing, false), "name       what\na          first\nlong name  µ\n");
}

TEST(Listing, JsonNamesTheListAndItsColumns) {
  EXPECT_EQ(json::parse(shown(two_rows(), true)),
            json::parse(R"({"things": [{"name": "a", "what": "first"},
                                       {"name": "b", "what": "second"}]})"));
}

TEST(Listing, NothingIsASentenceInTextAndAnEmptyListInJson) {
  auto listing = two_rows();
  listing.rows.clear();
  EXPECT_EQ(shown(listing, false), "Nothing.\n");
  EXPECT_EQ(json::parse(shown(listing, true)), json::parse(R"({"things": []})"));
}

TEST(Listing, BytesThatAreNoUtf8CannotBreakTheJson) {
  auto listing = two_rows();
  listing.rows[0][1] = "caf\xe9";
  EXPECT_TRUE(json::accept(shown(listing, true)));
}

TEST(Listing, ARowOfAnotherLengthIsABugOfOurs) {
  auto listing = two_rows();
  listing.rows[1].pop_back();
  EXPECT_THROW(static_cast<void>(shown(listing, true)), InternalError);
  EXPECT_THROW(static_cast<void>(shown(listing, false)), InternalError);
}

}  // namespace
}  // namespace scalestudy
