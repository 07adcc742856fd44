#include "analysis/series/run_set.hpp"

#include <cmath>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/analysis/analysed_study.hpp"
#include "tests/support/reseal.hpp"

namespace scalestudy {
namespace {

class RunSetOfStudy : public AnalysedStudy {
 protected:
  [[nodiscard]] RunSet set_of(const SyntheticRun& run) const {
    return runs_of({synthetic_record(study_, run)});
  }
  scalestudy::Run single(const SyntheticRun& run) const { return set_of(run).runs.at(0); }
  /// Two repeats of `one` beside two of another origin.
  StudyAnalysis mixture_with(SyntheticRun other, const SyntheticRun& one = {}) {
    add(one, 2);
    for (other.repeat = 2; other.repeat < 4; ++other.repeat) add_run(other);
    return StudyAnalysis(runs_.of({study_}));
  }
};

TEST_F(RunSetOfStudy, ACompleteRunIsData) {
  const scalestudy::Run run = single({});
  EXPECT_TRUE(run.is_data());
  EXPECT_TRUE(run.is_timing_data());
  EXPECT_GT(run.measures[&SummaryRow::samples_per_s], 0);
  EXPECT_DOUBLE_EQ(samples_consumed(run.digest.losses), 4 * 40 * 4);
}

TEST_F(RunSetOfStudy, APartFileIsReadAndListed) {
  const scalestudy::Run read = single({.close = false});
  EXPECT_FALSE(read.is_data());
  EXPECT_EQ(read.left_out, "running");
}

TEST_F(RunSetOfStudy, AFailedRunSaysWhichRankAndWhy) {
  EXPECT_EQ(single({.status = RunStatus::failed}).left_out,
            "failed (rank 1, backward): rank 1 was killed by signal 9");
}

TEST_F(RunSetOfStudy, ALossThatIsNoNumberMakesTheRunInvalid) {
  const scalestudy::Run read = single({.nan_loss = true});
  EXPECT_FALSE(read.is_data());
  EXPECT_EQ(read.validity_codes, std::vector<std::string>{"nonfinite_loss"});
  EXPECT_TRUE(group_series(set_of({.nan_loss = true})).empty());
}

TEST_F(RunSetOfStudy, OversubscribedIsDataWithItsLabel) {
  const scalestudy::Run read = single({.labels = {"oversubscribed"}});
  EXPECT_TRUE(read.is_timing_data());
  EXPECT_TRUE(read.has_label(RunLabel::oversubscribed));
}

TEST_F(RunSetOfStudy, TheSpecificationOfARunGivesItsLabels) {
  auto record = synthetic_record(study_, {});
  auto spec = spec_of(SyntheticRun());
  spec.no_spare_core = true;
  record.resolved_settings = to_json_text(spec);
  EXPECT_EQ(judge_run(record).labels, std::vector<std::string>{"no_spare_core"});
}

TEST_F(RunSetOfStudy, TimesThatNoClockShowsMakeTheRunInvalid) {
  for (const double time_s : {-0.5, std::nan(""), 1e13}) {
    const auto run = single({.compute_s = time_s, .input_wait_s = 0});
    EXPECT_EQ(run.left_out, "invalid: impossible_times") << time_s;
  }
  EXPECT_TRUE(single({}).is_data());
}

TEST_F(RunSetOfStudy, ControlArmsEmulationAndRulesAreSeriesOfTheirOwn) {
  add({}, 2);
  add({.control_arm = ControlArm::no_communication}, 2);
  SyntheticRun run{.rule = ScalingRule::strong};
  add(run, 1);
  run.repeat = 7;
  run.labels = {"emulated"};  // as files of earlier versions say
  add_run(run);
  run.repeat = 8;
  run.labels = {"emulated_input"};
  add_run(run);
  const StudyAnalysis analysis(runs_.of({study_}));
  ASSERT_EQ(analysis.studies().size(), 3U);
  const auto& emulated = *std::find_if(
      analysis.studies().begin(), analysis.studies().end(),
      [](const SeriesAnalysis& each) { return each.series.has_label(RunLabel::emulated_input); });
  EXPECT_NE(emulated.series.name.find(", emulated input"), std::string::npos);
  ASSERT_EQ(emulated.series.by_ranks.at(1).size(), 2U);
  for (const scalestudy::Run* each : emulated.series.by_ranks.at(1))
    EXPECT_EQ(each->labels, std::vector<std::string>{"emulated_input"});
  ASSERT_EQ(analysis.control_arms().size(), 1U);
  EXPECT_TRUE(analysis.control_arms()[0].quality.empty());
  EXPECT_TRUE(analysis.control_arms()[0].smoothness.empty());
}

TEST_F(RunSetOfStudy, InjectedRunsStandBesideRunsInjectedAlikeOnly) {
  for (const std::int64_t ranks : {1, 2})
    for (const auto* injection : {"", "slow-rank=1:1.2x", "slow-rank=1:1.3x"})
      for (std::int64_t repeat = 0; repeat < 2; ++repeat) {
        SyntheticRun run{.ranks = ranks, .repeat = repeat};
        if (*injection != '\0') run.injections = {injection};
        add_run(run);
      }
  const RunSet set = runs_.of({study_});
  const auto series = group_series(set);
  ASSERT_EQ(series.size(), 3U);
  std::set<std::string> names;
  for (const auto& one : series) {
    for (const auto& [ranks, runs] : one.by_ranks) EXPECT_EQ(runs.size(), 2U) << one.name;
    EXPECT_EQ(one.has_label(RunLabel::injected), !one.spec.injections.empty());
    for (const auto& text : texts_of(one.spec.injections))
      EXPECT_NE(one.name.find(", injected " + text), std::string::npos) << one.name;
    names.insert(one.name);
  }
  EXPECT_EQ(names.size(), 3U);
}

TEST_F(RunSetOfStudy, AnInjectedArmIsNoneOfThePlainStudy) {
  add({}, 2);
  add({.control_arm = ControlArm::no_communication, .injections = {"jitter=5%"}}, 2);
  const RunSet set = runs_.of({study_});
  const auto series = group_series(set);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_FALSE(is_arm_of(series[0], series[1]));
  EXPECT_FALSE(is_arm_of(series[1], series[0]));
}

TEST_F(RunSetOfStudy, OtherSettingsAreAnotherSeries) {
  add({}, 2);
  add({.local_batch = 8}, 2);
  const RunSet set = runs_.of({study_});
  const auto series = group_series(set);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_NE(series[0].slug, series[1].slug);
  EXPECT_THAT(series[0].name, testing::EndsWith(", local_batch_size 4"));
  EXPECT_THAT(series[1].name, testing::EndsWith(", local_batch_size 8"));
}

void expect_two_groups(const StudyAnalysis& analysis,
                       const std::string& code,
                       const std::string& distinction) {
  ASSERT_EQ(analysis.flags().size(), 1U);
  EXPECT_EQ(analysis.flags()[0].code, code);
  EXPECT_TRUE(analysis.flags()[0].is_mixture);
  ASSERT_EQ(analysis.studies().size(), 2U);
  for (const auto& one : analysis.studies()) EXPECT_EQ(one.series.by_ranks.at(1).size(), 2U);
  EXPECT_NE(analysis.studies()[1].series.name.find(distinction), std::string::npos)
      << analysis.studies()[1].series.name;
  EXPECT_NE(analysis.studies()[0].series.slug, analysis.studies()[1].series.slug);
}

TEST_F(RunSetOfStudy, RunsOfTwoBuildsAreTwoGroupsAndFlagged) {
  expect_two_groups(mixture_with({.build_id = "0.2.0+g99999999.release"}), "mixed_builds",
                    ", build 0.2.0+g99999999.release");
}

TEST_F(RunSetOfStudy, RunsOfTwoMachinesAreTwoGroupsAndFlagged) {
  expect_two_groups(mixture_with({.cpu_model = "Made-up CPU"}), "mixed_machines",
                    ", machine Made-up CPU");
}

TEST_F(RunSetOfStudy, RunsOfTwoStudiesInOneFolderAreTwoGroupsAndFlagged) {
  expect_two_groups(mixture_with({.study = "tea"}), "mixed_studies", ", study tea");
}

TEST_F(RunSetOfStudy, RunsWithTwoVersionsOfALibraryAreTwoGroupsAndFlagged) {
  expect_two_groups(mixture_with({.libtorch_version = "2.2.0"}, {.libtorch_version = "2.1.0"}),
                    "mixed_libraries", ", libraries LibTorch 2.2.0");
}

TEST_F(RunSetOfStudy, DataThatChangedUnderTheirPathAreTwoGroupsAndFlagged) {
  const std::filesystem::path second = "/nowhere/second";
  add({.data_hash = "1a2b000000000000"}, 2);
  for (const std::int64_t repeat : {2, 3})
    for (const auto& folder : {study_, second})
      runs_.add(folder, {.repeat = repeat, .data_hash = "3c4d000000000000"});
  runs_.add("/nowhere/first", {.data_hash = "1a2b000000000000"}, 2);
  for (const auto& folders : {std::vector{study_}, {"/nowhere/first", second}}) {
    const StudyAnalysis analysis(runs_.of(folders));
    expect_two_groups(analysis, "mixed_data", ", data 3c4d000000000000");
    EXPECT_NE(analysis.flags()[0].text.find("1a2b000000000000; 3c4d000000000000"),
              std::string::npos)
        << analysis.flags()[0].text;
  }
}

TEST_F(RunSetOfStudy, TheSameDataUnderAnotherPathAreOneGroup) {
  add({.data_path = "/here", .data_hash = "1a2b000000000000"}, 2);
  runs_.add("/nowhere/second", {.ranks = 2, .data_path = "/there", .data_hash = "1a2b000000000000"},
            2);
  const StudyAnalysis analysis(runs_.of({study_, "/nowhere/second"}));
  EXPECT_TRUE(analysis.flags().empty());
  ASSERT_EQ(analysis.studies().size(), 1U);
  EXPECT_EQ(analysis.studies()[0].series.by_ranks.size(), 2U);
}

/// Nobody takes them for repetitions, and nobody has to accept anything.
TEST_F(RunSetOfStudy, OtherDataUnderAnotherPathAreNoMixture) {
  add({.data_path = "/cells", .data_hash = "1a2b000000000000"}, 2);
  runs_.add("/nowhere/second", {.data_path = "/nuclei", .data_hash = "3c4d000000000000"}, 2);
  const StudyAnalysis analysis(runs_.of({study_, "/nowhere/second"}));
  EXPECT_TRUE(analysis.flags().empty());
  ASSERT_EQ(analysis.studies().size(), 2U);
  EXPECT_NE(analysis.studies()[1].series.name.find(", data 3c4d"), std::string::npos);
}

/// Each as it may be, together impossible; of a resumed run, whose times never count, each attempt
/// has its own clock.
TEST_F(RunSetOfStudy, TimesThatContradictEachOtherAreInvalid) {
  auto whole = synthetic_record(study_, {.ranks = 2, .epochs = 3, .cpu_share = 0.9});
  whole.ranks.front().probe_s = 0;
  ASSERT_THAT(judge_run(whole).validity_codes, testing::IsEmpty());
  const auto judged = [&](const std::function<void(RunRecord&)>& change) {
    auto record = whole;
    change(record);
    return judge_run(record).validity_codes;
  };
  const auto turn_back = [](RunRecord& record) {
    std::swap(record.epochs.front().end_s, record.epochs.back().end_s);
  };
  const auto impossible = testing::ElementsAre("impossible_times");
  EXPECT_THAT(judged(turn_back), impossible);
  EXPECT_THAT(judged([](RunRecord& record) { record.epochs.back().end_s *= 0.5; }), impossible);
  EXPECT_THAT(judged([](RunRecord& record) { record.steps.values(&StepRow::step_s)[3] = 1e6; }),
              impossible);
  EXPECT_THAT(judged([&](RunRecord& record) {
                turn_back(record);
                record.header.labels.emplace_back("resumed");
              }),
              testing::IsEmpty());
}

/// A run that failed before its ranks said what they compute with.
TEST_F(RunSetOfStudy, WhatIsNotRecordedIsNoOtherValue) {
  add({.libtorch_version = "2.1.0"}, 2);
  add_run({.repeat = 2, .status = RunStatus::failed});
  EXPECT_TRUE(StudyAnalysis(runs_.of({study_})).flags().empty());
}

TEST_F(RunSetOfStudy, AnotherPowerStateIsAnotherMachine) {
  expect_two_groups(mixture_with({.cpu_model = R"(One", "governor": "powersave)"},
                                 {.cpu_model = R"(One", "governor": "performance)"}),
                    "mixed_machines", "governor powersave");
}

/// Virtual machines of one host family call their processors alike.
TEST_F(RunSetOfStudy, AnotherCacheIsAnotherMachine) {
  expect_two_groups(mixture_with({.cpu_model = R"(One", "l2_cache_bytes": "524288)"},
                                 {.cpu_model = R"(One", "l2_cache_bytes": "1048576)"}),
                    "mixed_machines", "524288 bytes of L2 cache");
}

TEST_F(RunSetOfStudy, MachinesInTwoFoldersAreTwoGroupsToo) {
  const std::filesystem::path second = "/nowhere/second";
  add({}, 2);
  for (const std::int64_t repeat : {2, 3})
    runs_.add(second, {.repeat = repeat, .cpu_model = "Made-up CPU"});
  expect_two_groups(StudyAnalysis(runs_.of({study_, second})), "mixed_machines",
                    ", machine Made-up CPU");
}

/// Of other builds and machines nothing is said: nothing of them would be compared anyway.
TEST_F(RunSetOfStudy, FoldersOfOtherSettingsDifferInThese) {
  const std::filesystem::path second = "/nowhere/second";
  add({}, 2);
  SyntheticRun other{.local_batch = 8, .study = "other", .build_id = "2", .cpu_model = "Other CPU"};
  runs_.add(second, other, 2);
  const StudyAnalysis analysis(runs_.of({study_, second}));
  ASSERT_EQ(analysis.flags().size(), 1U);
  EXPECT_EQ(analysis.flags()[0].code, "mixed_settings");
  EXPECT_THAT(analysis.flags()[0].text, testing::HasSubstr("settings.local_batch_size (4, 8)."));
  other.local_batch = SyntheticRun{}.local_batch;
  runs_.add("/nowhere/third", other, 2);
  EXPECT_EQ(StudyAnalysis(runs_.of({study_, "/nowhere/third"})).flags().size(), 3U);
}

/// How many cores a rank is bound to may follow from their number.
TEST_F(RunSetOfStudy, BoundCoresAreNoOtherMachine) {
  add_run({.cpu_model = R"(One", "usable_core_count": "1)"});
  add_run({.ranks = 2, .cpu_model = R"(One", "usable_core_count": "2)"});
  EXPECT_TRUE(StudyAnalysis(runs_.of({study_})).flags().empty());
}

class RunSetOfFiles : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path study_ = folder_ / "study";
};

TEST_F(RunSetOfFiles, DamagedFilesAreListedAndDoNotStopTheRest) {
  write_synthetic(study_, {});
  std::filesystem::create_directories(study_ / "runs" / "broken");
  std::ofstream(study_ / "runs" / "broken" / "run.h5") << "no HDF5";
  const RunSet set = load_runs({study_});
  EXPECT_EQ(set.runs.size(), 1U);
  ASSERT_EQ(set.unreadable.size(), 1U);
  EXPECT_NE(set.unreadable[0].name.find("broken"), std::string::npos);
  EXPECT_FALSE(set.unreadable[0].reason.empty());
}

TEST_F(RunSetOfFiles, AFileInAnotherRunsFolderIsNoData) {
  const auto file = write_synthetic(study_, {});
  const auto other = study_ / "runs" / "another-run";
  std::filesystem::rename(file.parent_path(), other);
  const RunSet set = load_runs({study_});
  EXPECT_TRUE(set.runs.empty());
  ASSERT_EQ(set.unreadable.size(), 1U);
  EXPECT_NE(set.unreadable[0].reason.find("is the file of run noise2void-r1"), std::string::npos)
      << set.unreadable[0].reason;
}

TEST_F(RunSetOfFiles, ACopyBesideTheOriginalCountsOnce) {
  const auto file = write_synthetic(study_, {});
  for (const char* name : {"aa-copy", "zz-copy"})
    std::filesystem::copy(file.parent_path(), study_ / "runs" / name);
  const RunSet set = load_runs({study_});
  ASSERT_EQ(set.runs.size(), 1U);
  EXPECT_EQ(set.runs[0].record.file, file);
  EXPECT_EQ(set.copies.size(), 2U);
  EXPECT_TRUE(set.unreadable.empty());
}

/// Changes a closed file and gives it the checksum that fits.
void change(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  auto bytes = content_of(file);
  ASSERT_EQ(from.size(), to.size());
  const auto place = bytes.find(from, 512);
  ASSERT_NE(place, std::string::npos) << from;
  write_text(file, bytes.replace(place, from.size(), to));
  reseal(file);
}

TEST_F(RunSetOfFiles, AnEarlierStateOfACompleteRunDoesNotHideIt) {
  const auto complete = write_synthetic(study_, {});
  write_synthetic(folder_ / "copy", {.status = RunStatus::interrupted});
  for (const auto& folders : {std::vector{study_, folder_ / "copy"}, {folder_ / "copy", study_}}) {
    const RunSet set = load_runs(folders);
    ASSERT_EQ(set.runs.size(), 1U);
    EXPECT_EQ(set.runs[0].record.file, complete);
    ASSERT_EQ(set.copies.size(), 1U);
    EXPECT_EQ(set.copies[0].reason, "an earlier state of " + complete.string());
  }
}

TEST_F(RunSetOfFiles, CompleteFilesOfOneExecutionThatDifferAreAllRefused) {
  write_synthetic(study_, {});
  const auto changed = write_synthetic(folder_ / "copy", {});
  change(changed, "gabcdef01", "gabcdef02");
  for (const auto& folders : {std::vector{study_, folder_ / "copy"}, {folder_ / "copy", study_}}) {
    const RunSet set = load_runs(folders);
    EXPECT_TRUE(set.runs.empty());
    ASSERT_EQ(set.unreadable.size(), 2U);
    EXPECT_NE(set.unreadable[0].reason.find("of one execution"), std::string::npos);
  }
}

TEST_F(RunSetOfFiles, ACopyWithTimesThatAreNoNumbersIsACopy) {
  write_synthetic(study_, {.compute_s = std::nan("")});
  std::filesystem::copy(study_, folder_ / "copy", std::filesystem::copy_options::recursive);
  const RunSet set = load_runs({study_, folder_ / "copy"});
  EXPECT_EQ(set.runs.size(), 1U);
  EXPECT_EQ(set.copies.size(), 1U);
}

TEST_F(RunSetOfFiles, AMixtureIsFoundAmongCopiesToo) {
  write_group(study_, {}, 2);
  const auto other = folder_ / "other";
  write_group(other, {.local_batch = 8, .study = "tea"}, 2);
  for (const auto& run : std::filesystem::directory_iterator(study_ / "runs"))
    std::filesystem::copy(run.path(), other / "runs" / run.path().filename());
  for (const auto& folders : {std::vector{study_, other}, {other, study_}}) {
    const StudyAnalysis analysis(load_runs(folders));
    EXPECT_EQ(std::ranges::count(analysis.flags(), "mixed_studies", &StudyFlag::code), 1);
  }
}

TEST_F(RunSetOfFiles, AMissingFolderIsRefused) {
  EXPECT_THROW(static_cast<void>(load_runs({folder_ / "nowhere"})), BadInput);
}

}  // namespace
}  // namespace scalestudy
