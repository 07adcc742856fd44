#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "driver/driver.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/scoped_variable.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// No rank program: the same answer wherever the tests run.
class DoctorOutput : public ::testing::Test {
 protected:
  static std::string on_a_terminal(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    Context context{{}, "/nowhere/bin/scalestudy", out, err, true, true};
    static_cast<void>(run_driver(arguments, context));
    return out.str();
  }

 private:
  ScopedVariable rank_{"SCALESTUDY_RANK_PROGRAM", "/nowhere/scalestudy-rank"};
  ScopedVariable color_{"NO_COLOR", ""};
};

TEST_F(DoctorOutput, EveryLineIsAResultOrARemedyBelowItsFinding) {
  const auto answer = ask_driver({"doctor"});
  const auto table = answer.out.substr(0, answer.out.find("\n\n") + 1);
  for (const auto& line : split(table, '\n')) {
    if (line.empty()) continue;
    EXPECT_THAT(line, AnyOf(StartsWith("OK       "), StartsWith("MISSING  "),
                            StartsWith("NOTE     "), StartsWith(std::string(27, ' '))));
    EXPECT_GT(line.size(), 27U) << line;
  }
}

TEST_F(DoctorOutput, FindingsStartInOneColumn) {
  for (const auto& line : split(ask_driver({"doctor"}).out, '\n')) {
    if (line.rfind("OK  ", 0) != 0) continue;
    EXPECT_NE(line[27], ' ') << line;
    EXPECT_EQ(line[26], ' ') << line;
  }
}

TEST_F(DoctorOutput, JsonHasEveryCheckOnceWithResultFindingAndRemedy) {
  const auto answer = ask_driver({"doctor", "--json"});
  EXPECT_EQ(answer.code, 4);
  const auto checks = json::parse(answer.out)["checks"];
  std::set<std::string> subjects;
  for (const auto& check : checks) {
    EXPECT_TRUE(subjects.insert(check["subject"].get<std::string>()).second) << check;
    EXPECT_THAT(check["result"].get<std::string>(), AnyOf("OK", "MISSING", "NOTE"));
    EXPECT_NE(check["finding"], "") << check;
    if (check["result"] == "OK") {
      EXPECT_EQ(check["remedy"], "") << check;
    }
  }
  for (const auto* subject : {"rank program", "studies", "gnuplot", "processor", "memory"})
    EXPECT_EQ(subjects.count(subject), 1U) << subject;
}

TEST_F(DoctorOutput, TextAndJsonAgree) {
  const auto text = ask_driver({"doctor"}).out;
  const auto checks = json::parse(ask_driver({"doctor", "--json"}).out)["checks"];
  for (const auto& check : checks) {
    const auto subject = check["subject"].get<std::string>();
    if (subject == "memory" || subject == "other work" || subject == "/dev/shm" ||
        subject == "leftovers")
      continue;  // change
    EXPECT_THAT(text, HasSubstr(check["finding"].get<std::string>() + "\n"));
  }
}

TEST_F(DoctorOutput, ColoursResultsOnATerminalOnly) {
  EXPECT_THAT(ask_driver({"doctor"}).out, Not(HasSubstr("\033")));
  EXPECT_THAT(on_a_terminal({"doctor"}), HasSubstr("\033[1;31mMISSING\033[0m  rank program"));
  EXPECT_THAT(on_a_terminal({"doctor"}), HasSubstr("\033[32mOK\033[0m       "));
  EXPECT_THAT(on_a_terminal({"doctor", "--no-color"}), Not(HasSubstr("\033")));
  EXPECT_THAT(on_a_terminal({"doctor", "--json"}), Not(HasSubstr("\033")));
  const ScopedVariable no_color("NO_COLOR", "1");
  EXPECT_THAT(on_a_terminal({"doctor"}), Not(HasSubstr("\033")));
}

TEST_F(DoctorOutput, MissingToolsAreNamedWithWhatInstallsThem) {
  const ScopedVariable path("PATH", "/nowhere");
  const auto checks = json::parse(ask_driver({"doctor", "--json"}).out)["checks"];
  int found = 0;
  for (const auto& check : checks) {
    if (check["subject"] != "gnuplot" && check["subject"] != "launcher mpirun") continue;
    ++found;
    EXPECT_EQ(check["result"], "MISSING") << check;
    EXPECT_THAT(check["finding"].get<std::string>() + check["remedy"].get<std::string>(),
                HasSubstr("apt-get install"));
  }
  EXPECT_EQ(found, 2);
}

TEST_F(DoctorOutput, TakesNoArguments) {
  const auto answer = ask_driver({"doctor", "please"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
}

}  // namespace
}  // namespace scalestudy
