#include "driver/terminal/work_watch.hpp"

#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

std::string shown_after_quiet_start(Context context, std::ostringstream& err) {
  WorkWatch watch(context);
  const auto progress = watch.progress();
  std::this_thread::sleep_for(Seconds(2.01));
  progress("packed", 100, 400);
  progress("packed", 101, 400);  // too soon after the first line for another
  return err.str();
}

TEST(WorkWatch, LongWorkSaysHowFarItIs) {
  std::ostringstream out;
  std::ostringstream err;
  const auto shown = shown_after_quiet_start({{}, "scalestudy", out, err}, err);
  EXPECT_THAT(shown, testing::EndsWith(" 100 of 400 packed\n"));
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
