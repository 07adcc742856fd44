#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/hash.hpp"

#include "study/study_matrix.hpp"

#include "driver/run/floor_store.hpp"
#include "driver/run/planning.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/study_place.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Floors go to a folder of the test's own.
class FloorStore : public ::testing::Test {
 protected:
  FloorStore() { ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1); }
  ~FloorStore() override { ::unsetenv("XDG_CACHE_HOME"); }

  [[nodiscard]] PlannedStudy planned(std::vector<std::string> overrides = {}) const {
    std::ostringstream out;
    Context context{{}, "/nowhere/bin/scalestudy", out, err_};
    context.options.overrides = std::move(overrides);
    return plan_study(context, place_.study());
  }

  /// Of launches that differ by 1 % at one rank and 2 % at two.
  [[nodiscard]] StudyFloor floor_of(const PlannedStudy& study) const {
    StudyFloor floor;
    floor.study = study.study.name;
    floor.timing_hash = hex64(study.plan.matrix.runs.front().timing_hash());
    floor.host = study.plan.host.text();
    floor.host_fingerprint = study.plan.host.fingerprint();
    floor.measured_utc = "2026-11-24T12:00:00Z";
    floor.points = {{1, 5, 0.01, 0.02}, {2, 5, 0.02, 0.03}};
    return floor;
  }

  [[nodiscard]] DriverAnswer plan(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"plan", place_.study(), "--no-trial"});
    return ask_driver(more);
  }

  TemporaryFolder cache_;
  StudyPlace place_;
  mutable std::ostringstream err_;
};

TEST_F(FloorStore, WhatWasStoredIsFoundAgain) {
  const auto study = planned();
  EXPECT_FALSE(study.plan.floor);
  const auto file = store_floor(floor_of(study));
  EXPECT_EQ(file.parent_path(), cache_.path() / "scalestudy" / "floors");
  const auto again = planned().plan.floor;
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json_text(*again), to_json_text(floor_of(study)));
}

TEST_F(FloorStore, RepeatsAndSeedDoNotChangeWhatIsMeasured) {
  store_floor(floor_of(planned()));
  EXPECT_TRUE(planned({"repeats=7", "settings.seed=5", "axes.ranks=[1,2,4]"}).plan.floor);
}

TEST_F(FloorStore, AnotherLengthOrMachineHasAFloorOfItsOwn) {
  store_floor(floor_of(planned()));
  EXPECT_FALSE(planned({"settings.epochs=2"}).plan.floor);
  auto elsewhere = planned().plan;
  elsewhere.host.cpu_model = "another";
  EXPECT_FALSE(stored_floor(elsewhere, place_.study()).floor);
}

TEST_F(FloorStore, TheOneBesideTheStudyComesFirst) {
  auto kept = floor_of(planned()), own = kept;
  own.points.front().log_ratio_sd = 0.07;
  store_floor(kept);
  const auto file = store_floor(own, floor_beside(place_.study()));
  EXPECT_EQ(file.filename(), "my study.floor");
  const auto found = planned().plan.floor;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points.front().log_ratio_sd, 0.07);
  own.host_fingerprint = "another machine's";
  store_floor(own, file);
  EXPECT_EQ(planned().plan.floor->points.front().log_ratio_sd, kept.points.front().log_ratio_sd)
      << "another machine's does not hide this one's";
}

TEST_F(FloorStore, ADamagedOneIsWarnedOfAndNotUsed) {
  const auto file = store_floor(floor_of(planned()));
  const auto whole = to_json_text(floor_of(planned()));
  const std::vector<std::string> damaged{
      "",
      "no JSON",
      "[]",
      R"({"schema": 1})",
      whole.substr(0, whole.size() / 2),
      std::string(whole).replace(whole.find("\"schema\": 1"), 11, "\"schema\": 9"),
      std::string(whole).replace(whole.find("0.02"), 4, "-0.2"),
      std::string(whole).replace(whole.find("0.02"), 4, "1e99999")};
  for (const auto& text : damaged) {
    write_text(file, text);
    err_.str("");
    EXPECT_FALSE(planned().plan.floor) << text;
    EXPECT_THAT(err_.str(), HasSubstr("warning: " + file.string() + " is damaged")) << text;
  }
}

TEST_F(FloorStore, OneThatCannotBeReadIsWarnedOfWithTheReason) {
  const auto file = store_floor(floor_of(planned()));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(planned().plan.floor);
  EXPECT_THAT(err_.str(), HasSubstr("warning: " + file.string() +
                                    " cannot be read: Is a directory (the A/A floor is not known "
                                    "without it). Check its permissions."));
}

TEST_F(FloorStore, OfAnotherStudyUnderItsNameIsNotUsed) {
  const auto file = store_floor(floor_of(planned()));
  auto other = floor_of(planned());
  other.timing_hash = "0011223344556677";
  write_text(file, to_json_text(other));
  EXPECT_FALSE(planned().plan.floor);
}

TEST_F(FloorStore, WithoutAFloorPlanSaysSoAndHowToGetOne) {
  const auto answer = plan();
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("floor_unknown"));
  EXPECT_THAT(answer.out, HasSubstr("margin 3.0 % assumed"));
  EXPECT_THAT(answer.out, HasSubstr("scalestudy floor STUDY --out DIR"));
  const auto resolution = json::parse(plan({"--json"}).out)["resolution"];
  EXPECT_EQ(resolution["label"], "floor_unknown");
  EXPECT_EQ(resolution["margin_frac"], 0.03);
  EXPECT_TRUE(resolution["speedup_frac"].is_null());
}

// t(4) = 2.776; sd 2 % at two ranks, √((1² + 2²) ÷ 2) % of the speed-up.
TEST_F(FloorStore, PlanSaysWhatItsRepeatsResolve) {
  store_floor(floor_of(planned()));
  const auto answer = plan({"--set", "repeats=5"});
  EXPECT_THAT(answer.out, HasSubstr("With 5 repeats, paired, a speed-up is resolved from ±2.0 %"));
  EXPECT_THAT(answer.out, Not(HasSubstr("floor_unknown")));
  const auto resolution = json::parse(plan({"--set", "repeats=5", "--json"}).out)["resolution"];
  EXPECT_EQ(resolution["label"], "");
  EXPECT_NEAR(resolution["floor_frac"], std::expm1(2.7764451 * 0.02 / std::sqrt(5.0)), 1e-6);
  EXPECT_NEAR(resolution["speedup_frac"],
              std::expm1(2.7764451 * std::sqrt(0.00025) / std::sqrt(5.0)), 1e-6);
  EXPECT_NEAR(resolution["margin_frac"], 3 * resolution["floor_frac"].get<double>(), 1e-12);
}

TEST_F(FloorStore, TwoRepeatsResolveNothingWhateverTheFloor) {
  store_floor(floor_of(planned()));
  const auto answer = plan();
  EXPECT_THAT(answer.out, HasSubstr("Fewer than 3 repeats give no interval"));
  EXPECT_THAT(answer.out, Not(HasSubstr("is resolved from")));
}

TEST_F(FloorStore, AStudyWithoutOneRankHasNone) {
  const auto answer =
      ask_driver({"floor", place_.study(), "--out", place_.out(), "--set", "axes.ranks=[2]"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("no run has one rank"));
  EXPECT_FALSE(fs::exists(place_.out()));
}

TEST_F(FloorStore, TooFewPairsAreRefused) {
  const auto answer = ask_driver({"floor", place_.study(), "--out", place_.out(), "--pairs", "2"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("--pairs"));
}

}  // namespace
}  // namespace scalestudy
