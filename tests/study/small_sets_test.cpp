#include "study/small_sets.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

/// Better at all n samples: each of two equal models has this chance of 2⁻ⁿ.
TEST(SmallSets, TheLimitIsWhereASignTestCanTellAnything) {
  const auto p_value = [](std::int64_t n) { return 2 * std::pow(0.5, double(n)); };
  EXPECT_GT(p_value(fewest_comparable_samples - 1), 0.05);
  EXPECT_LT(p_value(fewest_comparable_samples), 0.05);
}

TEST(SmallSets, AreSaidBelowTheLimitOnly) {
  EXPECT_EQ(small_set_warning(6, "test"), "");
  EXPECT_EQ(small_set_warning(100000, "test"), "");
  EXPECT_EQ(small_set_warning(5, "test"),
            "The evaluation set is small: on 5 test samples chance alone can make either model "
            "better at every one. Evaluate more before you compare models.");
  EXPECT_NE(small_set_warning(1, "validation").find("on 1 validation sample chance"),
            std::string::npos);
}

}  // namespace
}  // namespace scalestudy
