/// scalestudy predict: what it says, each refusal, wrong input.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/copied_study.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// Steps of 63 ms, and 6.3 ms more with each doubling of the ranks.
class PredictCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string study() const { return (folder_ / "study").string(); }
  void write(std::int64_t ranks) const {
    copy_study(cat(ranks, " ranks to predict from"), study(),
               [&](const std::filesystem::path& folder) { write_changed(folder, ranks, {}); });
  }
  void write(std::int64_t ranks, const SyntheticRun& run) const {
    write_changed(study(), ranks, run);
  }
  void write_three() const {
    for (const std::int64_t ranks : {1, 2, 4}) write(ranks);
  }
  [[nodiscard]] DriverAnswer predict(const std::string& ranks) const {
    return ask_driver({"predict", study(), "--ranks", ranks});
  }
  /// A file with one arm.
  [[nodiscard]] std::string published(const json& arm) const {
    const json study{{"format", "scalestudy published study"},
                     {"schema", 1},
                     {"label", "external"},
                     {"name", "mine"},
                     {"title", "Mine"},
                     {"repository", "https://example.org/mine"},
                     {"commit", "1a2b3c4"},
                     {"workload", "unet"},
                     {"arms", {arm}}};
    write_text(folder_ / "mine.json", study.dump());
    return (folder_ / "mine.json").string();
  }
  TemporaryFolder folder_;

 private:
  static void write_changed(const std::filesystem::path& folder,
                            std::int64_t ranks,
                            SyntheticRun run) {
    run.ranks = ranks;
    run.epochs = 1;
    run.exposed_communication_s += 0.0063 * std::log2(static_cast<double>(ranks));
    run.time_noise = 0.002;
    write_group(folder, run, 3);
  }
};

/// RWTH's towers of 1 to 14 GPUs.
TEST_F(PredictCommand, APublishedSeriesIsAskedByItsName) {
  const auto document = json_of_driver({"predict", "rwth-unet-tensorflow", "--ranks", "16"});
  ASSERT_EQ(document["series"].size(), 2U);
  for (const auto& series : document["series"])
    EXPECT_THAT(series["labels"], testing::ElementsAre("fitted", "external"));
  const auto two = ask_driver({"predict", "dle-pyt", "--ranks", "16"});
  EXPECT_EQ(two.code, 3);
  EXPECT_THAT(two.out, HasSubstr("only ranks 1, 8 were measured"));
  EXPECT_THAT(two.out, HasSubstr("Ask for what was published."));
  EXPECT_THAT(ask_driver({"predict", "rwth-unet-tensorflow", "--ranks", "16"}).out,
              HasSubstr("No intervals: they need three launches of every number of ranks."));
}

/// Epochs of 8 + 52 ÷ N seconds in three launches each, those of 4 ranks slower by chance.
TEST_F(PredictCommand, LaunchesOfAPublishedSeriesAreWeighed) {
  json runs;
  for (const int ranks : {1, 2, 4})
    for (const double chance : {0.97, 1.0, 1.03})
      runs.push_back({{"ranks", ranks},
                      {"median_epoch_s", (8 + 52.0 / ranks) * chance * (ranks == 4 ? 1.045 : 1)},
                      {"samples_per_epoch", 1000},
                      {"global_batch_size", 16 * ranks}});
  const auto document =
      json_of_driver({"predict", published({{"name", "one"}, {"runs", runs}}), "--ranks", "8"});
  const auto& speedup = document["series"].at(0)["predictions"].at(0)["speedup"];
  EXPECT_LT(speedup["interval"].at(0), 60 / 14.5);
  EXPECT_GT(speedup["interval"].at(1), 60 / 14.5);
}

/// Epochs of 8 + 52 ÷ N seconds, and nothing said of samples or batches.
TEST_F(PredictCommand, PublishedEpochsWithoutSamplesArePredictedAsEpochs) {
  json runs;
  for (const int ranks : {1, 2, 4})
    runs.push_back({{"ranks", ranks}, {"median_epoch_s", 8 + 52.0 / ranks}});
  const auto file = published({{"name", "one"}, {"scaling_rule", "strong"}, {"runs", runs}});
  EXPECT_THAT(ask_driver({"predict", file, "--ranks", "8"}).out, HasSubstr("epochs/s"));
  const auto document = json_of_driver({"predict", file, "--ranks", "8"});
  const auto& eight = document["series"].at(0)["predictions"].at(0);
  ASSERT_EQ(eight["is_predicted"], true) << eight;
  EXPECT_FALSE(eight.contains("samples_per_s"));
  EXPECT_NEAR(eight["epochs_per_s"]["value"], 1 / 14.5, 0.002);
}

TEST_F(PredictCommand, SaysRateSpeedupAndHowWrongTheModelsWere) {
  write_three();
  const auto answer = predict("8");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("Labels: fitted."), HasSubstr("ranks"), HasSubstr("logarithmic"),
                    HasSubstr("Fitted to fewer ranks, the models were wrong at 4 by:")));
  const auto document = json_of_driver({"predict", study(), "--ranks", "8", "--ranks", "3"});
  const auto& series = document["series"].at(0);
  EXPECT_EQ(series["predictions"].size(), 2U);
  const auto& eight = series["predictions"][0];
  EXPECT_EQ(eight["model"], "logarithmic");
  EXPECT_NEAR(eight["speedup"]["value"], 8 / 1.3, 0.05);
  EXPECT_LT(eight["speedup"]["interval"][0], 8 / 1.3);
  EXPECT_GT(eight["speedup"]["interval"][1], 8 / 1.3);
  EXPECT_EQ(series["labels"], json::array({"fitted"}));
  EXPECT_TRUE(series["link"].is_null());
  EXPECT_LT(std::abs(double(series["models"][0]["hold_out_error_frac"])), 0.01);
}

TEST_F(PredictCommand, BeyondTwiceTheMeasuredItRefuses) {
  write_three();
  const auto answer = predict("9");
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("NOT PREDICTED: 9 ranks are more than 2 times the 4"),
                                HasSubstr("Measure up to 5 ranks")));
  const auto document =
      json::parse(ask_driver({"predict", study(), "--ranks", "9", "--ranks", "8", "--json"}).out);
  const auto& predictions = document["series"][0]["predictions"];
  EXPECT_FALSE(predictions[0]["is_predicted"]);
  EXPECT_TRUE(predictions[1]["is_predicted"]);
}

TEST_F(PredictCommand, TwoNumbersOfRanksAreTooFew) {
  write(1);
  write(2);
  const auto answer = predict("4");
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, HasSubstr("NOT PREDICTED: only ranks 1, 2 were measured"));
}

TEST_F(PredictCommand, OversubscribedRunsAreRefused) {
  write(1);
  write(2);
  SyntheticRun run;
  run.labels = {"oversubscribed"};
  write(4, run);
  const auto answer = predict("8");
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, HasSubstr("more computing threads than cores"));
}

TEST_F(PredictCommand, BusyRunsAreRefused) {
  write(1);
  write(2);
  SyntheticRun run;
  run.cpu_share = 0.3;
  write(4, run);
  const auto answer = predict("8");
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, HasSubstr("other programs kept ranks of some runs from their cores"));
}

TEST_F(PredictCommand, ACurveThatNoModelFollowsIsRefused) {
  write(1);
  write(2);
  SyntheticRun run;
  run.exposed_communication_s = 0.1;
  write(4, run);
  const auto longer = predict("8");
  EXPECT_EQ(longer.code, 3);
  EXPECT_THAT(longer.out, HasSubstr("longer than every model fitted to fewer says"));
}

TEST_F(PredictCommand, ALargeErrorAtTheRanksLeftOutIsRefused) {
  write(1);
  SyntheticRun slow;
  slow.exposed_communication_s = 0.1;
  write(2, slow);
  write(4);  // better again than at two
  const auto answer = predict("8");
  EXPECT_EQ(answer.code, 3);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("fitted to fewer, the best model"),
                                HasSubstr("nothing is predicted")));
}

TEST_F(PredictCommand, LabelsOfTheRunsStandBesideIt) {
  SyntheticRun run;
  run.labels = {"emulated_compute", "injected"};
  for (const std::int64_t ranks : {1, 2, 4}) write(ranks, run);
  EXPECT_THAT(predict("8").out, HasSubstr("Labels: fitted, emulated_compute, injected."));
}

TEST_F(PredictCommand, WrongInputIsBadInput) {
  write_three();
  for (const auto* ranks : {"0", "-4", "1e99", "four", ""})
    EXPECT_EQ(predict(ranks).code, 2) << ranks;
  EXPECT_EQ(ask_driver({"predict", study()}).code, 2) << "--ranks is missing";
  EXPECT_EQ(ask_driver({"predict", "/nowhere", "--ranks", "4"}).code, 2);
  EXPECT_EQ(ask_driver({"predict", folder_.path().string(), "--ranks", "4"}).code, 2);
  write_text(folder_ / "study" / "runs" / "broken" / "run.h5", "no HDF5");
  const auto answer = predict("8");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("the prediction goes without them"));
}

}  // namespace
}  // namespace scalestudy
