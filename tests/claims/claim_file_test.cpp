/// Claim files come from anywhere.

#include <functional>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "tests/claims/claim_texts.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::DoubleEq;
using testing::HasSubstr;

/// The refusal of a claim that `change` has spoilt.
std::string refusal(const std::function<void(json&)>& change, json claim = speedup_claim()) {
  change(claim);
  return message_of([&] { return claim_from(claim); });
}

TEST(ClaimFile, IsRead) {
  const auto claim = claim_from(speedup_claim());
  EXPECT_EQ(claim.name, "twice");
  EXPECT_EQ(claim.quantity, ClaimQuantity::training_speedup);
  EXPECT_EQ(claim.kind(), ClaimKind::ratio);
  EXPECT_EQ(claim.conditions.scaling_rule, ScalingRule::linear_fixed_samples);
  EXPECT_FALSE(claim.conditions.precision);
  EXPECT_EQ(claim.points.at(0).ranks, 2);
  EXPECT_EQ(claim.points.at(0).base_ranks, 1);
  EXPECT_FALSE(claim.is_about_replay());
}

TEST(ClaimFile, AcceptsValuesByItsRelation) {
  auto object = speedup_claim();
  const auto accepted = [&] {
    const auto claim = claim_from(object);
    return claim.accepted(claim.points.at(0));
  };
  EXPECT_THAT(accepted().low, DoubleEq(1.8));
  EXPECT_THAT(accepted().high, DoubleEq(2.2));
  object["points"][0]["tolerance"] = 0.05;
  EXPECT_THAT(accepted().low, DoubleEq(1.95));
  object["points"][0].erase("tolerance");
  object["tolerance"] = {{"absolute", 0.3}, {"reason", "invented"}};
  EXPECT_THAT(accepted().high, DoubleEq(2.3));
  object.erase("tolerance");
  object["relation"] = "less";
  EXPECT_EQ(accepted().high, 2);
  EXPECT_TRUE(std::isinf(accepted().low));
  object["relation"] = "more";
  EXPECT_EQ(accepted().low, 2);
  EXPECT_TRUE(std::isinf(accepted().high));
}

TEST(ClaimFile, WhatIsMissingIsNamed) {
  const auto without = [](const char* key) {
    return refusal([=](json& claim) { claim.erase(key); });
  };
  EXPECT_THAT(without("quantity"), HasSubstr("claim.json: quantity is missing"));
  EXPECT_THAT(without("name"), HasSubstr("claim.json: name is missing"));
  EXPECT_THAT(without("statement"), HasSubstr("statement is missing"));
  EXPECT_THAT(without("source"), HasSubstr("source is missing"));
  EXPECT_THAT(without("points"), HasSubstr("points is no list"));
  EXPECT_THAT(without("tolerance"), HasSubstr("tolerance.reason is missing"));
  EXPECT_THAT(refusal([](json& claim) { claim["points"][0].erase("value"); }),
              HasSubstr("points[0].value is missing"));
  EXPECT_THAT(refusal([](json& claim) { claim["tolerance"].erase("relative_frac"); }),
              HasSubstr("points[0] has no tolerance"));
}

TEST(ClaimFile, WhatHasNoEffectIsRefused) {
  EXPECT_THAT(refusal([](json& claim) { claim["causes"] = {"input"}; }),
              HasSubstr("causes have no effect here"));
  EXPECT_THAT(refusal([](json& claim) { claim["metric"] = "iou"; }),
              HasSubstr("metric has no effect here"));
  EXPECT_THAT(refusal([](json& claim) { claim["relation"] = "more"; }),
              HasSubstr("a tolerance has no effect here"));
  EXPECT_THAT(refusal([](json& claim) { claim["tolerance"]["absolute"] = 1; }),
              HasSubstr("relative_frac and absolute"));
  EXPECT_THAT(refusal([](json& claim) { claim["points"][0]["evaluated_samples"] = 1; }),
              HasSubstr("evaluated_samples has no effect here"));
  EXPECT_THAT(refusal([](json& claim) {
                claim["quantity"] = "training_time_s";
                claim["points"][0]["base_ranks"] = 1;
              }),
              HasSubstr("base_ranks has no effect here"));
  EXPECT_THAT(
      refusal([](json& claim) { claim["points"][0]["value"] = 1; }, explanation_claim({"input"})),
      HasSubstr("an explanation is no number"));
  EXPECT_THAT(
      refusal([](json& claim) { claim["causes"] = json::array(); }, explanation_claim({"input"})),
      HasSubstr("causes are missing"));
}

TEST(ClaimFile, AReplayHasNoLossesToClaim) {
  EXPECT_THAT(refusal([](json& claim) {
                claim["conditions"]["workload"] = "replay";
                claim["quantity"] = "loss_roughness_ratio";
              }),
              HasSubstr("a replay invents its losses"));
}

TEST(ClaimFile, NamesThatDoNotExistAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal([](json& claim) { claim["quantity"] = "training_speedupp"; }),
              HasSubstr("training_speedup"));
  EXPECT_THAT(refusal([](json& claim) { claim["conditions"]["workload"] = "noise2viod"; }),
              HasSubstr("noise2void"));
  EXPECT_THAT(refusal([](json& claim) { claim["condition"] = json::object(); }),
              HasSubstr("claim.json: condition: unknown key"));
  EXPECT_THAT(refusal([](json& claim) { claim["points"][0]["rank"] = 2; }),
              HasSubstr("claim.json: points[0].rank: unknown key"));
  EXPECT_THAT(refusal([](json& claim) {
                claim["quantity"] = "quality";
                claim["metric"] = "iuo";
              }),
              HasSubstr("iou"));
}

TEST(ClaimFile, NumbersOutOfRangeAreRefused) {
  for (const json& value : {json(0), json(-2), json("2"), json(), json(true)})
    EXPECT_THAT(refusal([&](json& claim) { claim["points"][0]["value"] = value; }),
                HasSubstr("points[0].value"))
        << value;
  for (const json& ranks : {json(0), json(1e300), json(2.5), json(-1), json(std::uint64_t(-1))})
    EXPECT_THAT(refusal([&](json& claim) { claim["points"][0]["ranks"] = ranks; }),
                HasSubstr("points[0].ranks"))
        << ranks;
  EXPECT_THAT(refusal([](json& claim) { claim["points"][0]["ranks"] = 1; }),
              HasSubstr("compares 1 with itself"));
  EXPECT_THAT(refusal([](json& claim) { claim["points"].push_back(claim["points"][0]); }),
              HasSubstr("points[1] stands twice"));
  EXPECT_THAT(refusal([](json& claim) { claim["points"] = json::array(); }),
              HasSubstr("points is no list of 1 to 100"));
  EXPECT_THAT(refusal([](json& claim) {
                claim["points"] = json(most_claim_points + 1, claim["points"][0]);
              }),
              HasSubstr("points is no list of 1 to 100"));
  EXPECT_THAT(refusal([](json& claim) {
                claim["conditions"]["sample_size"] = {1, 2, 3, 4};
              }),
              HasSubstr("sample_size has more than 3 sides"));
}

TEST(ClaimFile, NamesAndTextsCannotWriteElsewhere) {
  for (const auto* name : {"", "../../etc/passwd", "A", "a b", "a\x1b[2J", "<b>"})
    EXPECT_THAT(refusal([&](json& claim) { claim["name"] = name; }), HasSubstr("claim.json: name"));
  EXPECT_THAT(refusal([](json& claim) { claim["statement"] = "a\x1b[2Jb"; }),
              HasSubstr("statement has control characters"));
  EXPECT_THAT(refusal([](json& claim) {
                claim["remarks"] = {"fine", "a\nb"};
              }),
              HasSubstr("remarks[1] has control characters"));
}

TEST(ClaimFile, WhatIsNoClaimIsRefused) {
  for (const auto* text : {"", "[]", "7", "null", "{", "{\"schema\": 2, \"quantity\": \"quality\"}",
                           "{\"quantity\": []}", "{\"quantity\": \"quality\", \"points\": {}}",
                           "{\"name\": 1, \"name\": 2}", "\xff\xfe\0"})
    EXPECT_THAT(message_of([&] { return claim_from_text(text); }), HasSubstr("claim.json")) << text;
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(message_of([&] { return claim_from_text(deep); }), HasSubstr("nested deeper"));
  EXPECT_THAT(
      message_of([&] {
        return claim_from_text(R"({"quantity": "training_speedup", "points": [{"value": 1e999}]})");
      }),
      HasSubstr("claim.json"));
}

}  // namespace
}  // namespace scalestudy
