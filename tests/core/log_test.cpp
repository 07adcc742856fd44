#include "core/log.hpp"

#include <ctime>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

std::string everything_at(Verbosity verbosity, const std::string& prefix = "") {
  std::ostringstream out;
  Log log(out, verbosity, prefix);
  log.error("e");
  log.warning("w");
  log.info("i");
  log.detail("d");
  return out.str();
}

TEST(Log, QuietShowsErrorsOnly) {
  EXPECT_EQ(everything_at(Verbosity::quiet), "error: e\n");
}

TEST(Log, NormalKeepsDetailsBack) {
  EXPECT_EQ(everything_at(Verbosity::normal), "error: e\nwarning: w\ni\n");
}

TEST(Log, VerboseShowsAll) {
  EXPECT_EQ(everything_at(Verbosity::verbose), "error: e\nwarning: w\ni\nd\n");
}

TEST(Log, ThePrefixStandsBeforeTheLabelOfEachLine) {
  EXPECT_EQ(everything_at(Verbosity::verbose, "rank 2: "),
            "rank 2: error: e\nrank 2: warning: w\nrank 2: i\nrank 2: d\n");
}

TEST(Log, LinesOfSeveralThreadsStayWhole) {
  std::ostringstream out;
  Log log(out, Verbosity::normal, "p ");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 200; ++i) log.info("0123456789");
      });
    }
  }
  auto lines = split(out.str(), '\n');
  ASSERT_EQ(lines.size(), 801U);
  lines.pop_back();
  for (const auto& line : lines) EXPECT_EQ(line, "p 0123456789");
}

TEST(Clock, TimestampsAreIso8601InUtc) {
  const auto text = utc_timestamp();
  EXPECT_TRUE(std::regex_match(text, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << text;
}

TEST(Clock, TimestampsIgnoreTheLocalTimeZone) {
  ::setenv("TZ", "XYZ-11", 1);
  ::tzset();
  const auto before = std::time(nullptr);
  const auto text = utc_timestamp();
  const auto after = std::time(nullptr);
  ::unsetenv("TZ");
  ::tzset();
  std::tm parsed{};
  ASSERT_NE(::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed), nullptr);
  const auto told = ::timegm(&parsed);
  EXPECT_GE(told, before);
  EXPECT_LE(told, after);
}

TEST(Clock, NeverGoesBack) {
  const Stopwatch watch;
  double last = 0;
  for (int i = 0; i < 1000; ++i) {
    const double now = watch.elapsed_s();
    EXPECT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace scalestudy
