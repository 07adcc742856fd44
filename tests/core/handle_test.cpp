#include "core/handle.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using ::testing::ElementsAre;

std::vector<int> closed;
void note(int id) noexcept {
  closed.push_back(id);
}
using Noted = Handle<int, note>;

class HandleTest : public ::testing::Test {
 protected:
  HandleTest() { closed.clear(); }
};

TEST_F(HandleTest, ClosesOnceAndNeverAnEmptyOne) {
  {
    const Noted none;
    EXPECT_FALSE(none);
    const Noted three(3);
    EXPECT_TRUE(three);
    EXPECT_EQ(three.get(), 3);
  }
  EXPECT_THAT(closed, ElementsAre(3));
}

TEST_F(HandleTest, MoveAssignmentReleasesFirst) {
  Noted one(1);
  Noted two(2);
  one = std::move(two);
  EXPECT_THAT(closed, ElementsAre(1));
  EXPECT_EQ(one.get(), 2);
  one.reset();
  one.reset();
  EXPECT_THAT(closed, ElementsAre(1, 2));
}

TEST_F(HandleTest, MoveConstructionTakesOver) {
  {
    Noted one(1);
    const Noted other(std::move(one));
    EXPECT_EQ(other.get(), 1);
  }
  EXPECT_THAT(closed, ElementsAre(1));
}

TEST_F(HandleTest, SelfMoveKeepsTheId) {
  Noted one(1);
  auto& same = one;
  one = std::move(same);
  EXPECT_EQ(one.get(), 1);
  EXPECT_TRUE(closed.empty());
}

}  // namespace
}  // namespace scalestudy
