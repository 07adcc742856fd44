#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/provenance.hpp"
#include "core/text.hpp"

#include "driver/commands/command.hpp"
#include "driver/driver.hpp"
#include "driver/terminal/text_table.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/documented_table.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CommandLine, VersionNamesTheBuild) {
  const auto answer = ask_driver({"--version"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.out, "scalestudy " + build_id() + "\n");
}

TEST(CommandLine, UnknownCommandSuggestsTheNearest) {
  const auto answer = ask_driver({"statsu", "DIR"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr("There is no command 'statsu'"));
  EXPECT_THAT(answer.err, HasSubstr("Did you mean 'status'"));
  EXPECT_THAT(ask_driver({"xyzzyxyzzy"}).err, HasSubstr("See scalestudy --help"));
}

TEST(CommandLine, UnknownOptionSuggestsTheNearest) {
  const auto answer = ask_driver({"run", "study.json", "--out", "x", "--dryrun"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("--dryrun"));
  EXPECT_THAT(answer.err, HasSubstr("Did you mean '--dry-run'"));
}

TEST(CommandLine, AMistypedOptionIsNamedBeforeWhatItWasToGive) {
  const auto answer = ask_driver({"run", "study.json", "--otu", "x"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("There is no option --otu"));
  EXPECT_THAT(answer.err, HasSubstr("Did you mean '--out'"));
  EXPECT_THAT(ask_driver({"init", "unet", "--dta=x"}).err, HasSubstr("Did you mean '--data'"));
  EXPECT_THAT(ask_driver({"plan", "-x"}).err, HasSubstr("There is no option -x"));
  EXPECT_THAT(ask_driver({"--hlep"}).err, HasSubstr("Did you mean '--help'"));
  EXPECT_THAT(ask_driver({"--quiet", "plan"}).err, HasSubstr("Options stand behind the command"));
}

TEST(CommandLine, ASettingThatIsNoOptionSaysHowItIsSet) {
  EXPECT_THAT(ask_driver({"run", "x", "--out", "y", "--epochs", "4"}).err,
              HasSubstr("Use --set settings.epochs=VALUE"));
  EXPECT_THAT(ask_driver({"plan", "x", "--scaling-rule=strong"}).err,
              HasSubstr("Use --set axes.scaling_rule=VALUE"));
  EXPECT_THAT(ask_driver({"status", "x", "--epochs", "4"}).err, Not(HasSubstr("--set")));
}

TEST(CommandLine, WhatLooksLikeAnOptionMayBeAValue) {
  const auto answer = ask_driver({"init", "unet", "--data", "--nowhere"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("'--nowhere' does not exist"));
}

TEST(CommandLine, WhatIsTooMuchIsNamedInTheOrderGiven) {
  const auto answer = ask_driver({"plan", "x", "3", "four", "5"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("Unexpected: '3 four 5'"));
}

TEST(CommandLine, TheVersionIsJsonToo) {
  const auto answer = ask_driver({"--version", "--json"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.out, testing::StartsWith("{\n  \"version\": \""));
}

TEST(CommandLine, NoCommandNamesThemAll) {
  const auto answer = ask_driver({});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("No command is given (the commands are init, plan, "));
}

TEST(CommandLine, AnEmptyValueIsNoDefault) {
  for (const auto& given : {std::vector<std::string>{"--out", ""}, {"--out="}}) {
    auto arguments = given;
    arguments.insert(arguments.begin(), {"report", "/nowhere"});
    const auto answer = ask_driver(arguments);
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr("--out is given an empty value"));
  }
}

TEST(CommandLine, AResultThatCannotBeWrittenIsNoSuccess) {
  std::ostringstream err;
  std::ofstream full("/dev/full");
  Context context{{}, "/nowhere/bin/scalestudy", full, err};
  EXPECT_EQ(run_driver({"list", "rules"}, context), 5);
  EXPECT_THAT(err.str(), HasSubstr("could not be written to standard output"));
}

TEST(CommandLine, MissingPartsAreUsageErrors) {
  EXPECT_EQ(ask_driver({}).code, 2);
  EXPECT_EQ(ask_driver({"status"}).code, 2);
  const auto answer = ask_driver({"run", "study.json"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("--out"));
  EXPECT_THAT(answer.err, StartsWith("error: "));
}

TEST(CommandLine, TheReadmeHasEveryCommand) {
  std::string rows;
  for (const auto& command : commands()) {
    const auto example = command.example.substr(0, command.example.find('\n'));
    rows += cat("| `", command.name, "` | ", command.summary, " | `", example, "` |\n");
  }
  test::expect_documented("README.md", "## Commands", rows);
}

TEST(CommandLine, EveryCommandHelpsWithAnExample) {
  EXPECT_EQ(ask_driver({"--help"}).code, 0);
  for (const auto& command : commands()) {
    const auto answer = ask_driver({std::string(command.name), "--help"});
    EXPECT_EQ(answer.code, 0) << command.name;
    EXPECT_EQ(answer.err, "") << command.name;
    EXPECT_THAT(answer.out, HasSubstr("Example:\n  scalestudy " + std::string(command.name)));
    EXPECT_THAT(answer.out, HasSubstr("--no-color"));
    for (const auto& line : split(answer.out, '\n'))
      EXPECT_TRUE(display_width(line) <= 100 || line.starts_with("  scalestudy ")) << line;
    for (const auto& line : split(command.example, '\n'))
      EXPECT_THAT(line, StartsWith("scalestudy " + std::string(command.name)));
    EXPECT_THAT(ask_driver({"--help"}).out, HasSubstr(std::string(command.summary)));
  }
}

TEST(CommandLine, ACommandOffersOnlyWhatActsOnIt) {
  for (const auto* command : {"plan", "run"})
    for (const auto* option : {"--environment", "--launcher", "--set"})
      EXPECT_THAT(ask_driver({command, "--help"}).out, HasSubstr(option)) << command;
  for (const auto* command : {"status", "report", "inspect", "list", "schema", "doctor", "data"})
    for (const auto* option : {"--environment", "--launcher", "--set", "--verbose"})
      EXPECT_THAT(ask_driver({command, "--help"}).out, Not(HasSubstr(option))) << command;
  EXPECT_THAT(ask_driver({"data", "--help"}).out, HasSubstr("--quiet"));
  EXPECT_THAT(ask_driver({"plan", "--help"}).out, Not(HasSubstr("--quiet")));
}

TEST(CommandLine, AnOptionThatWouldDoNothingIsRefused) {
  const auto answer = ask_driver({"status", "DIR", "--set", "settings.epochs=3"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("--set"));
}

TEST(CommandLine, ErrorsAreJsonTooWhereJsonIsAskedFor) {
  const std::vector<std::vector<std::string>> wrong{
      {"statsu", "--json"}, {"status", "/nowhere", "--json"}, {"run", "x", "--json"}};
  for (const auto& arguments : wrong) {
    const auto answer = ask_driver(arguments);
    EXPECT_EQ(answer.code, 2);
    const auto document = nlohmann::json::parse(answer.out);
    EXPECT_EQ(document.at("exit_code"), 2);
    EXPECT_EQ(answer.err, "error: " + document.at("error").get<std::string>() + "\n");
  }
}

TEST(CommandLine, UnknownStudyEnvironmentAndFolderAreBadInput) {
  const auto study = ask_driver({"plan", "no-such-study"});
  EXPECT_EQ(study.code, 2);
  EXPECT_THAT(study.err, HasSubstr("no study 'no-such-study'"));
  const auto environment = ask_driver({"plan", "x", "--environment", "no-such-place"});
  EXPECT_EQ(environment.code, 2);
  EXPECT_THAT(environment.err, HasSubstr("no environment 'no-such-place'"));
  const auto launcher = ask_driver({"plan", "x", "--launcher", "locla"});
  EXPECT_EQ(launcher.code, 2);
  EXPECT_THAT(launcher.err, HasSubstr("Did you mean 'local'"));
  const auto folder = ask_driver({"status", "/nowhere"});
  EXPECT_EQ(folder.code, 2);
  EXPECT_THAT(folder.err, HasSubstr("/nowhere does not exist"));
}

TEST(CommandLine, ColourOnlyOnATerminalThatWantsIt) {
  std::ostringstream out;
  std::ostringstream err;
  Context context{{}, "/nowhere/bin/scalestudy", out, err, true, true};
  EXPECT_EQ(run_driver({"status", "/nowhere"}, context), 2);
  EXPECT_THAT(err.str(), HasSubstr("\033[1;31merror:"));
  std::ostringstream plain;
  Context no_color{{}, "/nowhere/bin/scalestudy", out, plain, true, true};
  EXPECT_EQ(run_driver({"status", "/nowhere", "--no-color"}, no_color), 2);
  EXPECT_THAT(plain.str(), Not(HasSubstr("\033")));
}

TEST(CommandLine, AWorkingFolderThatIsGoneIsSaid) {
  const auto before = fs::current_path();
  const auto answer = [] {
    const TemporaryFolder gone;
    fs::current_path(gone.path());
    fs::remove_all(gone.path());
    return ask_driver({"doctor"});
  }();
  fs::current_path(before);
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("The working folder cannot be used"));
}

}  // namespace
}  // namespace scalestudy
