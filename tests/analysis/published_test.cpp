#include "analysis/published/published.hpp"

#include <cmath>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/published/published_analysis.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::HasSubstr;

PublishedRun run_of(std::int64_t ranks, double time_s, double samples_per_s, double epochs) {
  PublishedRun run;
  run.ranks = ranks;
  run.training_time_s = time_s;
  run.samples_per_s = samples_per_s;
  run.epochs = epochs;
  run.samples_per_epoch = 100;
  return run;
}

PublishedArm arm_with(std::vector<PublishedRun> runs) {
  PublishedArm arm;
  arm.name = "one";
  arm.runs = std::move(runs);
  return arm;
}

PublishedStudy study_with(std::vector<PublishedRun> runs) {
  PublishedStudy study;
  study.name = "invented";
  study.title = "Invented runs";
  study.repository = "https://example.org";
  study.workload = "nothing";
  study.arms = {arm_with(std::move(runs))};
  return study;
}

ArmAnalysis analysed(std::vector<PublishedRun> runs) {
  return analyse_published(study_with(std::move(runs))).arms.front();
}

std::vector<PublishedRun> judged_on(double at_one, double at_two) {
  std::vector<PublishedRun> runs;
  for (const auto& [ranks, count] : {std::pair{1, at_one}, std::pair{2, at_two}}) {
    for (const double noise : {-0.001, 0.0, 0.001}) {
      auto run = run_of(ranks, 100.0 / ranks, 1.0 * ranks, 1);
      run.quality = 0.9 + noise;
      run.evaluated_sample_count = count;
      runs.push_back(run);
    }
  }
  return runs;
}

TEST(PublishedAnalysis, LaunchesOfOnePointMakeIntervals) {
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(1, 102, 10.2, 9), run_of(1, 98, 9.8, 9),
                             run_of(2, 50, 20, 9), run_of(2, 51, 20.4, 9), run_of(2, 49, 19.6, 9)});
  const auto& point = arm.points.back();
  EXPECT_EQ(point.launches, 3U);
  ASSERT_TRUE(point.to_base.total.interval);
  EXPECT_TRUE(point.to_base.total.interval->contains(2));
  EXPECT_EQ(point.to_base.total.method, IntervalMethod::welch_on_logs)
      << "launches of different submissions are no pairs";
  EXPECT_FALSE(arm.points.front().to_base.total.interval) << "a group against itself";
}

TEST(PublishedAnalysis, CensoredRunsAreCountedAndInNoTime) {
  auto aborted = run_of(2, 10, 20, 1);
  aborted.outcome = PublishedOutcome::censored;
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(2, 50, 20, 9), aborted});
  EXPECT_EQ(arm.points.back().launches, 1U);
  EXPECT_EQ(arm.points.back().censored, 1U);
  EXPECT_NEAR(arm.points.back().to_base.total.value, 2, 1e-12);
}

TEST(PublishedAnalysis, AllCensoredIsNoBaseAndNoCrash) {
  auto aborted = run_of(1, 10, 20, 1);
  aborted.outcome = PublishedOutcome::censored;
  const auto arm = analysed({aborted, run_of(2, 50, 20, 9), run_of(4, 25, 40, 9)});
  EXPECT_TRUE(std::isnan(arm.points.front().to_base.total.value));
  EXPECT_EQ(arm.points.back().to_base.base_ranks, 2);
  EXPECT_NEAR(arm.points.back().to_base.total.value, 2, 1e-12);
  const auto none = analysed({aborted});
  EXPECT_FALSE(none.states_speedup());
}

TEST(PublishedAnalysis, UnequalCountsOfEvaluatedSamplesDiffer) {
  const auto arm = analysed(judged_on(224, 112));
  EXPECT_TRUE(arm.population.differs);
  EXPECT_TRUE(std::isnan(arm.points.back().quality_difference.value));
}

TEST(PublishedAnalysis, EqualCountsAreComparedAndNotFlagged) {
  const auto arm = analysed(judged_on(224, 224));
  EXPECT_FALSE(arm.population.differs);
  EXPECT_TRUE(arm.population.is_known);
  EXPECT_NEAR(arm.points.back().quality_difference.value, 0, 1e-12);
  EXPECT_TRUE(arm.points.back().quality_difference.interval);
}

TEST(PublishedAnalysis, CountsThatDifferOnlyWithinOneRankCountDifferToo) {
  auto runs = judged_on(224, 224);
  runs.back().evaluated_sample_count = 223;
  EXPECT_TRUE(analysed(runs).population.differs);
}

TEST(PublishedAnalysis, SomeCountsMissingIsNotKnown) {
  auto runs = judged_on(224, not_available);
  EXPECT_FALSE(analysed(runs).population.is_known);
  EXPECT_FALSE(analysed(runs).population.differs);
  EXPECT_TRUE(std::isnan(analysed(runs).points.back().quality_difference.value));
}

TEST(PublishedAnalysis, PlantedFixedCostIsFound) {
  // 90 of 100 s are steady, then 45 of 60: the same start-up of 10 s and 15 s.
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(2, 60, 20, 9)});
  const auto& f = arm.points.back().to_base.factors;
  EXPECT_NEAR(f.base.fixed_frac, 0.1, 1e-12);
  EXPECT_NEAR(f.compared.fixed_frac, 0.25, 1e-12);
  EXPECT_NEAR(f.fixed_cost.value, 0.75 / 0.9, 1e-12);
}

TEST(PublishedAnalysis, ARateThatOneLaunchLacksIsNotIdentified) {
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(1, 100, not_available, 9),
                             run_of(2, 60, 20, 9), run_of(2, 60, 20, 9)});
  EXPECT_EQ(arm.points.back().to_base.identified, Identified::whole_rate_and_work)
      << "a mean over fewer launches is that of other launches";
}

PublishedRun with(PublishedRun run, PublishedOutcome outcome) {
  run.outcome = outcome;
  return run;
}

TEST(PublishedAnalysis, FlawedRunsStandBesideNoOthers) {
  const auto missed = with(run_of(2, 10, 90, 9), PublishedOutcome::quality_missed);
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(2, 50, 20, 9), missed});
  const auto& point = arm.points.back();
  EXPECT_EQ(point.launches, 1U);
  EXPECT_EQ(point.flawed, 1U);
  EXPECT_FALSE(point.is_flawed);
  EXPECT_NEAR(point.to_base.total.value, 2, 1e-12) << "no mean with what missed its quality";
}

TEST(PublishedAnalysis, FlawedRunsAloneAreKeptWithoutFactorsAndAreNoSpeedup) {
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(2, 50, 20, 9),
                             with(run_of(4, 25, 40, 9), PublishedOutcome::quality_nan)});
  const auto& point = arm.points.back();
  EXPECT_TRUE(point.is_flawed);
  EXPECT_EQ(point.flaws, "quality or loss is NaN at least once");
  EXPECT_NEAR(point.to_base.total.value, 4, 1e-12);
  EXPECT_EQ(point.to_base.identified, Identified::withheld);
  EXPECT_EQ(arm.told().ranks, 2) << "the headline is that of the sound ones";
  EXPECT_TRUE(arm.states_speedup());
  const auto alone = analysed(
      {run_of(1, 100, 10, 9), with(run_of(4, 25, 40, 9), PublishedOutcome::quality_missed)});
  EXPECT_EQ(alone.told().ranks, 4);
  EXPECT_FALSE(alone.states_speedup());
}

TEST(PublishedAnalysis, FlawedRunsAreNoBase) {
  const auto arm =
      analysed({with(run_of(1, 100, 10, 9), PublishedOutcome::quality_missed), run_of(2, 50, 20, 9),
                with(run_of(4, 30, 40, 9), PublishedOutcome::quality_nan), run_of(8, 20, 70, 9)});
  EXPECT_EQ(arm.points.back().to_base.base_ranks, 2);
  EXPECT_EQ(arm.points.back().to_previous.base_ranks, 2);
  EXPECT_NEAR(arm.points.front().to_base.total.value, 0.5, 1e-12);
}

TEST(PublishedAnalysis, NumbersThatContradictEachOtherMakeNoFactors) {
  // 900 samples each: 90 s at 10 a second, but 200 s at 4.5.
  const auto flaws = [](double samples_per_s, const std::function<void(PublishedRun&)>& change) {
    auto run = run_of(2, 50, samples_per_s, 9);
    change(run);
    return analysed({run_of(1, 100, 10, 9), run}).points.back().flaws;
  };
  const auto as_is = [](PublishedRun&) {};
  EXPECT_EQ(flaws(20, as_is), "");
  EXPECT_EQ(flaws(17.7, as_is), "") << "900 samples take 50.8 s: rounding";
  EXPECT_EQ(flaws(17, as_is), "samples/s × time is less than samples");
  EXPECT_EQ(flaws(181, as_is), "samples/s × time is over ten times the samples");
  EXPECT_EQ(flaws(20, [](auto& run) { run.launch_wall_time_s = 40; }),
            "training takes longer than the job");
  EXPECT_EQ(flaws(20, [](auto& run) { run.median_epoch_s = 4; }),
            "samples/s × median epoch is less than an epoch's samples");
  EXPECT_EQ(flaws(20, [](auto& run) { run.median_epoch_s = 12; }),
            "epochs take longer than the training");
  EXPECT_EQ(flaws(20, [](auto& run) { run.first_epoch_s = 52; }),
            "epochs take longer than the training");
  const auto arm = analysed({run_of(1, 100, 10, 9), run_of(2, 50, 4.5, 9)});
  EXPECT_EQ(arm.points.back().to_base.identified, Identified::withheld);
  EXPECT_TRUE(std::isnan(arm.points.back().to_base.factors.statistical.value));
}

TEST(PublishedAnalysis, ThroughputAndEpochsThatContradictEachOtherMakeNoFactors) {
  // An epoch of the base takes 100 s at 10 samples/s.
  const auto flaws = [](double samples_per_s, double median_epoch_s) {
    std::vector<PublishedRun> runs{run_of(1, not_available, 10, not_available),
                                   run_of(4, not_available, samples_per_s, not_available)};
    runs[0].median_epoch_s = 100;
    runs[1].median_epoch_s = median_epoch_s;
    for (auto& run : runs) run.samples_per_epoch = not_available;
    return analysed(runs).points.back().flaws;
  };
  EXPECT_EQ(flaws(38, 27), "");
  EXPECT_EQ(flaws(38, 105), "") << "each rank has an epoch of its own";
  EXPECT_EQ(flaws(9.5, 26.3), "") << "the rate of each";
  EXPECT_EQ(flaws(38, 0.45), "throughput and epoch time contradict each other") << "minutes";
  EXPECT_EQ(flaws(38, 50), "throughput and epoch time contradict each other");
}

TEST(PublishedAnalysis, MoreThanNTimesTheRateOnNIsFlagged) {
  const auto is_flagged = [](std::vector<double> rates) {
    std::vector<PublishedRun> runs;
    for (std::size_t i = 0; i < rates.size() / 2; ++i) runs.push_back(run_of(1, 100, rates[i], 9));
    for (std::size_t i = rates.size() / 2; i < rates.size(); ++i)
      runs.push_back(run_of(2, 50, rates[i], 9));
    return analysed(runs).points.back().superlinear_unexplained;
  };
  EXPECT_TRUE(is_flagged({10, 21}));
  EXPECT_FALSE(is_flagged({10, 20.3})) << "within 2 %";
  EXPECT_TRUE(is_flagged({10, 10.1, 9.9, 21, 21.1, 20.9}));
  EXPECT_FALSE(is_flagged({10, 12, 9, 21, 24, 19})) << "the interval holds 2";
}

TEST(PublishedAnalysis, RatiosThatRanksAloneHardlyMakeAreDoubtful) {
  const auto is_doubtful = [](double time_s, double epochs, PublishedRule rule) {
    auto study =
        study_with({run_of(1, 100, not_available, 9), run_of(2, time_s, not_available, epochs)});
    study.arms[0].scaling_rule = rule;
    return analyse_published(study).arms[0].points.back().is_doubtful;
  };
  EXPECT_FALSE(is_doubtful(50, 9, PublishedRule::weak));
  EXPECT_FALSE(is_doubtful(999, 9, PublishedRule::weak));
  EXPECT_TRUE(is_doubtful(1001, 9, PublishedRule::weak)) << "over ten times slower";
  EXPECT_FALSE(is_doubtful(46, 9, PublishedRule::weak)) << "caches";
  EXPECT_TRUE(is_doubtful(45, 9, PublishedRule::time_to_quality)) << "nothing explains it";
  EXPECT_FALSE(is_doubtful(40, 7, PublishedRule::time_to_quality)) << "fewer epochs were enough";
  EXPECT_TRUE(is_doubtful(40, 7, PublishedRule::weak)) << "why fewer?";
}

TEST(PublishedAnalysis, ADipAmongRanksIsDoubtful) {
  const auto doubtful = [](double rate_of_four) {
    const auto arm = analysed({run_of(1, not_available, 410, not_available),
                               run_of(2, not_available, 798, not_available),
                               run_of(4, not_available, rate_of_four, not_available),
                               run_of(8, not_available, 3020, not_available)});
    std::vector<bool> doubts;
    for (const auto& point : arm.points) doubts.push_back(point.is_doubtful);
    return doubts;
  };
  EXPECT_THAT(doubtful(260), testing::ElementsAre(false, false, true, false));
  EXPECT_THAT(doubtful(1560), testing::Each(false));
  EXPECT_THAT(doubtful(780), testing::Each(false));
}

TEST(PublishedName, IsMadeOfAnything) {
  EXPECT_EQ(published_name_from("dle_mx / DGX-2"), "dle-mx-dgx-2");
  EXPECT_EQ(published_name_from("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(published_name_from("\x1b[31m\xff"), "31m");
  EXPECT_EQ(published_name_from("//"), "");
  EXPECT_EQ(published_name_from(std::string(500, 'a')).size(), 80U);
}

class PublishedFile : public testing::Test {
 protected:
  static json good() {
    return json(to_json(study_with({run_of(1, 10, 5, 1), run_of(2, 5, 9, 1)})));
  }
  std::filesystem::path write(const std::string& text) const {
    auto file = folder_ / "study.json";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::string refusal(const std::string& text) const {
    return message_of<BadInput>([&] { (void)read_published_study(write(text)); });
  }
  std::string refusal(const std::function<void(json&)>& change) const {
    auto object = good();
    change(object);
    return refusal(object.dump());
  }
  TemporaryFolder folder_;
};

TEST_F(PublishedFile, IsReadAsItWasWritten) {
  auto study = study_with({run_of(1, 10.5, 5, 1), run_of(4, 5, 1.0 / 3, 1)});
  auto& arm = study.arms.front();
  arm.runs.back().outcome = PublishedOutcome::censored;
  arm.runs.back().quality = 0;
  arm.runs.back().platform = "8xH100";
  arm.scaling_rule = PublishedRule::time_to_quality;
  arm.computed = {"epochs"};
  arm.device = "A100 \u2013 80 GB";
  const auto text = to_json(study).dump();
  const auto read = read_published_study(write(text));
  EXPECT_EQ(to_json(read).dump(), text);
  EXPECT_EQ(read.arms.front().runs.back().samples_per_s, 1.0 / 3);
  EXPECT_TRUE(std::isnan(read.arms.front().runs.front().quality)) << "not known is not 0";
}

TEST_F(PublishedFile, RefusesWhatIsNoStudy) {
  EXPECT_THAT(refusal(""), HasSubstr("study.json"));
  EXPECT_THAT(refusal("[]"), HasSubstr("format is not"));
  EXPECT_THAT(refusal("\x7f"
                      "ELF\xff\x01"),
              HasSubstr("study.json"));
  EXPECT_THAT(refusal(std::string(5000, '[')), HasSubstr("study.json"));
  EXPECT_THAT(refusal([](json& o) { o["schema"] = 2; }), HasSubstr("schema is not 1"));
  EXPECT_THAT(refusal([](json& o) { o["label"] = "measured"; }), HasSubstr("label is not"));
  EXPECT_THAT(refusal([](json& o) { o.erase("repository"); }), HasSubstr("repository is missing"));
  EXPECT_THAT(refusal([](json& o) { o["repository"] = ""; }), HasSubstr("repository is empty"));
}

TEST_F(PublishedFile, RefusesHostileNames) {
  EXPECT_THAT(refusal([](json& o) { o["name"] = "../up"; }), HasSubstr("is no name of a file"));
  EXPECT_THAT(refusal([](json& o) { o["title"] = "a\u001b[2J"; }), HasSubstr("control"));
  EXPECT_THAT(refusal([](json& o) { o["arms"][0]["device"] = "a\nb"; }), HasSubstr("control"));
  EXPECT_THAT(refusal([](json& o) { o["arms"][0]["runs"][1]["platform"] = "a\u001b[2J"; }),
              HasSubstr("runs[1].platform holds control"));
  EXPECT_THAT(refusal([](json& o) { o["remark"] = std::string(2000, 'x'); }), HasSubstr("longer"));
  EXPECT_THAT(refusal([](json& o) { o["arms"].push_back(o["arms"][0]); }),
              HasSubstr("two arms are called 'one'"));
}

TEST_F(PublishedFile, RefusesImpossibleNumbers) {
  const auto with = [&](const char* name, const json& value) {
    return refusal([&](json& o) { o["arms"][0]["runs"][1][name] = value; });
  };
  EXPECT_THAT(with("ranks", 0), HasSubstr("arms[0].runs[1].ranks = 0 is out of range"));
  EXPECT_THAT(with("ranks", 1e300), HasSubstr("runs[1].ranks"));
  EXPECT_THAT(with("ranks", 2.5), HasSubstr("whole number"));
  EXPECT_THAT(with("training_time_s", 0), HasSubstr("out of range"));
  EXPECT_THAT(with("training_time_s", -1), HasSubstr("out of range"));
  EXPECT_THAT(with("training_time_s", "10"), HasSubstr("not a number"));
  EXPECT_THAT(with("training_time_s", nullptr), HasSubstr("not a number"));
  EXPECT_THAT(with("samples_per_s", 1e200), HasSubstr("out of range"));
  EXPECT_THAT(with("outcome", "lost"), HasSubstr("outcome"));
  EXPECT_THAT(with("speedup", 2), HasSubstr("unknown key"));
  EXPECT_THAT(refusal([](json& o) { o["arms"][0]["runs"] = json::array(); }),
              HasSubstr("runs is no list of 1 to"));
  EXPECT_THAT(refusal([](json& o) {
                o["arms"][0]["quality_metric"] = "iou";
                o["arms"][0]["runs"][1]["quality"] = 75.9;
              }),
              HasSubstr("arms[0].runs[1].quality = 75.9 is not from 0 to 1"));
  EXPECT_THAT(refusal([](json& o) { o["arms"] = 7; }), HasSubstr("arms is no list"));
  EXPECT_THAT(refusal([](json& o) { o["arms"][0]["computed"] = {"nothing"}; }),
              HasSubstr("computed names 'nothing'"));
}

TEST_F(PublishedFile, IsToldFromOtherJson) {
  EXPECT_TRUE(is_published_study(write(to_json(study_with({run_of(1, 1, 1, 1)})).dump(2))));
  EXPECT_FALSE(is_published_study(write("{\"schema\": 1}")));
  EXPECT_FALSE(is_published_study(folder_ / "nowhere.json"));
  EXPECT_TRUE(published_files(folder_ / "nowhere").empty());
}

TEST_F(PublishedFile, TheSchemaHasEveryKeyOfAFile) {
  const auto schema = published_schema();
  const auto& arm = schema["properties"]["arms"]["items"]["properties"];
  const auto& run = arm["runs"]["items"]["properties"];
  const auto object = good();
  for (const auto& [key, value] : object.items()) EXPECT_TRUE(schema["properties"].contains(key));
  for (const auto& [key, value] : object["arms"][0].items()) EXPECT_TRUE(arm.contains(key)) << key;
  for (const auto& field : published_fields()) EXPECT_TRUE(run.contains(field.name)) << field.name;
  EXPECT_FALSE(run["training_time_s"].contains("default")) << "unknown is no default";
}

}  // namespace
}  // namespace scalestudy
