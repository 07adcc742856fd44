#include "analysis/report/page/summary_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/provenance.hpp"
#include "core/text.hpp"

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/study/file_tables.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

/// By the words of JSON Schema that ours has.
void expect_fits(const json& value, const json& schema, const std::string& path) {
  if (schema.contains("const")) {
    EXPECT_EQ(value, schema["const"]) << path;
  }
  if (schema.contains("type") && schema["type"].is_string()) {
    EXPECT_EQ(value.type_name(), schema["type"]) << path;
  }
  for (const auto& name : schema.value("required", json::array()))
    EXPECT_TRUE(value.contains(name)) << path << " lacks " << name;
  if (value.is_array())
    for (const auto& item : value) expect_fits(item, schema["items"], path + "[]");
  if (!value.is_object()) return;
  const auto properties = schema.value("properties", json::object());
  for (const auto& [name, member] : value.items()) {
    const bool is_named = properties.contains(name);
    ASSERT_TRUE(is_named || schema.contains("additionalProperties")) << path << ": " << name;
    expect_fits(member, is_named ? properties[name] : schema["additionalProperties"],
                cat(path, '/', name));
  }
}

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
  Document document() { return document_of(analysis(), SettingWords({})); }
  json summary() { return json::parse(summary_json(document())); }
  /// Rows of a table of the only series.
  json rows_of(const std::string& table) {
    return summary()["tables"]["noise2void-" + table]["rows"];
  }
};

TEST(SummaryJson, NumbersAreNumbersTextIsTextAndWhatIsNotKnownIsNull) {
  const Estimate estimate{.value = 2, .interval = Interval{1.5, 2.5}};
  const ReportTable planted{"t",
                            "caption",
                            {{"name", "Name", false}, {"count", "count"}, {"speedup", "speed-up"}},
                            {{text_cell("12"), text_cell("7 others"), estimate_cell(estimate)},
                             {text_cell(""), text_cell(missing_number), estimate_cell({})},
                             {text_cell("\xff[1]"), text_cell(""), number_cell(1e300)}}};
  Document document;
  document.sections = {{"title", {}, {planted}}};
  const auto table = json::parse(summary_json(document))["tables"]["t"];
  EXPECT_EQ(table["caption"], "caption");
  EXPECT_EQ(table["columns"][0], json({{"name", "name"}, {"heading", "Name"}}));
  EXPECT_EQ(table["columns"][3]["name"], "speedup_low");
  const auto row = [](json name, json count, json speedup, json low, json high) {
    return json{{"name", name},
                {"count", count},
                {"speedup", speedup},
                {"speedup_low", low},
                {"speedup_high", high}};
  };
  EXPECT_EQ(table["rows"][0], row("12", "7 others", 2, 1.5, 2.5));
  EXPECT_EQ(table["rows"][1], row("", nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(table["rows"][2], row("\uFFFD[1]", nullptr, 1e300, nullptr, nullptr));
}

TEST_F(SummaryOfStudy, FitsItsSchema) {
  write(3);
  const auto found = summary();
  expect_fits(found, summary_schema(), "");
  EXPECT_EQ(found["schema"], 3);
  EXPECT_EQ(found["made_by"], build_id());
  EXPECT_EQ(found["validity_codes"], json::array());
}

TEST_F(SummaryOfStudy, HasTheTablesOfTheCsvFiles) {
  write(3);
  const auto found = summary()["tables"];
  const auto document = this->document();
  EXPECT_EQ(found.size(), tables_of(document).size());
  for (const ReportTable* table : tables_of(document)) {
    const auto& one = found[table->slug];
    std::vector<std::string> names;
    for (const auto& column : one["columns"]) names.push_back(column["name"].get<std::string>());
    EXPECT_EQ(join(names, ","), split(to_csv(*table), '\n').front());
    EXPECT_EQ(one["rows"].size(), table->rows.size()) << table->slug;
  }
}

TEST_F(SummaryOfStudy, AChapterHasItsAnswersAndNamesItsTables) {
  write(3);
  const auto found = summary();
  ASSERT_EQ(found["chapters"].size(), 1U);
  const auto& chapter = found["chapters"][0];
  EXPECT_EQ(chapter["name"], analysis().studies()[0].series.name);
  EXPECT_EQ(chapter["has_answer"], true);
  json answers = json::array();
  for (const auto& [question, text, notes] : conclusions_of(analysis().studies()[0]).answers())
    answers.push_back({{"question", question}, {"text", text}, {"notes", notes}});
  EXPECT_EQ(chapter["answers"], answers);
  EXPECT_EQ(chapter["tables"][0], "noise2void-speedup");
  for (const auto& slug : chapter["tables"]) EXPECT_TRUE(found["tables"].contains(slug)) << slug;
}

TEST_F(SummaryOfStudy, SaysWhatCouldBeResolved) {
  write(3);
  const auto found = rows_of("resolution")[0];
  EXPECT_EQ(found["label"], "floor_unknown");
  EXPECT_EQ(found["repeats"], 3);
  EXPECT_EQ(found["margin_frac"], 0.03);
  EXPECT_TRUE(found["floor_frac"].is_null());
}

TEST_F(SummaryOfStudy, TheMethodSaysWhereBlocksWereTornApart) {
  SyntheticRun run{.steps_per_epoch = 20, .time_noise = 0.01};
  for (run.ranks = 1; run.ranks <= 2; ++run.ranks)
    for (run.repeat = 0; run.repeat < 3; ++run.repeat) {
      run.started_unix_s = 1e9 + double(1000 * run.ranks + 10 * run.repeat);
      add_run(run);
    }
  EXPECT_EQ(rows_of("speedup")[1]["interval_method"],
            "95 % Welch t interval on logarithms over launches (not paired: the runs of a repeat "
            "were not made together)");
}

// All runs train on as many samples.
TEST_F(SummaryOfStudy, AnIntervalWithoutWidthIsNull) {
  write(3);
  const auto two = rows_of("factorisation")[0];
  EXPECT_EQ(two["samples_ratio"], 1);
  EXPECT_TRUE(two.value("samples_ratio_low", json()).is_null());
  EXPECT_TRUE(two["training_speedup_low"].is_number());
}

TEST_F(SummaryOfStudy, BaselinesAreNamedWhereRecorded) {
  add({.baselines = {{&EvaluationRow::input_psnr_db, 24.5}}}, 1);
  int count = 0;
  for (const auto& row : rows_of("quality")) {
    const bool has_one = row["metric"] == "psnr_db";
    EXPECT_EQ(row["baseline"], has_one ? json(24.5) : json());
    EXPECT_EQ(row["baseline_name"], has_one ? "input_psnr_db" : "");
    count += has_one ? 1 : 0;
  }
  EXPECT_EQ(count, 1);
}

TEST_F(SummaryOfStudy, EvaluationSetsAreThere) {
  write(3);
  EXPECT_EQ(rows_of("evaluation-sets")[0], json({{"name", "validation"},
                                                 {"hash", "7f3a000011112222"},
                                                 {"sample_count", 64},
                                                 {"is_reported", "yes"},
                                                 {"is_identical", "yes"},
                                                 {"labels", ""}}));
}

TEST_F(SummaryOfStudy, ControlArmsHaveTimesAndNoConclusions) {
  write(2, {.control_arm = choices<ControlArm>[0].value});
  const auto found = summary();
  EXPECT_EQ(found["chapters"], json::array());
  ASSERT_EQ(found["tables"]["control-arms"]["rows"].size(), 2U);
  EXPECT_EQ(found["tables"]["control-arms"]["rows"][0]["control_arm"], choices<ControlArm>[0].name);
}

TEST_F(SummaryOfStudy, EveryRunSaysWhetherItIsData) {
  write(1);
  add_run({.repeat = 7, .labels = {"emulated"}, .status = RunStatus::failed});
  std::size_t data = 0;
  const auto runs = summary()["tables"]["runs"]["rows"];
  for (const auto& run : runs) {
    const bool is_data = run["is_data"] == "yes";
    data += is_data ? 1 : 0;
    EXPECT_EQ(is_data, run["left_out"] == "");
    EXPECT_EQ(is_data, run["steady_step_s"].is_number() && run["psnr_db"].is_number()) << run;
    if (run["status"] != "failed") continue;
    EXPECT_EQ(run["labels"], "emulated_input") << "by its name of today";
    EXPECT_FALSE(is_data);
  }
  EXPECT_EQ(data, 2U);
}

TEST(FileTables, WhatHasNoResultSaysItsKind) {
  RunSet set;
  set.damaged_plans = {{"plan", "cannot be read"}};
  set.skipped = {{"combination", "left out"}};
  const auto table = absent_runs_table(StudyAnalysis(std::move(set)));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(raw_in(table, 0, "kind"), "damaged_plan");
  EXPECT_EQ(raw_in(table, 0, "name"), "plan");
  EXPECT_EQ(raw_in(table, 1, "kind"), "skipped");
  EXPECT_EQ(raw_in(table, 1, "reason"), "left out");
}

TEST(FileTables, OutliersAreNamed) {
  scalestudy::Run run;
  run.record.header.run_id = "slow one";
  SeriesAnalysis analysis;
  analysis.outliers = {{&run, 1.5}};
  const auto table = outliers_table(analysis);
  EXPECT_EQ(raw_in(table, 0, "run_id"), "slow one");
  EXPECT_EQ(raw_in(table, 0, "training_time_ratio"), "1.5");
}

TEST_F(SummaryOfStudy, NothingDoneIsAnEmptySummary) {
  EXPECT_EQ(summary()["chapters"], json::array());
  EXPECT_FALSE(summary()["tables"].contains("runs"));
}

}  // namespace
}  // namespace scalestudy
