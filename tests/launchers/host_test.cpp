#include "launchers/host.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Host, HasAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace scalestudy
