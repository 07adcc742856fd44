/// scalestudy verify: verdict first, exit codes, wrong input.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/driver/driver_answer.hpp"
#include "tests/driver/one_and_two_ranks.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string measured_folder(const std::string& study) {
  return (fs::path(test::in_sources("results/measured")) / study).string();
}

/// A study of one rank and two, which are twice as fast, and claims about it.
class VerifyCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string study() const { return (folder_ / "study").string(); }
  void write_runs() const { add_one_and_two_ranks(study()); }
  void write_runs(int repeats, const std::vector<std::string>& labels = {}) const {
    for (const std::int64_t ranks : {1, 2})
      write_group(study(), {.ranks = ranks, .epochs = 4 / ranks, .labels = labels}, repeats);
  }
  [[nodiscard]] std::string claim(double value, const json& more = json::object()) const {
    json claim{{"name", "mine"},
               {"statement", "Two ranks are faster."},
               {"source", "this test"},
               {"quantity", "training_speedup"},
               {"tolerance", {{"relative_frac", 0.05}, {"reason", "invented"}}},
               {"conditions",
                {{"workload", "noise2void"},
                 {"scaling_rule", "linear_fixed_samples"},
                 {"local_batch_size", 4},
                 {"precision", "tf32"}}},
               {"points", {{{"ranks", 2}, {"value", value}}}}};
    claim.update(more);
    write_text(folder_ / "claim.json", claim.dump());
    return (folder_ / "claim.json").string();
  }
  TemporaryFolder folder_;
};

TEST_F(VerifyCommand, SaysWhatIsInNoNumber) {
  write_runs();
  EXPECT_EQ(ask_driver({"verify", claim(2), study()}).err, "");
  for (const std::int64_t ranks : {1, 2})
    write_group(study(), {.ranks = ranks, .epochs = 4 / ranks, .local_batch = 8}, 2);
  write_group(study(), {.ranks = 4, .status = RunStatus::failed}, 1);
  const auto answer = ask_driver({"verify", claim(2), study()});
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.out, HasSubstr("1 group of runs without a point that can be compared"));
  EXPECT_THAT(answer.err, AllOf(StartsWith("warning: "), HasSubstr("1 unfinished, failed")));
}

TEST_F(VerifyCommand, SaysTheVerdictFirstAndWhatDiffers) {
  write_runs();
  const auto confirmed = ask_driver({"verify", claim(2), study()});
  EXPECT_EQ(confirmed.code, 0) << confirmed.err;
  EXPECT_THAT(confirmed.out,
              StartsWith("CONFIRMED where precision differs: mine\nTwo ranks are faster.\n"));
  EXPECT_THAT(confirmed.out,
              AllOf(HasSubstr("Published 2 (1.9 to 2.1 count as it), measured 2"),
                    HasSubstr("precision  tf32       fp32  noted"),
                    HasSubstr("The same: hardware real; workload noise2void"),
                    HasSubstr("Tolerance: invented"), HasSubstr("Source: this test")));
  const auto refuted = ask_driver({"verify", claim(3), study()});
  EXPECT_EQ(refuted.code, 1);
  EXPECT_THAT(refuted.out, StartsWith("NOT CONFIRMED where precision differs: mine\n"));
  EXPECT_EQ(refuted.err, "");
}

TEST_F(VerifyCommand, WhatIsOpenOrNotComparableEndsWithThree) {
  write_runs(2);
  const auto open = ask_driver({"verify", claim(2), study()});
  EXPECT_EQ(open.code, 3);
  EXPECT_THAT(open.out, AllOf(StartsWith("UNDECIDED: mine\n"), HasSubstr("1 more repeat")));
  const auto other = ask_driver({"verify", claim(2, {{"conditions", json::object()}}), study()});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.out, AllOf(StartsWith("NOT COMPARABLE: mine\n"),
                               HasSubstr("workload          not stated")));
}

TEST_F(VerifyCommand, EmulatedRunsAreNotComparable) {
  write_runs(3, {"emulated_compute"});
  const auto answer = ask_driver({"verify", claim(2), study()});
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, AllOf(StartsWith("NOT COMPARABLE: mine\n"),
                                HasSubstr("hardware   real       emulated_compute  must be")));
}

TEST_F(VerifyCommand, OfSeveralPointsAllCountAndConditionsStandOnce) {
  write_runs();
  const json points{{{"ranks", 2}, {"value", 2}}, {{"ranks", 8}, {"value", 8}}};
  const auto answer = ask_driver({"verify", claim(2, {{"points", points}}), study()});
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out,
              AllOf(StartsWith("NOT COMPARABLE (1 CONFIRMED, 1 NOT COMPARABLE): mine\n"),
                    HasSubstr("2 ranks against 1: CONFIRMED."),
                    HasSubstr("8 ranks against 1: NOT COMPARABLE."),
                    HasSubstr("Conditions of all points:\n")));
  EXPECT_EQ(answer.out.find("precision"), answer.out.rfind("precision"));
}

TEST_F(VerifyCommand, JsonIsOneDocumentWithTheSameExitCode) {
  write_runs();
  const auto answer = ask_driver({"verify", claim(3), study(), "--json"});
  EXPECT_EQ(answer.code, 1);
  const auto document = json::parse(answer.out);
  EXPECT_EQ(document["verdict"], "NOT CONFIRMED");
  EXPECT_EQ(document["claim"], "mine");
}

TEST_F(VerifyCommand, WrongInputIsRefused) {
  write_runs();
  const auto refusal = [&](const std::string& claim_file, const std::string& folder) {
    const auto answer = ask_driver({"verify", claim_file, folder});
    EXPECT_EQ(answer.code, 2) << answer.out;
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_THAT(refusal("biapol-speedup", study()), HasSubstr("Did you mean 'biapol-speed-up'?"));
  EXPECT_THAT(refusal(study(), study()), HasSubstr("There is no claim"));
  EXPECT_THAT(refusal(claim(2), (folder_ / "none").string()), HasSubstr("none"));
  EXPECT_THAT(refusal(claim(2), folder_.path().string()), Not(HasSubstr("Unexpected")));
  EXPECT_THAT(refusal(claim(-1), study()), HasSubstr("claim.json: points[0].value"));
  EXPECT_EQ(ask_driver({"verify"}).code, 2);
  EXPECT_EQ(ask_driver({"verify", claim(2)}).code, 2);
}

TEST_F(VerifyCommand, ADamagedFileIsToldAfterTheVerdict) {
  write_runs();
  write_text(folder_ / "study/runs/broken/run.h5", "no run");
  const auto answer = ask_driver({"verify", claim(2), study()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.out, StartsWith("CONFIRMED"));
  EXPECT_THAT(answer.err, HasSubstr("1 file could not be read"));
}

TEST_F(VerifyCommand, NoRunIsNoVerdict) {
  fs::create_directories(folder_ / "study/runs");
  const auto answer = ask_driver({"verify", claim(2), study()});
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, HasSubstr("hold no run of a study proper that counts"));
}

TEST(VerifyMeasured, WhatOthersPublishedIsNoRun) {
  const auto answer = ask_driver({"verify", "biapol-speed-up", "rwth-unet-tensorflow"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("Use scalestudy report rwth-unet-tensorflow"));
}

/// The README of workloads/noise2void shows it.
TEST(VerifyMeasured, QuickstartSaysNothingOfFourA100) {
  const auto answer =
      ask_driver({"verify", "biapol-one-gpu-time", measured_folder("n2v-quickstart")});
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, StartsWith("NOT COMPARABLE: biapol-one-gpu-time\n"));
  EXPECT_THAT(answer.out, HasSubstr("\nCompared: launch_wall_time_s, from the start of the "
                                    "launcher to the end of the last rank.\n"));
  for (const auto* line :
       {"local_batch_size  16          2                           must be the same",
        "device_model      A100        Intel(R) Xeon(R) Processor  must be the same",
        "precision         tf32        fp32                        must be the same",
        "sample_size       16, 64, 64  8, 32, 32                   must be the same",
        "steps             40000       72                          must be the same"})
    EXPECT_THAT(answer.out, HasSubstr(line));
}

TEST(ShippedClaimsListed, EachCanBeReadAndShown) {
  const auto claims = json_of_driver({"list", "claims"})["claims"];
  EXPECT_EQ(claims.size(), 15U);
  for (const auto& claim : claims) {
    EXPECT_FALSE(claim["statement"].get<std::string>().starts_with("UNREADABLE")) << claim;
    EXPECT_NE(claim["quantity"], "-");
  }
  const auto shown = ask_driver({"list", "claims", "--show", "biapol-speed-up"});
  EXPECT_EQ(json::parse(shown.out)["points"][0]["value"], 2.08);
}

TEST(ClaimSchema, DescribesEveryKeyOfAShippedClaim) {
  const auto schema = json::parse(ask_driver({"schema", "claim"}).out);
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["points"]["items"]["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["quantity"]["enum"].size(), 12U);
  for (const auto* name : {"biapol-one-gpu-time", "rwth-tf-horovod-iou", "saturn-faster"}) {
    const auto claim = json::parse(ask_driver({"list", "claims", "--show", name}).out);
    for (const auto& [key, value] : claim.items())
      EXPECT_TRUE(schema["properties"].contains(key)) << key;
    for (const auto& [key, value] : claim["conditions"].items())
      EXPECT_TRUE(schema["properties"]["conditions"]["properties"].contains(key)) << key;
    for (const auto& [key, value] : claim["points"][0].items())
      EXPECT_TRUE(schema["properties"]["points"]["items"]["properties"].contains(key)) << key;
  }
}

}  // namespace
}  // namespace scalestudy
