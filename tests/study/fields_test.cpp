#include "study/fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/choices.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// One field of every type.
struct Sample {
  bool flag = true;
  std::int64_t count = 5;
  double rate = 0.5;
  std::string name = "n";
  std::vector<std::int64_t> patch{8, 16};
  std::vector<std::string> words{"a"};
  Device device = Device::cpu;
  std::optional<ControlArm> arm;
  std::vector<Precision> precisions{Precision::fp32};
  std::int64_t depth = 2;
};

void visit_inner(FieldVisitor& v, Sample& s) {
  v.field("depth", s.depth, {.unit = "levels", .description = "Depth", .minimum = 1, .maximum = 4});
}

void visit_sample(FieldVisitor& v, Sample& s) {
  v.field("flag", s.flag, {.unit = "1", .description = "A flag"});
  v.field("count", s.count, {.unit = "runs", .description = "A count", .minimum = -3});
  v.field("rate", s.rate,
          {.unit = "s", .description = "A rate", .minimum = above_zero, .maximum = 2});
  v.field("name", s.name, {.unit = "1", .description = "A name"});
  v.field("patch", s.patch,
          {.unit = "voxels", .description = "Two sides", .minimum = 1, .maximum = 64, .length = 2});
  v.field("words", s.words, {.unit = "1", .description = "Words"});
  v.field("device", s.device, {.unit = "1", .description = "A device"});
  v.field("arm", s.arm, {.unit = "1", .description = "An arm or none"});
  v.field("precisions", s.precisions, {.unit = "1", .description = "Precisions"});
  v.group("inner", "A group", [&](FieldVisitor& w) { visit_inner(w, s); });
}

Sample sample_from(const json& object) {
  Sample sample;
  read_fields(object, "file.json: top", [&](FieldVisitor& v) { visit_sample(v, sample); });
  return sample;
}

json written_fields(Sample sample) {
  return write_fields([&](FieldVisitor& v) { visit_sample(v, sample); });
}

/// The message of the refusal, or "accepted".
std::string field_refusal(const std::string& text) {
  return message_of([&] { return sample_from(json::parse(text)); });
}

TEST(Fields, AnEmptyObjectKeepsEveryDefault) {
  EXPECT_EQ(written_fields(sample_from(json::object())), written_fields(Sample()));
}

TEST(Fields, WritesEveryTypeByItsName) {
  EXPECT_EQ(written_fields(Sample()), json::parse(R"({
    "flag": true, "count": 5, "rate": 0.5, "name": "n", "patch": [8, 16], "words": ["a"],
    "device": "cpu", "arm": "", "precisions": ["fp32"], "inner": {"depth": 2}})"));
}

TEST(Fields, EveryTypeSurvivesWritingAndReading) {
  Sample sample;
  sample.flag = false;
  sample.count = -3;
  sample.rate = 0.1;
  sample.name = "é \"quoted\"";
  sample.patch = {1, 64};
  sample.words = {};
  sample.device = Device::cuda;
  sample.arm = ControlArm::synthetic_input;
  sample.precisions = {Precision::bf16, Precision::tf32};
  sample.depth = 4;
  const auto again = sample_from(written_fields(sample));
  EXPECT_FALSE(again.flag);
  EXPECT_EQ(again.count, -3);
  EXPECT_EQ(again.rate, 0.1);
  EXPECT_EQ(again.name, sample.name);
  EXPECT_THAT(again.patch, ElementsAre(1, 64));
  EXPECT_TRUE(again.words.empty());
  EXPECT_EQ(again.device, Device::cuda);
  EXPECT_EQ(again.arm, ControlArm::synthetic_input);
  EXPECT_THAT(again.precisions, ElementsAre(Precision::bf16, Precision::tf32));
  EXPECT_EQ(again.depth, 4);
}

TEST(Fields, AGivenListReplacesTheDefaultInsteadOfGrowingIt) {
  EXPECT_THAT(sample_from({{"words", {"b", "c"}}}).words, ElementsAre("b", "c"));
  EXPECT_THAT(sample_from({{"precisions", {"bf16"}}}).precisions, ElementsAre(Precision::bf16));
  EXPECT_TRUE(sample_from({{"precisions", json::array()}}).precisions.empty());
}

TEST(Fields, AnEmptyTextIsNoneOnlyWhereNoneIsAllowed) {
  EXPECT_EQ(sample_from({{"arm", ""}}).arm, std::nullopt);
  EXPECT_THAT(field_refusal(R"({"device": ""})"), HasSubstr("file.json: top.device"));
  EXPECT_THAT(field_refusal(R"({"precisions": [""]})"), HasSubstr("file.json: top.precisions"));
}

TEST(Fields, WholeNumbersAreFineWhereAnyNumberIs) {
  EXPECT_EQ(sample_from({{"rate", 1}}).rate, 1.0);
  EXPECT_EQ(sample_from({{"rate", 2}}).rate, 2.0) << "the maximum itself is allowed";
}

TEST(Fields, EveryTypeRefusesTheOthers) {
  const std::vector<std::pair<std::string, std::string>> wanted{
      {"flag", "true or false"},
      {"count", "a whole number without point"},
      {"rate", "a number"},
      {"name", "a text"},
      {"patch", "a list of whole"},
      {"words", "a list of texts"},
      {"device", "a text"},
      {"arm", "a text"},
      {"precisions", "a list of texts"}};
  for (const auto& [name, type] : wanted) {
    const auto message = field_refusal(R"({")" + name + R"(": {"x": 1}})");
    EXPECT_THAT(message, StartsWith(cat("file.json: top.", name, " = {\"x\":1} is not ", type)));
    EXPECT_THAT(field_refusal(R"({")" + name + R"(": null})"), HasSubstr("= null is not " + type));
  }
  EXPECT_THAT(field_refusal(R"({"inner": [1]})"),
              HasSubstr("top.inner: array given, not an object"));
  EXPECT_THAT(field_refusal(R"({"inner": null})"),
              HasSubstr("top.inner: null given, not an object"));
}

TEST(Fields, EntriesOfListsAreCheckedAsTheirFieldIs) {
  EXPECT_THAT(field_refusal(R"({"patch": [8, 65]})"), HasSubstr("top.patch = 65 is out of range"));
  EXPECT_THAT(field_refusal(R"({"patch": [8, 0.5]})"), HasSubstr("is not a whole number"));
  EXPECT_THAT(field_refusal(R"({"words": ["a", 1]})"), HasSubstr("is not a text"));
  EXPECT_THAT(field_refusal(R"({"precisions": ["fp32", "bf61"]})"), HasSubstr("'bf16' is meant"));
}

TEST(Fields, WordsAreTheFirstOfADescription) {
  bool flag = false;
  std::int64_t count = 0;
  const auto words = words_of_schema(schema_of_fields([&](FieldVisitor& v) {
    v.field("flag", flag, {.unit = "1", .description = "Whether; if not, otherwise"});
    v.group("inner", "Group", [&](FieldVisitor& w) {
      w.field("count", count, {.unit = "1", .description = "How many, at most. More is less"});
    });
  }));
  EXPECT_EQ(words, (FieldWords{{"/flag", "Whether"}, {"/inner/count", "How many, at most"}}));
}

TEST(Fields, ListsOfAnotherLengthAreRefused) {
  for (const auto* list : {"[]", "[8]", "[8, 8, 8]"}) {
    const auto message = field_refusal(std::string(R"({"patch": )") + list + "}");
    EXPECT_THAT(message, HasSubstr(", not 2")) << list;
    EXPECT_THAT(message, HasSubstr("Give 2 values")) << list;
  }
}

TEST(Fields, LimitsBelongToTheRangeAndSaySo) {
  EXPECT_EQ(field_refusal(R"({"count": -3})"), "accepted");
  EXPECT_THAT(field_refusal(R"({"count": -4})"), HasSubstr("Use a value at least -3."));
  EXPECT_THAT(field_refusal(R"({"rate": 0})"), HasSubstr("Use a value above 0 and at most 2."));
  EXPECT_THAT(field_refusal(R"({"rate": 2.0000001})"), HasSubstr("is out of range"));
  EXPECT_THAT(field_refusal(R"({"inner": {"depth": 5}})"),
              HasSubstr("top.inner.depth = 5 is out of"));
}

TEST(Fields, TheLargestWholeNumbersAreExactOrRefused) {
  EXPECT_EQ(sample_from({{"count", (std::int64_t{1} << 53) + 1}}).count,
            (std::int64_t{1} << 53) + 1);
  EXPECT_THAT(field_refusal(R"({"count": 9223372036854775808})"),
              HasSubstr("does not fit into 64 bits"));
  for (const auto* count :
       {"18446744073709551615", "99999999999999999999", "-99999999999999999999"})
    EXPECT_THAT(field_refusal(cat(R"({"count": )", count, "}")),
                HasSubstr("is too large: it does not fit into 64 bits"));
}

TEST(Fields, UnknownKeysSuggestTheNearestOfTheirOwnObject) {
  EXPECT_THAT(field_refusal(R"({"coutn": 1})"), HasSubstr("top.coutn: unknown key"));
  EXPECT_THAT(field_refusal(R"({"coutn": 1})"), HasSubstr("Perhaps 'count' is meant"));
  EXPECT_THAT(field_refusal(R"({"inner": {"dept": 1}})"), HasSubstr("top.inner.dept: unknown key"));
  EXPECT_THAT(field_refusal(R"({"inner": {"dept": 1}})"), HasSubstr("Perhaps 'depth' is meant"));
  EXPECT_THAT(field_refusal(R"({"depth": 1})"), HasSubstr("top.depth: unknown key"));
  EXPECT_THAT(field_refusal(R"({"zzzzzzzz": 1})"), HasSubstr("Known keys are flag, count, rate"));
}

TEST(Fields, NamesOfEnumerationsAreExact) {
  EXPECT_THAT(field_refusal(R"({"device": "CUDA"})"), HasSubstr("unknown value 'CUDA'"));
  EXPECT_THAT(field_refusal(R"({"device": " cuda"})"), HasSubstr("'cuda' is meant"));
  EXPECT_THAT(field_refusal(R"({"arm": "none"})"), HasSubstr("top.arm: unknown value 'none'"));
}

TEST(Fields, ARefusalNamesTheFileWithoutAStrayColon) {
  EXPECT_THAT(message_of([] { read_fields(json(3), "file.json: ", [](FieldVisitor&) {}); }),
              StartsWith("file.json: number given, not an object"));
}

TEST(JsonPath, JoinsWithAPointButNotAtTheStart) {
  EXPECT_EQ(json_path_of("study.json: ", "epochs"), "study.json: epochs");
  EXPECT_EQ(json_path_of("study.json: settings", "epochs"), "study.json: settings.epochs");
  EXPECT_EQ(json_path_of("", "epochs"), "epochs");
}

TEST(CompletedFields, FillsInDefaultsInOneCanonicalOrder) {
  const auto complete = [](const std::string& text) {
    Sample sample;
    return completed_fields(json::parse(text), "x",
                            [&](FieldVisitor& v) { visit_sample(v, sample); });
  };
  EXPECT_EQ(complete(R"({"rate": 1, "count": 7})"), complete(R"({"count": 7, "rate": 1.0})"));
  EXPECT_NE(complete(R"({"count": 7})"), complete(R"({"count": 8})"));
  EXPECT_EQ(json::parse(complete("{}")), written_fields(Sample()));
}

TEST(FieldNames, AreThoseOfTheTopLevel) {
  Sample sample;
  const auto names = field_names([&](FieldVisitor& v) { visit_sample(v, sample); });
  EXPECT_EQ(names.size(), 10U);
  EXPECT_THAT(names, testing::Contains("inner"));
  EXPECT_THAT(names, testing::Not(testing::Contains("depth")));
}

std::string parse_refusal(const std::string& text) {
  return message_of([&] { return parse_json(text, "x.json"); });
}

TEST(ParseJson, DuplicateKeysAreRefusedInTheirOwnObjectOnly) {
  EXPECT_THAT(parse_refusal(R"({"a": 1, "a": 1})"), StartsWith("x.json: key 'a' stands twice"));
  EXPECT_THAT(parse_refusal(R"({"o": {"b": 1, "c": 2, "b": 3}})"), HasSubstr("key 'b'"));
  EXPECT_THAT(parse_refusal(R"([{"d": 1}, {"d": 1, "d": 2}])"), HasSubstr("key 'd'"));
  EXPECT_EQ(parse_refusal(R"({"a": {"a": 1}, "b": {"a": 2}})"), "accepted");
  EXPECT_EQ(parse_refusal(R"([{"a": 1}, {"a": 2}])"), "accepted");
}

TEST(ParseJson, WhatIsNoJsonIsNamedWithoutTheParsersCodes) {
  for (const auto* text : {"", "{", "{\"a\": 01}", "{\"a\": 1,}", "{} {}", "// no comments\n{}"}) {
    const auto message = parse_refusal(text);
    EXPECT_THAT(message, StartsWith("x.json: ")) << text;
    EXPECT_THAT(message, HasSubstr("it is not valid JSON")) << text;
    EXPECT_THAT(message, testing::Not(HasSubstr("json.exception"))) << text;
  }
  EXPECT_THAT(parse_refusal("{\"a\": \"caf\xe9\"}"), HasSubstr("UTF-8"));
}

TEST(ParseJson, NestingHasALimit) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(parse_refusal(nested(most_json_nesting)), "accepted");
  EXPECT_THAT(parse_refusal(nested(most_json_nesting + 1)), HasSubstr("deeper than 64 levels"));
  EXPECT_THAT(parse_refusal(nested(1'000'000)), HasSubstr("deeper than 64 levels"));
  EXPECT_THAT(parse_refusal(std::string(1'000'000, '{')), HasSubstr("deeper than 64 levels"));
  EXPECT_TRUE(json_or_discarded(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(json_or_discarded("[1").is_discarded());
  EXPECT_EQ(json_or_discarded("[1]"), json({1}));
}

TEST(ParseJson, BracketsInTextsNestNothing) {
  EXPECT_EQ(nesting_of_json(R"({"a": "[[[[", "b": ["\"[", 1]})"), 2U);
  EXPECT_EQ(nesting_of_json(R"("\\")"), 0U);
  EXPECT_EQ(nesting_of_json("]]]["), 1U);
}

TEST(ReadJsonFile, FoldersAndMissingFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(static_cast<void>(read_json_file(folder.path())), BadInput);
  EXPECT_THROW(static_cast<void>(read_json_file(folder / "absent.json")), BadInput);
  write_text(folder / "here.json", "[1, 2]");
  EXPECT_EQ(read_json_file(folder / "here.json"), json({1, 2}));
}

}  // namespace
}  // namespace scalestudy
