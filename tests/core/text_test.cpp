#include "core/text.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Text, DurationsAreReadable) {
  EXPECT_EQ(human_duration(0.0123), "12.3 ms");
  EXPECT_EQ(human_duration(2551), "42 min 31 s");
  EXPECT_EQ(human_duration(5000), "1 h 23 min");
}

TEST(Text, BytesAreReadable) {
  EXPECT_EQ(human_bytes(3438084), "3.28 MiB");
}

TEST(Text, SplitKeepsEmptyPartsAndJoinRestores) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(join(split("a,,b", ','), ","), "a,,b");
}

TEST(Text, NearestSuggestsTyposButNotNonsense) {
  EXPECT_EQ(nearest("epoch", {"epochs", "seed"}), "epochs");
  EXPECT_EQ(nearest("zzzzzz", {"epochs", "seed"}), "");
}

}  // namespace
}  // namespace scalestudy
