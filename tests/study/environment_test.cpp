#include "study/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/study/toy_workload.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

Environment environment_of(const std::string& text) {
  const StudyFile file(text);
  return read_environment(file.path(), toy_launchers());
}

std::string refusal(const std::string& text) {
  return message_of([&] { return environment_of(text); });
}

TEST(EnvironmentFile, AnEmptyObjectIsThisMachineAsItIs) {
  const auto environment = environment_of("{}");
  EXPECT_EQ(environment.name, "local");
  EXPECT_EQ(environment.launcher, "local");
  EXPECT_EQ(environment.device, std::nullopt);
  EXPECT_TRUE(environment.variables.empty());
}

TEST(EnvironmentFile, EveryFieldIsRead) {
  const auto environment = environment_of(R"({"name": "gpu box", "description": "One GPU",
    "launcher": "mpirun", "device": "cuda", "variables": {"B": "2", "A": ""}})");
  EXPECT_EQ(environment.name, "gpu box");
  EXPECT_EQ(environment.description, "One GPU");
  EXPECT_EQ(environment.launcher, "mpirun");
  EXPECT_EQ(environment.device, Device::cuda);
  EXPECT_THAT(environment.variables, ElementsAre(Pair("A", ""), Pair("B", "2")));
}

TEST(EnvironmentFile, AnEmptyDeviceLeavesTheStudysChoice) {
  EXPECT_EQ(environment_of(R"({"device": ""})").device, std::nullopt);
  EXPECT_EQ(environment_of(R"({"device": "cpu"})").device, Device::cpu);
  EXPECT_THAT(refusal(R"({"device": "gpu"})"), HasSubstr("small.json: device: unknown value"));
}

TEST(EnvironmentFile, VariablesMayHaveAnyNameAShellMayHave) {
  const auto environment =
      environment_of(R"({"variables": {"launcher": "x", "a.b": "y", "É": "z"}})");
  EXPECT_EQ(environment.variables.size(), 3U);
  EXPECT_EQ(environment.launcher, "local") << "a variable is no key of the file";
}

TEST(EnvironmentFile, ValuesThatAreNoTextsAreRefusedWithTheirPath) {
  for (const auto* value : {"1", "true", "null", "[\"x\"]", "{\"x\": \"y\"}"}) {
    EXPECT_THAT(refusal(std::string(R"({"variables": {"NAME": )") + value + "}}"),
                StartsWith("small.json: variables.NAME is not a text"))
        << value;
  }
  EXPECT_THAT(refusal(R"({"variables": ["A=1"]})"), StartsWith("small.json: variables is not"));
  EXPECT_THAT(refusal(R"({"variables": {"": "1"}})"), HasSubstr("'' is no name of a variable"));
  EXPECT_THAT(refusal(R"({"variables": {"A=B": "1"}})"), HasSubstr("no name of a variable"));
}

TEST(EnvironmentFile, WhatTheLauncherSetsIsRefused) {
  for (const auto* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
                           "OMP_NUM_THREADS", "SCALESTUDY_JOB_KEY"}) {
    EXPECT_THAT(refusal(std::string(R"({"variables": {")") + name + R"(": "1"}})"),
                StartsWith(std::string("small.json: variables.") + name + " is set by"));
  }
  EXPECT_EQ(refusal(R"({"variables": {"OMP_PROC_BIND": "true", "rank": "1"}})"), "accepted");
}

TEST(EnvironmentFile, WhatIsNoEnvironmentIsRefused) {
  EXPECT_THAT(refusal("[]"), HasSubstr("small.json: array given, not an object"));
  EXPECT_THAT(refusal("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("\xff\xfe{"), HasSubstr("Save it as UTF-8"));
  EXPECT_THAT(refusal(R"({"variables": {"A": "1", "A": "2"}})"), HasSubstr("key 'A' stands twice"));
  EXPECT_THAT(refusal(R"({"launcher": 1})"), HasSubstr("small.json: launcher = 1 is not a text"));
  EXPECT_THAT(refusal(R"({"launcher": ""})"), HasSubstr("known are local, mpirun"));
  EXPECT_THAT(refusal(R"({"varables": {}})"), HasSubstr("'variables' is meant"));
  EXPECT_THROW(static_cast<void>(read_environment("/nowhere/environment.json", toy_launchers())),
               BadInput);
}

TEST(EnvironmentSchema, DescribesEveryFieldAndTheLaunchersGiven) {
  const auto schema = environment_schema(toy_launchers());
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_THAT(schema["properties"]["launcher"]["enum"], ElementsAre("local", "mpirun"));
  EXPECT_EQ(schema["properties"]["launcher"]["default"], "local");
  EXPECT_THAT(schema["properties"]["device"]["enum"], ElementsAre("", "cpu", "cuda"));
  for (const auto& [name, property] : schema["properties"].items()) {
    EXPECT_NE(property.value("unit", ""), "") << name;
    EXPECT_NE(property.value("description", ""), "") << name;
    EXPECT_TRUE(property.contains("default")) << name;
  }
}

TEST(FindLauncher, ReturnsTheOneNamedAndSuggestsForOthers) {
  EXPECT_EQ(find_launcher(toy_launchers(), "mpirun", "x").joins_ranks, CommunicatorKind::mpi);
  const auto message =
      message_of([] { return &find_launcher(toy_launchers(), "xyzzyxyzzy", "here: launcher"); });
  EXPECT_THAT(message, StartsWith("here: launcher: unknown name 'xyzzyxyzzy'"));
  EXPECT_THAT(message, HasSubstr("Use one of them"));
}

}  // namespace
}  // namespace scalestudy
