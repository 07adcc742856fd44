#include "study/small_sets.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

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
