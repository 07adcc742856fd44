#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "driver/run/deciding_output.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/study_place.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

DriverAnswer plan_of(const StudyPlace& place, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"plan", place.study()});
  return ask_driver(more);
}

json plan_json_of(const StudyPlace& place, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"plan", place.study()});
  return json_of_driver(more);
}

/// Those with `ranks` ranks, in whatever order they are made.
std::vector<json> runs_with(const json& plan, int ranks) {
  std::vector<json> runs;
  for (const auto& run : plan["runs"])
    if (run["ranks"] == ranks) runs.push_back(run);
  return runs;
}

TEST(PlanCommand, SumsRunsAndSamplesOverRepeats) {
  const StudyPlace place;
  const auto answer = plan_of(place);
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  // 8 epochs of 10 steps of 4 samples, at one rank and at two, twice each.
  EXPECT_THAT(answer.out, StartsWith("Study my study: 4 runs of noise2void, 1 280 samples "));
  EXPECT_THAT(answer.out, HasSubstr("repeats 2"));
  EXPECT_THAT(answer.out, HasSubstr("8×10"));
  EXPECT_THAT(answer.out, HasSubstr("4×10"));
}

TEST(PlanCommand, ShowsOnlyTheColumnsThatVary) {
  const StudyPlace place;
  const auto answer = plan_of(place, {"--set", "axes.ranks=[1, 2, 4]"});
  const auto table = answer.out.substr(answer.out.find("\n\n"));
  EXPECT_THAT(answer.out, HasSubstr("reduction bucketed_overlap"));
  EXPECT_THAT(table, Not(HasSubstr("bucketed_overlap")));
  EXPECT_THAT(table, HasSubstr("global"));
  EXPECT_THAT(table, HasSubstr("learning rate"));
}

TEST(PlanCommand, SaysWhatIsInjectedAndWhereItDoesNothing) {
  const StudyPlace place;
  const auto answer =
      plan_of(place, {"--inject", "slow-rank=1:1.20x", "--inject", "slow-input=1ms"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("labelled injected"));
  EXPECT_THAT(answer.out, HasSubstr("  slow-rank=1:1.2x: rank 1 computes 1.2x as long, forward and "
                                    "backward\n    nothing with 1 rank: there is no rank 1 of 1"));
  EXPECT_THAT(answer.out, HasSubstr("  slow-input=1ms: making a sample takes at least 1ms"));
  EXPECT_THAT(plan_of(place).out, Not(HasSubstr("njected")));
  const auto runs = plan_json_of(place, {"--inject", "jitter=5%"})["runs"];
  for (const auto& run : runs) EXPECT_EQ(run["injections"], json({"jitter=5%"}));
  EXPECT_EQ(plan_json_of(place, {"--set", R"(injections=["jitter=5%"])"})["runs"], runs);
}

TEST(PlanCommand, WhatCannotBeInjectedIsBadInput) {
  const StudyPlace place;
  const auto refused = [&](const std::string& fault) {
    const auto answer = plan_of(place, {"--inject", fault});
    EXPECT_EQ(answer.code, 2) << fault;
    return answer.err;
  };
  EXPECT_THAT(refused("slow-rank=9:1.2x"), HasSubstr("there is no rank 9 of 2"));
  EXPECT_THAT(refused("slow-rank=0:0.5x"),
              HasSubstr("out of range (it goes from 1.001x to 1000x)"));
  EXPECT_THAT(refused("slow-disk=1ms"), HasSubstr("unknown injection 'slow-disk'"));
  EXPECT_THAT(refused("slow-input=1"), HasSubstr("with a unit: s, ms, us"));
  EXPECT_THAT(refused("nan@step=0"), HasSubstr("STEP 0, which is out of range"));
  EXPECT_THAT(refused("nan@step=80"), HasSubstr("no more than"));
  EXPECT_THAT(refused("\xff"), HasSubstr("unknown injection"));
}

TEST(PlanCommand, SettingsAreReplacedInTheOrderGiven) {
  const StudyPlace place;
  const auto found = plan_json_of(
      place, {"--set", "settings.epochs=4", "--set", "settings.epochs=16", "--set", "repeats=1"});
  ASSERT_EQ(found["runs"].size(), 2U);
  EXPECT_EQ(runs_with(found, 1).at(0)["plan"]["epochs"], 16);
  EXPECT_EQ(runs_with(found, 2).at(0)["plan"]["epochs"], 8);
  EXPECT_EQ(runs_with(found, 2).at(0)["settings"]["epochs"], 16);
}

TEST(PlanCommand, WhatMadeAStudyOfAnotherIsSaidBySet) {
  const auto from = json::parse(
      R"({"description": "a", "settings": {"epochs": 3, "optimizer": {"name": "adam"}, "masked_frac": 0.1}, "repeats": 3,
          "quality": {"metric": "loss", "margin": 0.1}})");
  const auto to = json::parse(
      R"({"description": "b", "settings": {"epochs": 3, "optimizer": {"name": "sgd", "momentum": 0.9}},
          "axes": {"ranks": [1, 2]}, "repeats": 3})");
  EXPECT_THAT(
      changes_between(from, to),
      UnorderedElementsAre("settings.optimizer.name=sgd", "settings.optimizer.momentum=0.9",
                           R"(axes={"ranks":[1,2]})", "settings.masked_frac=null", "quality=null"));
  EXPECT_TRUE(changes_between(from, from).empty());
}

TEST(PlanCommand, JsonHoldsEveryRunWithItsId) {
  const StudyPlace place;
  const auto found = plan_json_of(place);
  EXPECT_EQ(found["study"], "my study");
  EXPECT_EQ(found["skipped"], json::array());
  std::set<std::string> ids;
  for (const auto& run : found["runs"]) {
    ids.insert(run["run_id"].get<std::string>());
    EXPECT_THAT(run["run_id"].get<std::string>(),
                StartsWith("noise2void-r" + run["ranks"].dump() + "-"));
    EXPECT_EQ(run["data"]["path"], (place.path() / "volume.tif").string());
    EXPECT_EQ(run["launcher"], "local");
  }
  EXPECT_EQ(ids.size(), 4U);
}

TEST(PlanCommand, TheOrderIsSaidBlockByBlock) {
  const StudyPlace place;
  EXPECT_THAT(plan_of(place).out, HasSubstr("One run of each row is a block"));
  EXPECT_THAT(plan_of(place, {"--set", "axes.ranks=[1]"}).out, Not(HasSubstr("is a block")));
  std::vector<std::pair<int, int>> places;
  const auto found = plan_json_of(place);
  for (const auto& run : found["runs"]) places.emplace_back(run["repeat"], run["block_position"]);
  EXPECT_THAT(places,
              ElementsAre(std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(1, 1)));
}

TEST(PlanCommand, ListsWhatIsLeftOutWithTheReason) {
  StudyPlace place;
  place.content["axes"]["ranks"] = {1, 2, 16};
  place.write();
  const auto answer = plan_of(place);
  EXPECT_EQ(answer.code, 0) << "the rest can be run";
  EXPECT_THAT(answer.out, HasSubstr("\nLeft out:\n  ranks=16, scaling_rule=linear_fixed_samples"));
  EXPECT_THAT(answer.out, HasSubstr("leaves 0 epochs for 16 ranks"));
  const auto found = plan_json_of(place);
  ASSERT_EQ(found["skipped"].size(), 1U);
  EXPECT_THAT(found["skipped"][0]["combination"].get<std::string>(), StartsWith("ranks=16, "));
  EXPECT_EQ(found["runs"].size(), 4U);
}

TEST(PlanCommand, AReasonOfSeveralCombinationsIsSaidOnce) {
  StudyPlace place;
  place.content["axes"]["ranks"] = {1, 2, 16};
  place.content["axes"]["reduction"] = {"bucketed_overlap", "flat_after_backward"};
  place.write();
  const auto out = plan_of(place).out;
  const auto reason = out.find("leaves 0 epochs for 16 ranks");
  EXPECT_GT(reason, out.find("ranks=16"));
  EXPECT_EQ(out.find("leaves 0 epochs", reason + 1), std::string::npos) << out;
}

TEST(PlanCommand, ARefusalIsInTheJsonToo) {
  const StudyPlace place;
  const auto answer = plan_of(place, {"--set", "data.path=/nowhere.tif", "--json"});
  EXPECT_EQ(answer.code, 2);
  const auto found = json::parse(answer.out);
  EXPECT_EQ(found["runs"].size(), 4U);
  EXPECT_EQ(found["exit_code"], 2);
  EXPECT_THAT(found["error"].get<std::string>(), HasSubstr("/nowhere.tif does not exist"));
}

TEST(PlanCommand, SaysWhyItKnowsNoTime) {
  const StudyPlace place;
  EXPECT_THAT(plan_of(place).out, HasSubstr("not known: /nowhere/bin/scalestudy-rank, which"));
  EXPECT_EQ(plan_json_of(place, {"--no-trial"})["time_unknown_because"],
            "--no-trial leaves the trial out");
}

TEST(PlanCommand, AStudyWithoutAnyRunIsStillShown) {
  const StudyPlace place;
  const auto answer = plan_of(place, {"--set", "axes.ranks=[9]"});
  EXPECT_EQ(answer.code, 2) << "there is nothing to run";
  EXPECT_THAT(answer.out, StartsWith("Study my study: 0 runs of noise2void, 0 samples"));
  EXPECT_THAT(answer.out, HasSubstr("Left out:"));
  EXPECT_THAT(answer.out, Not(HasSubstr("global batch")));
  EXPECT_THAT(answer.err, HasSubstr("has no run to start"));
}

TEST(PlanCommand, NamesTheSamplesThatDivisionLeavesOut) {
  const StudyPlace place;
  const auto answer = plan_of(place, {"--set", "axes.ranks=[1, 3]"});
  EXPECT_THAT(answer.out, HasSubstr("3 ranks, linear_fixed_samples: 8 epochs divided by 3 ranks "
                                    "give 2; 80 samples (2 of 8 one-rank epochs) are left out"));
}

TEST(PlanCommand, ShowsUnevenLocalBatchesAsARange) {
  const StudyPlace place;
  const auto answer =
      plan_of(place, {"--set", R"(axes.scaling_rule=["strong"])", "--set", "axes.ranks=[1, 3]"});
  EXPECT_THAT(answer.out, HasSubstr("1-2"));
  EXPECT_THAT(answer.out, HasSubstr("1 rank takes 2, the others 1; nothing is left out"));
}

TEST(PlanCommand, MarksRunsWithMoreThreadsThanCores) {
  const StudyPlace place;
  const auto busy = plan_of(place, {"--set", "settings.threads_per_rank=4096"});
  EXPECT_THAT(busy.out, HasSubstr("1*"));
  EXPECT_THAT(busy.out, HasSubstr("2*"));
  EXPECT_THAT(busy.out, HasSubstr("* more compute threads than cores"));
  EXPECT_THAT(busy.out, Not(HasSubstr("no_spare_core")));
  const auto quiet = plan_of(place, {"--set", "axes.ranks=[1]"});
  EXPECT_THAT(quiet.out, Not(HasSubstr("compute threads")));
}

TEST(PlanCommand, MarksRunsWithoutACoreForTheThreadsThatLoad) {
  const StudyPlace place;
  const std::vector<std::string> one{"--set", "axes.ranks=[1]"};
  EXPECT_THAT(plan_of(place, one).out, Not(HasSubstr("no_spare_core")));
  auto loading = one;
  loading.insert(loading.end(), {"--set", "settings.input.worker_threads=1000"});
  const auto answer = plan_of(place, loading);
  EXPECT_EQ(answer.code, 0) << "it is never refused: " << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("1+"));
  EXPECT_THAT(answer.out, HasSubstr("+ no core is left for the threads that communicate or load"));
  const auto plan = plan_json_of(place, loading);
  for (const auto& run : plan.at("runs")) {
    EXPECT_EQ(run["no_spare_core"], true);
    EXPECT_EQ(run["oversubscribed"], false);
  }
}

TEST(PlanCommand, ControlArmsHaveAColumn) {
  StudyPlace place;
  EXPECT_THAT(plan_of(place).out, Not(HasSubstr(" arm ")));
  place.content["control_arms"] = {"no_communication", "synthetic_input"};
  place.write();
  const auto answer = plan_of(place);
  EXPECT_THAT(answer.out, HasSubstr("  no_communication     none "));
  EXPECT_THAT(answer.out, HasSubstr("  synthetic_input      bucketed_overlap "));
  std::vector<std::string> arms;
  const auto found = plan_json_of(place, {"--set", "repeats=1"});
  for (const auto& run : found["runs"]) arms.push_back(run["control_arm"].get<std::string>());
  EXPECT_THAT(arms, UnorderedElementsAre("", "", "synthetic_input", "no_communication",
                                         "no_distributed_path", "synthetic_input"));
}

TEST(PlanCommand, TheLauncherOptionWinsOverTheEnvironmentFile) {
  const StudyPlace place;
  const auto environment = (place.path() / "here.json").string();
  write_text(environment, R"({"name": "here", "launcher": "local"})");
  auto found = plan_json_of(place, {"--environment", environment});
  EXPECT_EQ(runs_with(found, 2).at(0)["communicator"], "shm");
  found = plan_json_of(place, {"--environment", environment, "--launcher", "mpirun"});
  EXPECT_EQ(runs_with(found, 1).at(0)["communicator"], "local");
  EXPECT_EQ(runs_with(found, 2).at(0)["communicator"], "mpi");
  EXPECT_EQ(runs_with(found, 2).at(0)["launcher"], "mpirun");
}

TEST(PlanCommand, TheEnvironmentsDeviceReplacesTheStudys) {
  const StudyPlace place;
  const auto environment = (place.path() / "gpu.json").string();
  write_text(environment, R"({"device": "cuda"})");
  const auto found = plan_json_of(place, {"--environment", environment});
  ASSERT_GE(found["runs"].size(), 2U);  // those of two ranks, too, unless there is one GPU here
  for (const auto& run : found["runs"]) EXPECT_EQ(run["settings"]["device"], "cuda");
}

TEST(PlanCommand, EveryShippedStudyResolvesOnTheseSettings) {
  const auto studies = json_of_driver({"list", "studies"})["studies"];
  for (const auto& study : studies) {
    const auto name = study["name"].get<std::string>();
    std::vector<std::string> arguments{"plan", name, "--json"};
    const bool trains = !name.starts_with("collectives");
    if (trains)
      arguments.insert(arguments.end(),
                       {"--set", "settings.steps_per_epoch=64", "--set", "settings.epochs=64"});
    if (trains && !name.ends_with("replay") && !name.starts_with("replay"))  // reads none
      arguments.insert(arguments.end(), {"--set", "data.path=/proc/self/exe"});
    const auto answer = ask_driver(arguments);
    ASSERT_EQ(answer.code, 0) << name << answer.err;
    EXPECT_FALSE(json::parse(answer.out)["runs"].empty()) << name;
  }
}

TEST(PlanCommand, RefusalsNameThePlaceAndPrintNoPlan) {
  const StudyPlace place;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--set", "settings.epoch=3"}, "my study.json: settings.epoch: unknown key"},
      {{"--set", "settings.optimizer.name=adamm"}, "Perhaps 'adam' is meant"},
      {{"--set", "settings.epochs"}, "no value"},
      {{"--set", "workload=noise2vod"}, "Perhaps 'noise2void' is meant"},
      {{"--set", "schema=2"}, "schema = 2 is out of range"},
      {{"--launcher", "mpiru"}, "Did you mean 'mpirun'"},
      {{"--environment", "debian12-cpuu"}, "Did you mean 'debian12-cpu'"},
      {{"another"}, "another"}};
  for (const auto& [options, message] : cases) {
    for (const bool as_json : {false, true}) {
      auto arguments = options;
      if (as_json) arguments.emplace_back("--json");
      const auto answer = plan_of(place, arguments);
      EXPECT_EQ(answer.code, 2) << message;
      if (as_json)
        EXPECT_TRUE(json::parse(answer.out).contains("error")) << message;
      else
        EXPECT_EQ(answer.out, "") << message;
      EXPECT_THAT(answer.err, HasSubstr(message));
    }
  }
}

TEST(PlanCommand, ASettingOfAWorkloadThatActsNowhereIsRefused) {
  const auto refusal = [](const std::string& study, const std::vector<std::string>& settings) {
    std::vector<std::string> arguments{"plan", study, "--no-trial"};
    for (const auto& setting : settings)
      arguments.insert(arguments.end(), {"--set", "settings." + setting});
    return ask_driver(arguments).err;
  };
  const std::string masks = "test_masks_per_patch=4", none = "size=[0,0]", fit = "fit=padded",
                    filter = "resize_filter=bilinear";
  EXPECT_THAT(refusal("n2v-quickstart", {masks, "test_frac=0"}),
              HasSubstr("acts only with settings.test_frac"));
  EXPECT_THAT(refusal("n2v-quickstart", {"input.cache_bytes=9"}), HasSubstr("a set of pictures"));
  EXPECT_EQ(refusal("n2v-quickstart", {masks}), "");
  EXPECT_THAT(refusal("unet-nuclei", {none, fit}), HasSubstr("acts only with settings.size"));
  EXPECT_THAT(refusal("unet-nuclei", {none, filter}), HasSubstr("acts only with settings.size"));
  EXPECT_EQ(refusal("unet-nuclei", {fit, filter}), "");
}

TEST(PlanCommand, DataAreToldApartByWhatTheyHold) {
  const StudyPlace place;
  const auto hash_and_id = [&](const std::vector<std::string>& more = {}) {
    const auto run = runs_with(plan_json_of(place, more), 1).at(0);
    return std::pair(run["data"]["content_hash"].get<std::string>(),
                     run["run_id"].get<std::string>());
  };
  const auto before = hash_and_id();
  EXPECT_EQ(before.first.size(), 16U);
  const auto copy = (place.path() / "copy.tif").string();
  std::filesystem::copy_file(place.path() / "volume.tif", copy);
  EXPECT_EQ(hash_and_id({"--set", "data.path=" + copy}), before);
  const auto with_reference = hash_and_id({"--set", "data.reference_path=" + copy});
  EXPECT_EQ(with_reference.first, before.first);
  EXPECT_NE(with_reference.second, before.second);
  write_text(place.path() / "volume.tif", "changed");
  EXPECT_NE(hash_and_id().first, before.first);
  EXPECT_NE(hash_and_id().second, before.second);
}

TEST(PlanCommand, MissingDataAreRefusedBesideThePlan) {
  const StudyPlace place;
  std::filesystem::remove(place.path() / "volume.tif");
  const auto answer = plan_of(place);
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.out, StartsWith("Study my study: 4 runs"));
  EXPECT_THAT(answer.err, HasSubstr("volume.tif does not exist"));
}

TEST(PlanCommand, WhereDataDecideEverythingTheirAbsenceIsTheOnlyAnswer) {
  const auto answer = ask_driver({"plan", "unet-rwth"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("data.path is empty"));
}

TEST(PlanCommand, TooFewRepeatsForAnIntervalAreSaid) {
  const StudyPlace place;
  EXPECT_THAT(plan_of(place).out, HasSubstr("Fewer than 3 repeats give no interval"));
  EXPECT_THAT(plan_of(place, {"--set", "repeats=3"}).out, Not(HasSubstr("Fewer than")));
}

TEST(PlanCommand, ThreeRepeatsAreTheDefault) {
  StudyPlace place;
  place.content.erase("repeats");
  place.write();
  EXPECT_EQ(plan_json_of(place)["runs"].size(), 6U);
}

TEST(PlanCommand, WritesNothingBesideTheStudy) {
  const StudyPlace place;
  static_cast<void>(plan_of(place));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place.path()), {}), 2);
}

TEST(PlanCommand, TextThatIsNoUtf8IsBadInput) {
  const StudyPlace place;
  for (const auto* set : {"data.path=/data/caf\xe9.tif", "description=caf\xe9", "caf\xe9=1"}) {
    const auto answer = plan_of(place, {"--set", set});
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("UTF-8"));
  }
  const auto latin = (place.path() / "caf\xe9.json").string();
  std::filesystem::copy_file(place.study(), latin);
  const auto answer = ask_driver({"plan", latin});
  EXPECT_EQ(answer.code, 2) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("study file: "));
  EXPECT_THAT(answer.err, HasSubstr("is not UTF-8"));
}

}  // namespace
}  // namespace scalestudy
