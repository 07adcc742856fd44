#include "analysis/report/study/settings_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/machine/host_environment.hpp"

#include "analysis/report/text/setting_words.hpp"
#include "analysis/series/settings_json.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

const SettingWords words({{"noise2void", {{"/patch", "Training patch"}}}});

const std::vector<TableCell>* row_of(const ReportTable& table, const std::string& raw_name) {
  for (const auto& row : table.rows)
    if (row.front().raw == raw_name) return &row;
  return nullptr;
}

TEST(SettingWords, AreThoseOfTheSettingsThemselves) {
  const auto cell = words.name_cell("noise2void", "/settings/optimizer/epsilon");
  EXPECT_EQ(cell.shown, "Guard of the optimiser against division by zero");
  EXPECT_EQ(cell.detail, "settings.optimizer.epsilon");
  EXPECT_EQ(cell.raw, "/settings/optimizer/epsilon");
  EXPECT_EQ(words.name_cell("", "/plan/global_batch_size").shown, "Samples per step of all ranks");
  EXPECT_EQ(words.name_cell("", "/communicator").shown, "What joins the ranks");
}

TEST(SettingWords, OfWorkloadsAreFoundAtBothPlaces) {
  for (const auto* path : {"/workload_settings/patch", "/settings/patch"}) {
    const auto cell = words.name_cell("noise2void", path);
    EXPECT_EQ(cell.shown, "Training patch") << path;
    EXPECT_EQ(cell.detail, "settings.patch") << path;
    EXPECT_EQ(words.name_cell("unet", path).shown, "settings.patch") << "unknown: its path alone";
    EXPECT_EQ(words.name_cell("unet", path).detail, "");
  }
}

TEST(SettingWords, AnItemOfAListHasTheWordsOfTheList) {
  const auto cell = words.name_cell("", "/settings/schedule/milestones_epochs[1]");
  EXPECT_THAT(cell.shown, HasSubstr("reduces the learning rate"));
  EXPECT_EQ(cell.detail, "settings.schedule.milestones_epochs[1]");
}

TEST(SettingWords, EverySettingOfASpecificationHasSome) {
  for (const auto& [path, value] : flatten_json(to_json_text(spec_of(SyntheticRun{})))) {
    if (path.starts_with("/plan/time_like")) continue;
    EXPECT_NE(words.name_cell("", path).detail, "") << path;
  }
}

TEST(SettingWords, EveryPropertyOfAMachineHasSome) {
  const auto known = host_environment_words();
  for (const auto& [path, value] : flatten_json(host_environment_json()))
    EXPECT_TRUE(known.contains(path) || path.starts_with("/variables/")) << path;
}

TEST(ReadableValues, ListsLoseTheirBrackets) {
  EXPECT_EQ(without_brackets("[64,64]"), "64, 64");
  EXPECT_EQ(without_brackets(R"(["owl","gull"])"), "owl, gull");
  EXPECT_EQ(without_brackets("[]"), "none");
  EXPECT_EQ(without_brackets("[madvise] always"), "[madvise] always");
  EXPECT_EQ(without_brackets("true"), "true");
}

class SettingsTables : public AnalysedStudy {
 protected:
  SettingsTables() {
    add({}, 2);
    add({.ranks = 2}, 2);
  }
};

TEST_F(SettingsTables, WhatDiffersIsNamedInWordsAndByItsPath) {
  const auto table = differing_settings_table(series(), words);
  const auto* row = row_of(table, "/plan/global_batch_size");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->at(0).shown, "Samples per step of all ranks");
  EXPECT_EQ(row->at(1).shown, "4");
  EXPECT_EQ(row->at(2).shown, "8");
  EXPECT_EQ(table.columns[1].heading, "1 rank");
  EXPECT_EQ(row_of(table, "/plan/epochs"), nullptr) << "the same at both";
  EXPECT_THAT(to_html(table),
              HasSubstr("<td>Samples per step of all ranks<small>plan.global_batch_size</small>"));
  EXPECT_THAT(to_csv(table), HasSubstr("\n/plan/global_batch_size,4,8\n"));
}

TEST_F(SettingsTables, AStageThatDoesNotStateAValueSaysSo) {
  const auto table = settings_stages_table(series(), words);
  const auto* row = row_of(table, "/settings/precision");
  ASSERT_NE(row, nullptr) << "fp32 was planned, float32 found";
  EXPECT_EQ(row->at(1).shown, "not stated");
  EXPECT_EQ(row->at(1).raw, "");
  EXPECT_EQ(row->at(3).shown, "float32");
}

TEST_F(SettingsTables, WhatAStudyAsksOfOneRankIsNamedWithoutIt) {
  scalestudy::Run run = *series().series.by_ranks.at(2).front();
  run.record.effective_settings = R"({"settings": {"epochs": 3}})";
  SeriesAnalysis changed = series();
  changed.series.by_ranks.clear();
  changed.series.by_ranks[2].push_back(&run);
  const auto table = settings_stages_table(changed, words);
  const auto* row = row_of(table, "/settings/epochs");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->at(0).shown, "Epochs") << "not \"Epochs at one rank\"";
  EXPECT_EQ(row->at(3).shown, "3");
}

TEST_F(SettingsTables, TimeLikeSettingsKeepTheirNameInTheCsv) {
  const auto table = time_like_table(series(), words);
  EXPECT_EQ(table.rows.at(0).at(0).raw, "schedule.patience_epochs");
  EXPECT_EQ(table.rows.at(0).at(0).shown,
            "Epochs without improvement before the learning rate is reduced");
  EXPECT_THAT(table.caption, HasSubstr("linear_fixed_samples"));
}

TEST_F(SettingsTables, TheEnvironmentIsReadable) {
  const auto table = environment_table(analysis());
  EXPECT_EQ(row_of(table, "/cpu/model")->at(0).shown, "Processor");
  EXPECT_EQ(row_of(table, "/cpu/cores")->at(0).shown, "cpu.cores") << "of another version";
  EXPECT_EQ(row_of(table, "build")->at(0).shown, "Build of scalestudy");
}

}  // namespace
}  // namespace scalestudy
