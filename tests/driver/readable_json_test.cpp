#include "driver/terminal/readable_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using nlohmann::ordered_json;

TEST(ReadableJson, WhatFitsOnALineStandsOnIt) {
  const ordered_json study{{"size", {64, 64}},
                           {"optimizer", {{"name", "adam"}, {"rate", 4e-4}}},
                           {"none", ordered_json::array()},
                           {"flag", true}};
  EXPECT_EQ(readable_json(study), R"({
  "size": [64, 64],
  "optimizer": {"name": "adam", "rate": 0.0004},
  "none": [],
  "flag": true
}
)");
}

TEST(ReadableJson, WhatIsLongerIsSpreadAndNothingIsWiderThanItMustBe) {
  const std::string word(45, 'w');
  const ordered_json value{{"list", {word, word, {{"in", {word, word}}}}}};
  EXPECT_EQ(readable_json(value), "{\n  \"list\": [\n    \"" + word + "\",\n    \"" + word +
                                      "\",\n    {\n      \"in\": [\n        \"" + word +
                                      "\",\n        \"" + word + "\"\n      ]\n    }\n  ]\n}\n");
}

TEST(ReadableJson, TheLastColumnIsUsedAndNotPassed) {
  // Two spaces, "a": and a space, the value, a comma.
  for (const std::size_t width : {100U, 101U}) {
    const ordered_json value{{"a", {std::string(width - 12, 'x')}}, {"b", 1}};
    const auto line = split(readable_json(value), '\n')[1];
    EXPECT_EQ(line.size(), width == 100 ? 100U : std::string("  \"a\": [").size()) << line;
  }
}

TEST(ReadableJson, ReadsBackAsWhatItWas) {
  const ordered_json value{{"quotes \" and \\", "line\nbreak µ"},
                           {"numbers", {0, -1, 1.5e-300, 9007199254740993}},
                           {"deep", {{{"x", {{}, ordered_json::object(), nullptr, false}}}}}};
  EXPECT_EQ(ordered_json::parse(readable_json(value)), value);
  EXPECT_EQ(readable_json(ordered_json::object()), "{}\n");
  EXPECT_EQ(readable_json("text"), "\"text\"\n");
}

TEST(ReadableJson, OtherBytesThanUtf8AreRefused) {
  EXPECT_THROW((void)readable_json({{"path", "\xff"}}), nlohmann::json::type_error);
}

}  // namespace
}  // namespace scalestudy
