#include "comm/reduction.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace scalestudy {
namespace {

TEST(Reduction, OutMayBeEitherInput) {
  std::vector<float> left{1, -2, 3};
  std::vector<float> right{10, 20, -30};
  combine(view_of(std::span(left)), view_of(std::span(left)), view_of(std::span(right)),
          ReduceOp::sum);
  EXPECT_EQ(left, (std::vector<float>{11, 18, -27}));
  combine(view_of(std::span(right)), view_of(std::span(left)), view_of(std::span(right)),
          ReduceOp::min);
  EXPECT_EQ(right, (std::vector<float>{10, 18, -30}));
}

TEST(Reduction, BytesWrap) {
  std::vector<std::uint8_t> values{200, 1};
  combine(view_of(std::span(values)), view_of(std::span(values)), view_of(std::span(values)),
          ReduceOp::sum);
  EXPECT_EQ(values, (std::vector<std::uint8_t>{144, 2}));
}

TEST(Reduction, NumbersOf16BitsAreRoundedOncePerSum) {
  std::vector<Float16> left{rounded_to<Float16>(2048), rounded_to<Float16>(-2)};
  std::vector<Float16> right{rounded_to<Float16>(3), rounded_to<Float16>(5)};
  const auto out = view_of(std::span(left));
  combine(out, out, view_of(std::span(right)), ReduceOp::sum);
  EXPECT_EQ(wide(left[0]), 2052);  // 2051 is as near to 2050: the even one
  EXPECT_EQ(wide(left[1]), 3);
  combine(out, out, view_of(std::span(right)), ReduceOp::max);
  EXPECT_EQ(wide(left[1]), 5);
}

TEST(Reduction, DifferentCountsAreABug) {
  std::vector<float> three(3);
  std::vector<float> two(2);
  EXPECT_THROW(combine(view_of(std::span(three)), view_of(std::span(three)),
                       view_of(std::span(two)), ReduceOp::sum),
               InternalError);
}

TEST(Reduction, PartCountsElements) {
  std::vector<double> values{0, 1, 2, 3};
  const BufferView part = part_of(view_of(std::span(values)), 1, 2);
  EXPECT_EQ(part.data, values.data() + 1);
  EXPECT_EQ(part.bytes(), ByteCount(16));
}

}  // namespace
}  // namespace scalestudy
