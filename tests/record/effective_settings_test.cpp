#include "record/run_file/effective_settings.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace scalestudy {
namespace {

using nlohmann::json;

json json_of(const EffectiveSettings& settings) {
  return json::parse(settings.json_text());
}

TEST(EffectiveSettings, NothingIsAnEmptyObject) {
  EXPECT_EQ(json_of({}), json::object());
}

TEST(EffectiveSettings, StandAtTheirPath) {
  EffectiveSettings settings;
  settings.set("/ranks", std::int64_t{4});
  settings.set("/settings/optimizer/beta1", 0.9);
  settings.set("/settings/optimizer/name", "adam");
  settings.set("/settings/deterministic", true);
  const auto found = json_of(settings);
  EXPECT_EQ(found["ranks"], 4);
  EXPECT_EQ(found["settings"]["optimizer"], json({{"beta1", 0.9}, {"name", "adam"}}));
  EXPECT_EQ(found["settings"]["deterministic"], true);
  EXPECT_EQ(found["settings"].size(), 2U);
}

TEST(EffectiveSettings, TypesAreKept) {
  EffectiveSettings settings;
  settings.set("/whole", std::int64_t{1});
  settings.set("/real", 1.0);
  settings.set("/flag", false);
  settings.set("/numbers", std::vector<std::int64_t>{3, 1});
  settings.set("/names", std::vector<std::string>{"b", "a"});
  const auto found = json_of(settings);
  EXPECT_TRUE(found["whole"].is_number_integer());
  EXPECT_TRUE(found["real"].is_number_float());
  EXPECT_TRUE(found["flag"].is_boolean());
  EXPECT_EQ(found["numbers"], json({3, 1}));
  EXPECT_EQ(found["names"], json({"b", "a"}));
}

TEST(EffectiveSettings, WhatJsonHasNoNumberForIsAText) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EffectiveSettings settings;
  settings.set("/a", std::numeric_limits<double>::quiet_NaN());
  settings.set("/b", infinity);
  settings.set("/c", -infinity);
  const auto found = json_of(settings);
  EXPECT_EQ(found["a"], "NaN");
  EXPECT_EQ(found["b"], "Infinity");
  EXPECT_EQ(found["c"], "-Infinity");
}

TEST(EffectiveSettings, NumbersAreInFull) {
  const std::vector<double> numbers{0.1234567890123, 1e-7, 1.0 / 3, 4e-4f, 1e300, -0.0};
  for (const double number : numbers) {
    EffectiveSettings settings;
    settings.set("/x", number);
    EXPECT_EQ(json_of(settings)["x"].get<double>(), number);
  }
  EffectiveSettings settings;
  settings.set("/x", std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(json_of(settings)["x"].get<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
}

TEST(EffectiveSettings, TheLastValueOfAPathCounts) {
  EffectiveSettings settings;
  settings.set("/device", "cuda:0");
  settings.set("/device", "cpu");
  EXPECT_EQ(json_of(settings), json({{"device", "cpu"}}));
}

TEST(EffectiveSettings, FactsHaveUnitAndDescription) {
  EffectiveSettings settings;
  settings.add_fact("parameter_bytes", {std::int64_t{3438084}, "bytes", "All weights"});
  settings.add_fact("loss/scale", {std::numeric_limits<double>::infinity(), "1", "A name with /"});
  const auto facts = json_of(settings)["facts"];
  EXPECT_EQ(facts["parameter_bytes"],
            json({{"value", 3438084}, {"unit", "bytes"}, {"description", "All weights"}}));
  EXPECT_EQ(facts["loss/scale"]["value"], "Infinity");
  EXPECT_EQ(facts.size(), 2U);
}

TEST(EffectiveSettings, AddingTakesTheOthersWhereBothHaveOne) {
  EffectiveSettings settings, other;
  settings.set("/a", "mine");
  settings.set("/b", "mine");
  settings.add_fact("f", {"mine", "1", ""});
  other.set("/b", "other");
  other.set("/c", "other");
  other.add_fact("f", {"other", "1", ""});
  settings.add(other);
  const auto found = json_of(settings);
  EXPECT_EQ(found["a"], "mine");
  EXPECT_EQ(found["b"], "other");
  EXPECT_EQ(found["c"], "other");
  EXPECT_EQ(found["facts"]["f"]["value"], "other");
  EXPECT_EQ(other.settings().size(), 2U);
}

TEST(EffectiveSettings, BytesThatAreNoUtf8AreReplacedAndNotRefused) {
  EffectiveSettings settings;
  settings.set("/names", std::vector<std::string>{"caf\xe9", "µ"});
  const auto found = json_of(settings);
  EXPECT_EQ(found["names"][0], "caf\xef\xbf\xbd");
  EXPECT_EQ(found["names"][1], "µ");
}

}  // namespace
}  // namespace scalestudy
