#include "analysis/report/page/summary_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/provenance.hpp"

#include "analysis/report/page/conclusions.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

class SummaryOfStudy : public AnalysedStudy {
 protected:
  void write(int repeats, SyntheticRun run = {}) {
    run.steps_per_epoch = 20;
    run.time_noise = 0.01;
    add(run, repeats);
    run.ranks = 2;
    run.epochs = 2;
    add(run, repeats);
  }
  json summary() { return json::parse(summary_json(analysis())); }
};

TEST_F(SummaryOfStudy, HasItsSchemaAndMaker) {
  write(1);
  const auto found = summary();
  EXPECT_EQ(found["schema"], 2);
  EXPECT_EQ(found["made_by"], build_id());
  EXPECT_EQ(found["series"].size(), 1U);
  EXPECT_EQ(found["runs"].size(), 2U);
  for (const auto* empty :
       {"validity_codes", "control_arms", "unreadable", "without_file", "skipped"})
    EXPECT_EQ(found[empty], json::array()) << empty;
}

TEST_F(SummaryOfStudy, PointsAreThoseOfTheAnalysis) {
  write(3);
  const auto points = summary()["series"][0]["points"];
  ASSERT_EQ(points.size(), 2U);
  const SpeedupPoint& two = analysis().studies()[0].speedup[1];
  EXPECT_EQ(points[1]["ranks"], 2);
  EXPECT_EQ(points[1]["launches"], 3);
  EXPECT_EQ(points[1]["samples_per_s"], two.absolute.samples_per_s);
  EXPECT_EQ(points[1]["speedup"]["training"]["value"], two.training.value);
  EXPECT_EQ(points[1]["speedup"]["training"]["interval"],
            json({two.training.interval->low, two.training.interval->high}));
  EXPECT_EQ(points[1]["speedup"]["launch"]["value"], two.launch.value);
  EXPECT_EQ(points[1]["efficiency"]["value"], two.efficiency.value);
  EXPECT_EQ(points[1]["factors"]["fixed_frac"], two.factors.compared.fixed_frac);
  EXPECT_EQ(points[1]["speedup"]["training"]["base_count"], 3);
}

TEST_F(SummaryOfStudy, SaysWhatCouldBeResolved) {
  write(3);
  const auto found = summary()["series"][0]["resolution"];
  EXPECT_EQ(found["label"], "floor_unknown");
  EXPECT_EQ(found["repeats"], 3);
  EXPECT_EQ(found["margin_frac"], 0.03);
  EXPECT_TRUE(found["floor_frac"].is_null());
}

TEST_F(SummaryOfStudy, HasTheBaseOnTheSameCores) {
  write(3);
  SyntheticRun fair{.epochs = 4, .steps_per_epoch = 20, .threads_per_rank = 2};
  add(fair, 3);
  const auto all = summary();
  json found;
  for (const auto& series : all["series"])
    if (series["points"].size() == 2) found = series["fair_base"];
  ASSERT_TRUE(found.is_object());
  EXPECT_EQ(found["has_equal_cores"], true);
  EXPECT_EQ(found["idle_cores"], 1);
  ASSERT_EQ(found["candidates"].size(), 2U);
  EXPECT_EQ(found["candidates"][1]["threads"], 2);
  EXPECT_TRUE(found["candidates"][1]["speedup"]["interval"].is_array());
}

TEST_F(SummaryOfStudy, TheMethodSaysWhereBlocksWereTornApart) {
  SyntheticRun run{.steps_per_epoch = 20, .time_noise = 0.01};
  for (run.ranks = 1; run.ranks <= 2; ++run.ranks)
    for (run.repeat = 0; run.repeat < 3; ++run.repeat) {
      run.started_unix_s = 1e9 + double(1000 * run.ranks + 10 * run.repeat);
      add_run(run);
    }
  const auto training = summary()["series"][0]["points"][1]["speedup"]["training"];
  EXPECT_EQ(training["interval_method"],
            "95 % Welch t interval on logarithms over launches (not paired: the runs of a repeat "
            "were not made together)");
}

TEST_F(SummaryOfStudy, WhatIsNotDeterminableIsNull) {
  write(2);
  const auto points = summary()["series"][0]["points"];
  EXPECT_TRUE(points[1]["speedup"]["training"]["interval"].is_null());
  EXPECT_TRUE(points[1]["speedup"]["training"]["p_value"].is_null());
  EXPECT_TRUE(points[0]["serial_fraction"]["value"].is_null());
  EXPECT_FALSE(points[1]["speedup"]["training"]["value"].is_null());
}

// All runs train on as many samples.
TEST_F(SummaryOfStudy, AnIntervalWithoutWidthIsNull) {
  write(3);
  const auto two = summary()["series"][0]["points"][1];
  EXPECT_EQ(two["factors"]["statistical"]["value"], 1);
  EXPECT_TRUE(two["factors"]["statistical"]["interval"].is_null());
  EXPECT_FALSE(two["speedup"]["training"]["interval"].is_null());
}

TEST_F(SummaryOfStudy, StepsHaveEveryPhase) {
  write(1);
  const auto steps = summary()["series"][0]["steps"];
  ASSERT_EQ(steps.size(), 2U);
  double sum_s = 0;
  for (const auto& [name, time_s] : steps[0]["phases"].items()) sum_s += time_s.get<double>();
  EXPECT_EQ(steps[0]["phases"].size(), step_phase_count);
  EXPECT_NEAR(sum_s, steps[0]["step_s"].get<double>(), 1e-9);
  EXPECT_EQ(steps[1]["local_samples"], 4);
}

TEST_F(SummaryOfStudy, QualityHasOneValuePerRun) {
  write(3);
  const auto quality = summary()["series"][0]["quality"];
  ASSERT_EQ(quality.size(), 2U);
  EXPECT_EQ(quality[1]["metrics"]["psnr_db"]["values"].size(), 3U);
  EXPECT_EQ(quality[1]["best_validation_loss"].size(), 3U);
  EXPECT_FALSE(quality[1]["metrics"].contains("iou")) << "nobody recorded it";
  EXPECT_EQ(quality[0]["metrics"]["psnr_db"]["difference"]["value"], 0);
}

TEST_F(SummaryOfStudy, BaselinesAreNamedWhereRecorded) {
  write(2);
  const auto without = summary()["series"][0]["quality"][0];
  EXPECT_TRUE(without["metrics"]["psnr_db"]["baseline"].is_null());
  EXPECT_TRUE(without["metrics"]["loss"]["baseline"].is_null());
  SyntheticRuns other;
  other.add(
      "with baselines",
      {.baselines = {{&EvaluationRow::input_psnr_db, 24.5}, {&EvaluationRow::constant_loss, 0.75}}},
      1);
  const StudyAnalysis with(other.of({"with baselines"}));
  const auto quality = json::parse(summary_json(with))["series"][0]["quality"][0];
  EXPECT_EQ(quality["metrics"]["psnr_db"]["baseline"],
            json({{"name", "input_psnr_db"}, {"value", 24.5}}));
  EXPECT_EQ(quality["metrics"]["loss"]["baseline"],
            json({{"name", "constant_loss"}, {"value", 0.75}}));
}

TEST_F(SummaryOfStudy, EvaluationSetsAndConclusionsAreThere) {
  write(3);
  const auto series = summary()["series"][0];
  EXPECT_EQ(series["evaluation_sets"]["identical"], true);
  EXPECT_EQ(series["evaluation_sets"]["sets"],
            json({{{"name", "validation"}, {"hash", "7f3a000011112222"}, {"sample_count", 64}}}));
  json conclusions = json::array();
  for (const auto& answer : conclusions_of(analysis().studies()[0]).answers())
    conclusions.push_back(answer.text);
  EXPECT_EQ(series["conclusions"], conclusions);
  EXPECT_EQ(series["scaling_rule"], "linear_fixed_samples");
  EXPECT_EQ(series["control_arm"], "");
}

TEST_F(SummaryOfStudy, ControlArmsHaveTimesAndNoConclusions) {
  write(2, {.control_arm = choices<ControlArm>[0].value});
  const auto found = summary();
  EXPECT_EQ(found["series"].size(), 0U);
  ASSERT_EQ(found["control_arms"].size(), 1U);
  EXPECT_EQ(found["control_arms"][0]["control_arm"], choices<ControlArm>[0].name);
  EXPECT_EQ(found["control_arms"][0]["conclusions"], json::array());
  EXPECT_EQ(found["control_arms"][0]["quality"], json::array());
  EXPECT_EQ(found["control_arms"][0]["points"].size(), 2U);
}

TEST_F(SummaryOfStudy, EveryRunSaysWhetherItIsData) {
  write(1);
  add_run({.repeat = 7, .labels = {"emulated"}, .status = RunStatus::failed});
  std::size_t data = 0;
  const auto found = summary();
  for (const auto& run : found["runs"]) {
    data += run["is_data"].get<bool>() ? 1 : 0;
    EXPECT_EQ(run["is_data"].get<bool>(), run["left_out"] == "");
    if (run["status"] != "failed") continue;
    EXPECT_EQ(run["labels"], json({"emulated_input"})) << "by its name of today";
    EXPECT_FALSE(run["is_data"].get<bool>());
  }
  EXPECT_EQ(data, 2U);
}

TEST_F(SummaryOfStudy, NothingDoneIsAnEmptySummary) {
  EXPECT_EQ(summary()["series"], json::array());
  EXPECT_EQ(summary()["runs"], json::array());
}

}  // namespace
}  // namespace scalestudy
