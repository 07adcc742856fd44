#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "study/settings.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// The schema of one field.
template <class Value>
json schema_of(Value value, const FieldInfo& info) {
  const auto schema = schema_of_fields([&](FieldVisitor& v) { v.field("x", value, info); });
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["additionalProperties"], false);
  return schema["properties"]["x"];
}

TEST(SchemaOfFields, TypesAndDefaultsOfPlainValues) {
  const FieldInfo info{.unit = "u", .description = "D"};
  EXPECT_EQ(schema_of(true, info),
            json({{"type", "boolean"}, {"default", true}, {"unit", "u"}, {"description", "D"}}));
  EXPECT_EQ(schema_of(std::int64_t{7}, info)["type"], "integer");
  EXPECT_EQ(schema_of(std::int64_t{7}, info)["default"], 7);
  EXPECT_EQ(schema_of(0.25, info)["type"], "number");
  EXPECT_EQ(schema_of(0.25, info)["default"], 0.25);
  EXPECT_EQ(schema_of(std::string("t"), info)["type"], "string");
}

TEST(SchemaOfFields, LimitsAreWrittenOnlyWhereThereAreSome) {
  const auto free = schema_of(std::int64_t{1}, {.unit = "1", .description = "D"});
  for (const auto* key : {"minimum", "maximum", "exclusiveMinimum", "enum"})
    EXPECT_FALSE(free.contains(key)) << key;
  const auto both = schema_of(1.0, {.unit = "1", .description = "D", .minimum = -2, .maximum = 3});
  EXPECT_EQ(both["minimum"], -2);
  EXPECT_EQ(both["maximum"], 3);
  const auto positive = schema_of(1.0, {.unit = "1", .description = "D", .minimum = above_zero});
  EXPECT_EQ(positive["exclusiveMinimum"], 0);
  EXPECT_FALSE(positive.contains("minimum"));
}

TEST(SchemaOfFields, LimitsOfAListHoldForItsEntries) {
  const auto list =
      schema_of(std::vector<std::int64_t>{1, 2, 3},
                {.unit = "voxels", .description = "D", .minimum = 1, .maximum = 9, .length = 3});
  EXPECT_EQ(list["type"], "array");
  EXPECT_EQ(list["items"], json({{"type", "integer"}, {"minimum", 1}, {"maximum", 9}}));
  EXPECT_EQ(list["minItems"], 3);
  EXPECT_EQ(list["maxItems"], 3);
  EXPECT_EQ(list["default"], json({1, 2, 3}));
  EXPECT_FALSE(list.contains("minimum"));
  const auto any = schema_of(std::vector<std::string>{}, {.unit = "1", .description = "D"});
  EXPECT_FALSE(any.contains("minItems"));
  EXPECT_EQ(any["default"], json::array());
}

TEST(SchemaOfFields, EnumerationsListTheirNamesAndMeanings) {
  const auto schema = schema_of(Reduction::none, {.unit = "1", .description = "How"});
  EXPECT_EQ(schema["enum"], json({"bucketed_overlap", "flat_after_backward", "packs", "fusion",
                                  "hierarchical", "reduce_to_one", "tower", "sharded_optimizer",
                                  "pytorch_ddp", "barrier_only", "none"}));
  EXPECT_EQ(schema["default"], "none");
  EXPECT_THAT(schema["description"].get<std::string>(),
              HasSubstr("How. bucketed_overlap: gradients in buckets"));
  const auto plain = schema_of(Precision::fp32, {.unit = "1", .description = "Where"});
  EXPECT_EQ(plain["description"], "Where") << "its names say it";
}

TEST(SchemaOfFields, AnOptionalEnumerationAllowsTheEmptyText) {
  const auto schema =
      schema_of(std::optional<Device>(), {.unit = "1", .description = "Where or nowhere"});
  EXPECT_EQ(schema["enum"], json({"", "cpu", "cuda"}));
  EXPECT_EQ(schema["default"], "");
}

TEST(SchemaOfFields, AListOfEnumerationsHasTheNamesAtItsItems) {
  const auto schema =
      schema_of(std::vector<Device>{Device::cuda}, {.unit = "1", .description = ""});
  EXPECT_EQ(schema["items"]["enum"], json({"cpu", "cuda"}));
  EXPECT_EQ(schema["default"], json({"cuda"}));
  EXPECT_FALSE(schema.contains("enum"));
}

/// Calls `check(path, property)` for every leaf of a schema.
void for_each_leaf(const json& schema,
                   const std::string& path,
                   const std::function<void(const std::string&, const json&)>& check) {
  for (const auto& [name, property] : schema["properties"].items()) {
    const auto here = path + "." + name;
    if (property["type"] == "object") {
      EXPECT_EQ(property["additionalProperties"], false) << here;
      EXPECT_NE(property["description"], "") << here;
      for_each_leaf(property, here, check);
    } else {
      check(here, property);
    }
  }
}

template <class Settings>
json schema_of_settings() {
  Settings settings;
  return schema_of_fields([&](FieldVisitor& v) { visit(v, settings); });
}

TEST(SettingsSchema, EveryLeafHasUnitDescriptionAndADefaultWithinItsLimits) {
  int count = 0;
  const auto check = [&](const std::string& path, const json& property) {
    ++count;
    EXPECT_NE(property["unit"], "") << path;
    EXPECT_NE(property["description"], "") << path;
    EXPECT_THAT(property["description"].get<std::string>(), Not(testing::EndsWith("."))) << path;
    ASSERT_TRUE(property.contains("default")) << path;
    const auto& value = property["default"];
    if (property.contains("minimum")) {
      EXPECT_GE(value, property["minimum"]) << path;
    }
    if (property.contains("exclusiveMinimum")) {
      EXPECT_GT(value, property["exclusiveMinimum"]) << path;
    }
    if (property.contains("maximum")) {
      EXPECT_LE(value, property["maximum"]) << path;
    }
    if (property.contains("enum")) {
      EXPECT_THAT(property["enum"], testing::Contains(value)) << path;
    }
  };
  for_each_leaf(schema_of_settings<CommonSettings>(), "settings", check);
  for_each_leaf(schema_of_settings<DataSettings>(), "data", check);
  EXPECT_GT(count, 40);
}

TEST(SettingsSchema, UnitsOfNamesFollowTheirSuffix) {
  const std::vector<std::pair<std::string, std::string>> suffixes{
      {"_bytes_per_s", "bytes/s"}, {"_s", "s"},         {"_bytes", "bytes"},
      {"_epochs", "epochs"},       {"_steps", "steps"}, {"_threads", "threads"},
      {"_batch_size", "samples"}};
  const auto check = [&](const std::string& path, const json& property) {
    for (const auto& [suffix, unit] : suffixes) {
      if (!path.ends_with(suffix)) continue;
      EXPECT_EQ(property["unit"], unit) << path;
      return;
    }
  };
  for_each_leaf(schema_of_settings<CommonSettings>(), "settings", check);
}

}  // namespace
}  // namespace scalestudy
