#include "data/lsm_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lsm_info.hpp"

namespace scalestudy {
namespace {

using test::LsmInfo;
using testing::ElementsAre;
using testing::HasSubstr;

StackAxes axes(const LsmInfo& info, const LsmPages& pages) {
  const auto bytes = test::lsm_bytes(info);
  return lsm_axes(std::as_bytes(std::span(bytes)), pages);
}

TEST(LsmAxes, SlicesAreTheFastestAndTimesFollow) {
  const auto found = axes({.slices = 4, .times = 3, .scan = 6}, {20, 23, 9000});
  EXPECT_EQ(found, (StackAxes{.origin = "LSM header", .slices = 4, .times = 3, .planes = 12}));
  EXPECT_THAT(pages_of(found, 0, 1), ElementsAre(4, 5, 6, 7));
}

TEST(LsmAxes, PagesThatAreNoSlicesAreAProblem) {
  const LsmPages pages{20, 23, 9000};
  EXPECT_EQ(axes({.slices = 4}, pages).problem, "");
  EXPECT_THAT(axes({.slices = 4, .scan = 1}, pages).problem, HasSubstr("no slices of x and y"));
  EXPECT_THAT(axes({.slices = 4}, {20, 24, 9000}).problem, HasSubstr("no slices of x and y"));
  EXPECT_THAT(axes({.slices = 2, .positions = 2}, pages).problem, HasSubstr("has 2 positions"));
  EXPECT_THAT(axes({.slices = 4}, {20, 23, std::int64_t{1} << 32}).problem,
              HasSubstr("has more than 4 GiB"));
}

TEST(LsmAxes, TheFirstBytesSayWhatItIs) {
  const auto bytes = test::lsm_bytes({});
  const auto info = std::as_bytes(std::span(bytes));
  EXPECT_TRUE(is_lsm_info(info));
  EXPECT_FALSE(is_lsm_info(info.subspan(1)));
  EXPECT_FALSE(is_lsm_info(info.first(3)));
  for (std::size_t length = 0; length < info.size(); ++length)
    EXPECT_GE(lsm_axes(info.first(length), {20, 23, 9000}).planes, 1) << length;
}

}  // namespace
}  // namespace scalestudy
