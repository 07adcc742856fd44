#include "study/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/environment.hpp"

#include "tests/study/toy_workload.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string with(const std::string& settings) {
  return R"({"schema": 1, "workload": "toy", "settings": )" + settings + "}";
}

TEST(Study, ReadsWhatIsGivenAndKeepsDefaults) {
  const StudyFile file(small_study());
  const auto study = file.read();
  EXPECT_EQ(study.name, "small");
  EXPECT_EQ(study.workload, "toy");
  EXPECT_EQ(study.data.path, (file.path().parent_path() / "stack.tif").string());
  EXPECT_EQ(study.data.reference_path, "");
  EXPECT_EQ(study.settings.epochs, 200);
  EXPECT_EQ(study.settings.optimizer.base_learning_rate, 4e-4);
  EXPECT_EQ(study.settings.optimizer.epsilon, 1e-7);
  EXPECT_EQ(study.workload_settings, R"({"width":4})");
  EXPECT_THAT(study.axes.ranks, ElementsAre(1, 2, 4));
  EXPECT_THAT(study.axes.scaling_rule, ElementsAre(ScalingRule::linear_fixed_samples));
  EXPECT_EQ(study.repeats, 2);
}

TEST(Study, OverridesReplaceAndAdd) {
  const StudyFile file(small_study());
  const auto study =
      file.read({"settings.epochs=3", "settings.schedule.name=constant", "axes.ranks=[1, 8]",
                 "data.path=/elsewhere/x.tif", "settings.width=9"});
  EXPECT_EQ(study.settings.epochs, 3);
  EXPECT_EQ(study.settings.schedule.name, ScheduleKind::constant);
  EXPECT_THAT(study.axes.ranks, ElementsAre(1, 8));
  EXPECT_EQ(study.data.path, "/elsewhere/x.tif");
  EXPECT_EQ(study.workload_settings, R"({"width":9})");
  EXPECT_EQ(nlohmann::json::parse(study.requested)["settings"]["epochs"], 3);
  const auto relative = file.read({"data.path=x.tif"});
  EXPECT_EQ(relative.data.path, (std::filesystem::current_path() / "x.tif").string());
}

TEST(Study, AnObjectGivenSetsWhatItNamesAndLeavesTheRest) {
  const StudyFile file(small_study());
  const std::string rule = R"(axes.scaling_rule=["strong"])";
  const auto before = file.read({rule});
  const auto after = file.read({rule, R"(settings={"schedule":{"patience_epochs":7}})",
                                R"(axes={"ranks":[1,8]})", R"(data={"path":"x.tif"})"});
  EXPECT_EQ(after.settings.schedule.patience_epochs, 7);
  EXPECT_EQ(after.settings.epochs, before.settings.epochs);
  EXPECT_EQ(after.workload_settings, before.workload_settings);
  EXPECT_THAT(after.axes.ranks, ElementsAre(1, 8));
  EXPECT_EQ(after.axes.scaling_rule, before.axes.scaling_rule);
  EXPECT_EQ(after.data.path, (std::filesystem::current_path() / "x.tif").string());
}

TEST(Study, ADescriptionSaysWhatOverridesChanged) {
  auto content = nlohmann::json::parse(small_study());
  const auto described = [&](const std::vector<std::string>& overrides) {
    return StudyFile(content.dump()).read(overrides).description;
  };
  EXPECT_EQ(described({"repeats=5"}), "") << "there is none to become untrue";
  content["description"] = "Two repeats";
  EXPECT_EQ(described({}), "Two repeats");
  EXPECT_EQ(described({"repeats=5", "settings.epochs=3"}),
            "Two repeats (changed by --set repeats=5, settings.epochs=3)");
}

TEST(Study, OverridesThatFitNowhereAreRefused) {
  const auto refusal = [](const std::string& set) {
    return refusal_of_study(small_study(), {set});
  };
  EXPECT_THAT(refusal("settings.epoch=3"), HasSubstr("small.json: settings.epoch: unknown key"));
  EXPECT_THAT(refusal("settings.epochs.x=3"), HasSubstr("is no path to a setting"));
  EXPECT_THAT(refusal("settings.epochs"), HasSubstr("no value"));
  EXPECT_THAT(refusal("settings..epochs=1"), HasSubstr("is no path to a setting"));
  EXPECT_THAT(refusal("settings.optimizer.base_learning_rate=NaN"), HasSubstr("is not a number"));
  EXPECT_THAT(refusal("axes.ranks=-1"), HasSubstr("axes.ranks = -1 is not a list"));
  for (const auto& digits : {std::string("1e400"), std::string("-1e400"), std::string(400, '9')}) {
    const auto message = refusal(cat("repeats=", digits));
    EXPECT_THAT(message, HasSubstr("--set repeats: number overflow")) << digits;
    EXPECT_LT(message.size(), 250) << digits;
  }
}

TEST(Study, NullTakesOutWhatTheFileGives) {
  const StudyFile file(small_study());
  const auto study = file.read({"settings.epochs=null", "settings.width=null"});
  EXPECT_EQ(study.settings.epochs, 100);
  EXPECT_EQ(study.workload_settings, R"({"width":8})");
  EXPECT_THAT(study.given_settings,
              ElementsAre("local_batch_size", "optimizer.base_learning_rate", "steps_per_epoch"));
  for (const auto* const absent : {"settings.seed", "settings.epoch", "settings.link.latency_s"})
    EXPECT_THAT(message_of([&] { return file.read({cat(absent, "=null")}); }),
                HasSubstr(cat("the study has no ", absent)));
}

TEST(Study, AKeyInTheWrongPlaceIsToldItsOwn) {
  const auto refusal = [](const std::string& set) {
    return refusal_of_study(small_study(), {set});
  };
  EXPECT_THAT(refusal("epochs=3"), HasSubstr("small.json: epochs: unknown key"));
  EXPECT_THAT(refusal("epochs=3"), HasSubstr("Perhaps 'settings.epochs' is meant"));
  EXPECT_THAT(refusal("ranks=[1]"), HasSubstr("Perhaps 'axes.ranks' is meant"));
  EXPECT_THAT(refusal("path=x.tif"), HasSubstr("Perhaps 'data.path' is meant"));
  EXPECT_THAT(refusal("width=9"), HasSubstr("Perhaps 'settings.width' is meant"));
  EXPECT_THAT(refusal("momentum=0.5"), HasSubstr("Perhaps 'settings.optimizer.momentum' is meant"));
  EXPECT_THAT(refusal("precision=fp32"), HasSubstr("Perhaps 'settings.precision' is meant"));
  EXPECT_THAT(refusal("name=mine"), HasSubstr("Known keys are"))
      << "optimiser and schedule have one";
  EXPECT_THAT(refusal("settings.ranks=[1]"), HasSubstr("Perhaps 'axes.ranks' is meant"));
}

TEST(Study, AQualityGoalIsOneOfTheWorkloadsMetrics) {
  const StudyFile file(small_study());
  const auto study = file.read({"quality.metric=loss", "quality.target=0.5", "quality.margin=0.1"});
  EXPECT_EQ(study.quality.metric, "loss");
  EXPECT_EQ(study.quality.target, 0.5);
  EXPECT_EQ(study.quality.margin, 0.1);
  EXPECT_THAT(message_of([&] { return file.read({"quality.metric=lost"}); }),
              AllOf(HasSubstr("quality.metric"), HasSubstr("loss")));
  EXPECT_THAT(message_of([&] { return file.read({"quality.margin=0.1"}); }),
              AllOf(HasSubstr("quality.metric is missing"), HasSubstr("loss")));
  EXPECT_THAT(message_of([&] {
                return file.read({"quality.metric=loss", "quality.margin=-1"});
              }),
              HasSubstr("quality.margin"));
}

TEST(Study, MissingFileIsNamed) {
  EXPECT_THAT(message_of([] { return read_study("absent.json", {}, toy_workloads()); }),
              StartsWith("absent.json cannot be read: No such file"));
}

TEST(Study, SyntaxErrorsHaveLineAndColumn) {
  const auto refusal = refusal_of_study("{\"schema\": 1,\n  \"workload\" \"toy\"}");
  EXPECT_THAT(refusal, HasSubstr("small.json"));
  EXPECT_THAT(refusal, HasSubstr("line 2, column"));
  EXPECT_THAT(refusal_of_study(""), HasSubstr("small.json"));
  EXPECT_THAT(refusal_of_study("[1]"), HasSubstr("small.json: array given, not an object"));
}

TEST(Study, NotANumberIsNoJson) {
  const auto refusal = refusal_of_study(with(R"({"optimizer": {"base_learning_rate": NaN}})"));
  EXPECT_THAT(refusal, HasSubstr("line 1, column"));
  EXPECT_THAT(refusal_of_study(with(R"({"epochs": Infinity})")), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal_of_study(with(R"({"optimizer": {"base_learning_rate": 1e999}})")),
              HasSubstr("small.json"));
}

TEST(Study, UnknownKeysSuggestTheNearest) {
  EXPECT_THAT(refusal_of_study(with(R"({"optimizer": {"base_learnin_rate": 1}})")),
              HasSubstr("small.json: settings.optimizer.base_learnin_rate: unknown key"));
  EXPECT_THAT(refusal_of_study(with(R"({"optimizer": {"base_learnin_rate": 1}})")),
              HasSubstr("'base_learning_rate' is meant"));
  EXPECT_THAT(refusal_of_study(with(R"({"widht": 1})")), HasSubstr("'width' is meant"));
  EXPECT_THAT(refusal_of_study(R"({"schema": 1, "workload": "toy", "repeat": 2})"),
              HasSubstr("small.json: repeat: unknown key"));
  EXPECT_THAT(refusal_of_study(with(R"({"epochs": 1, "epochs": 2})")),
              HasSubstr("'epochs' stands twice"));
}

TEST(Study, WrongTypesAndRangesAreRefused) {
  const std::vector<std::pair<std::string, std::string>> known{
      {R"({"epochs": 1.0})", "settings.epochs = 1.0 is not a whole number without point"},
      {R"({"epochs": "3"})", "settings.epochs = \"3\" is not a whole number"},
      {R"({"epochs": true})", "settings.epochs = true is not a whole number"},
      {R"({"epochs": 0})", "settings.epochs = 0 is out of range"},
      {R"({"epochs": null})", "settings.epochs = null is not a whole number"},
      {R"({"seed": 18446744073709551615})", "does not fit into 64 bits"},
      {R"({"seed": -1})", "settings.seed = -1 is out of range"},
      {R"({"optimizer": {"base_learning_rate": 0}})", "Use a value above 0"},
      {R"({"optimizer": {"base_learning_rate": -1}})", "base_learning_rate = -1 is out of range"},
      {R"({"optimizer": {"beta1": "x"}})", "settings.optimizer.beta1 = \"x\" is not a number"},
      {R"({"optimizer": 3})", "settings.optimizer: number given, not an object"},
      {R"({"device": "cudaa"})", "'cuda' is meant"},
      {R"({"width": 0})", "settings.width = 0 is out of range"}};
  for (const auto& [settings, message] : known) {
    EXPECT_THAT(refusal_of_study(with(settings)), HasSubstr(message)) << settings;
  }
  EXPECT_THAT(refusal_of_study(R"({"schema": 1, "workload": "toy", "settings": []})"),
              HasSubstr("small.json: settings: array given"));
}

TEST(Study, LimitsAreWrittenInFull) {
  EXPECT_THAT(refusal_of_study(with(R"({"epochs": 0})")),
              HasSubstr("Use a value at least 1 and at most 1000000000."));
  EXPECT_THAT(refusal_of_study(with(R"({"optimizer": {"momentum": 2}})")),
              HasSubstr("at least 0 and at most 1."));
}

TEST(Study, RanksMustBePositive) {
  const auto refusal = [](const std::string& ranks) {
    return refusal_of_study(R"({"schema": 1, "workload": "toy", "axes": {"ranks": )" + ranks +
                            "}}");
  };
  EXPECT_THAT(refusal("[1, -2]"), HasSubstr("small.json: axes.ranks = -2 is out of range"));
  EXPECT_THAT(refusal("[0]"), HasSubstr("small.json: axes.ranks = 0 is out of range"));
  EXPECT_THAT(refusal("[]"), HasSubstr("axes.ranks is empty"));
  EXPECT_THAT(refusal("[2, 2]"), HasSubstr("axes.ranks lists 2 twice"));
  EXPECT_THAT(refusal("[1.5]"), HasSubstr("not a whole number"));
  EXPECT_EQ(refusal("[1, 2]"), "accepted");
}

TEST(Study, UnknownNamesAreRefused) {
  const auto refusal = [](const std::string& rest) {
    return refusal_of_study(R"({"schema": 1, "workload": "toy", )" + rest + "}");
  };
  EXPECT_THAT(refusal(R"("axes": {"scaling_rule": ["strongg"]})"), HasSubstr("'strong' is meant"));
  EXPECT_THAT(refusal(R"("axes": {"reduction": ["ring"]})"), HasSubstr("axes.reduction"));
  EXPECT_THAT(refusal(R"("axes": {"input": ["serail"]})"), HasSubstr("known are sharded"));
  EXPECT_THAT(refusal(R"("axes": {"precision": ["fp8"]})"), HasSubstr("axes.precision"));
  EXPECT_THAT(refusal(R"("axes": {"precision": ["fp32", "fp32"]})"), HasSubstr("twice"));
  EXPECT_THAT(refusal(R"("axes": {"memory_format": ["rows"]})"), HasSubstr("axes.memory_format"));
  EXPECT_THAT(refusal(R"("axes": {"memory_format": ["trial"]})"), HasSubstr("axes.memory_format"));
  EXPECT_THAT(refusal(R"("axes": {"threads_per_rank": [0]})"), HasSubstr("out of range"));
  EXPECT_THAT(refusal(R"("axes": {"threads_per_rank": ["two"]})"),
              HasSubstr("axes.threads_per_rank"));
  EXPECT_THAT(refusal(R"("axes": {"threads_per_rank": [2, 2]})"), HasSubstr("twice"));
  EXPECT_THAT(refusal(R"("control_arms": ["no_comunication"])"),
              HasSubstr("'no_communication' is meant"));
  EXPECT_THAT(refusal(R"("repeats": 0)"), HasSubstr("repeats = 0 is out of range"));
  EXPECT_THAT(refusal_of_study(R"({"schema": 2, "workload": "toy"})"), HasSubstr("schema = 2"));
  EXPECT_THAT(refusal_of_study(R"({"schema": 1, "workload": "noise"})"),
              HasSubstr("unknown workload 'noise'"));
  EXPECT_THAT(refusal_of_study(R"({"schema": 1})"), HasSubstr("small.json: workload is missing"));
}

TEST(StudySchema, DescribesEveryFieldWithUnitAndDescription) {
  const auto schema = study_schema(toy_workloads());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  const auto& settings = schema["allOf"][0]["then"]["properties"]["settings"];
  EXPECT_EQ(settings["additionalProperties"], false);
  EXPECT_EQ(settings["properties"]["width"]["minimum"], 1);
  const auto& optimizer = settings["properties"]["optimizer"]["properties"];
  EXPECT_EQ(optimizer["base_learning_rate"]["exclusiveMinimum"], 0);
  EXPECT_EQ(optimizer["base_learning_rate"]["default"], 4e-4);
  for (const auto& [name, property] : settings["properties"].items()) {
    EXPECT_FALSE(property["description"].get<std::string>().empty()) << name;
    EXPECT_EQ(property.contains("unit"), property["type"] != "object") << name;
  }
  EXPECT_THAT(schema["properties"]["control_arms"]["items"]["enum"],
              ElementsAre("barrier_only", "no_communication", "synthetic_input",
                          "synthetic_input_no_communication", "no_distributed_path"));
}

TEST(Environment, ReadsTheShippedOnes) {
  const std::filesystem::path folder(test::in_sources("environments"));
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory() || !exists(entry.path() / "environment.json")) continue;
    const auto environment = read_environment(entry.path() / "environment.json", toy_launchers());
    EXPECT_EQ(environment.name, entry.path().filename());
    ++count;
  }
  EXPECT_GE(count, 1);
}

TEST(ReadStudy, WhatNoRunFileCanKeepIsRefused) {
  EXPECT_THAT(refusal_of_study(small_study(), {"description=" + std::string(1'000'001, 'x')}),
              testing::HasSubstr("every run file keeps it"));
}

}  // namespace
}  // namespace scalestudy
