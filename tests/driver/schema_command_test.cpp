#include <filesystem>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "study/scaling_rules.hpp"

#include "tests/driver/driver_answer.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

json schema_of(const std::string& kind) {
  const auto answer = ask_driver({"schema", kind});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  return json::parse(answer.out);
}

json names_of_choices(std::span<const NamedChoice> table) {
  return names_of(table);
}

/// Calls `check(path, property)` for every leaf below `schema`.
void for_each_leaf(const json& schema,
                   const std::string& path,
                   const std::function<void(const std::string&, const json&)>& check) {
  for (const auto& [name, property] : schema.at("properties").items()) {
    const auto here = path + "/" + name;
    if (property.contains("properties")) {
      for_each_leaf(property, here, check);
    } else {
      check(here, property);
    }
  }
}

TEST(SchemaCommand, EverySettingOfEveryWorkloadIsDescribed) {
  const auto schema = schema_of("study");
  const auto names = schema["properties"]["workload"]["enum"];
  EXPECT_THAT(names, Contains("noise2void"));
  ASSERT_EQ(schema["allOf"].size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& one = schema["allOf"][i];
    EXPECT_EQ(one["if"]["properties"]["workload"]["const"], names[i]);
    int count = 0;
    const auto check = [&](const std::string& path, const json& property) {
      ++count;
      EXPECT_FALSE(property.value("unit", "").empty()) << path;
      EXPECT_FALSE(property.value("description", "").empty()) << path;
      EXPECT_TRUE(property.contains("default")) << path;
    };
    for_each_leaf(one["then"]["properties"]["settings"], names[i], check);
    // Common settings and its own; without training nearly none of the common ones.
    EXPECT_GT(count, names[i] == "collectives" ? 10 : 45) << names[i];
  }
}

TEST(SchemaCommand, WorkloadsHaveTheirOwnSettingsAndNotThoseOfOthers) {
  const auto schema = schema_of("study");
  for (const auto& one : schema["allOf"]) {
    const auto& settings = one["then"]["properties"]["settings"]["properties"];
    const auto& workload = one["if"]["properties"]["workload"]["const"];
    EXPECT_EQ(settings.contains("masked_frac"), workload == "noise2void") << workload;
    EXPECT_EQ(settings.contains("local_batch_size"), workload != "collectives") << workload;
    EXPECT_TRUE(settings.contains("seed"));
  }
}

TEST(SchemaCommand, AxesOfferTheNamesOfTheirTables) {
  const auto schema = schema_of("study");
  const auto& axes = schema["properties"]["axes"]["properties"];
  const auto items = [&](const char* axis) { return axes[axis]["items"]["enum"]; };
  EXPECT_EQ(items("scaling_rule"), names_of_choices(named_choices<ScalingRule>()));
  EXPECT_EQ(items("reduction"), names_of_choices(named_choices<Reduction>()));
  EXPECT_EQ(items("input"), names_of_choices(named_choices<InputKind>()));
  EXPECT_EQ(items("precision"), names_of_choices(named_choices<Precision>()));
  EXPECT_EQ(items("memory_format"), names_of_choices(named_choices<MemoryFormat>()));
  EXPECT_EQ(axes["ranks"]["items"]["minimum"], 1);
  EXPECT_EQ(axes["ranks"]["default"], json({1}));
  EXPECT_EQ(schema["properties"]["control_arms"]["items"]["enum"],
            names_of_choices(named_choices<ControlArm>()));
}

TEST(SchemaCommand, AStudyMustSayItsVersionAndWorkload) {
  const auto schema = schema_of("study");
  EXPECT_EQ(schema["required"], json({"schema", "workload"}));
  EXPECT_FALSE(schema["properties"]["workload"].contains("default"));
  EXPECT_EQ(schema["properties"]["schema"]["minimum"], 1);
  EXPECT_EQ(schema["properties"]["schema"]["maximum"], 1);
  EXPECT_EQ(schema["additionalProperties"], false);
}

TEST(SchemaCommand, EveryKeyOfAShippedStudyStandsInTheSchema) {
  const auto schema = schema_of("study");
  const auto file =
      std::filesystem::path(test::in_sources("workloads/noise2void/studies/n2v-quickstart.json"));
  std::ifstream in(file);
  const auto study = json::parse(in);
  for (const auto& [key, value] : study.items())
    EXPECT_TRUE(schema["properties"].contains(key)) << key;
  for (const auto& one : schema["allOf"]) {
    if (one["if"]["properties"]["workload"]["const"] != study["workload"]) continue;
    for (const auto& [key, value] : study["settings"].items())
      EXPECT_TRUE(one["then"]["properties"]["settings"]["properties"].contains(key)) << key;
  }
}

TEST(SchemaCommand, AnEnvironmentOffersTheLaunchersThatExist) {
  const auto schema = schema_of("environment");
  const auto& properties = schema["properties"];
  const auto launchers = json_of_driver({"list", "launchers"})["launchers"];
  ASSERT_EQ(properties["launcher"]["enum"].size(), launchers.size());
  for (const auto& launcher : launchers)
    EXPECT_THAT(properties["launcher"]["enum"], Contains(launcher["name"]));
  EXPECT_EQ(properties["device"]["enum"], json({"", "cpu", "cuda"}));
  EXPECT_EQ(properties["variables"]["additionalProperties"]["type"], "string");
  EXPECT_THAT(properties, SizeIs(5)) << "name, description, launcher, device, variables";
}

TEST(SchemaCommand, ASummaryHasChaptersAndTables) {
  const auto schema = schema_of("summary");
  EXPECT_EQ(schema["properties"]["schema"]["const"], 3);
  EXPECT_THAT(schema["required"], Contains("chapters"));
  EXPECT_THAT(schema["required"], Contains("tables"));
}

TEST(SchemaCommand, TheJsonOptionChangesNothing) {
  EXPECT_EQ(ask_driver({"schema", "study", "--json"}).out, ask_driver({"schema", "study"}).out);
}

TEST(SchemaCommand, WantsOneKnownKind) {
  EXPECT_EQ(ask_driver({"schema"}).code, 2);
  const auto far = ask_driver({"schema", "xyzzyxyzzy"});
  EXPECT_EQ(far.code, 2);
  EXPECT_EQ(far.out, "");
  EXPECT_THAT(far.err, HasSubstr("Use one of them"));
  EXPECT_THAT(ask_driver({"schema", "enviroment"}).err, HasSubstr("Did you mean 'environment'"));
}

}  // namespace
}  // namespace scalestudy
