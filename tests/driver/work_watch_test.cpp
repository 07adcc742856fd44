#include "driver/terminal/work_watch.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

std::string shown_after_quiet_start(Context context, std::ostringstream& err) {
  double time_s = 0;
  WorkWatch watch(context, [&] { return time_s; });
  const auto progress = watch.progress();
  time_s = 1.99;
  progress("packed", 99, 400);
  time_s = 2.01;
  progress("packed", 100, 400);
  time_s = 11.9;
  progress("packed", 101, 400);  // too soon after the first line for another
  return err.str();
}

TEST(WorkWatch, LongWorkSaysHowFarItIs) {
  std::ostringstream out;
  std::ostringstream err;
  const auto shown = shown_after_quiet_start({{}, "scalestudy", out, err}, err);
  EXPECT_THAT(shown, testing::MatchesRegex(".* 100 of 400 packed\n"));
  EXPECT_EQ(out.str(), "");
}

TEST(WorkWatch, QuietSaysNothing) {
  std::ostringstream out;
  std::ostringstream err;
  Context context{{}, "scalestudy", out, err};
  context.options.quiet = true;
  EXPECT_EQ(shown_after_quiet_start(context, err), "");
}

}  // namespace
}  // namespace scalestudy
