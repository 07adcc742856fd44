#include "data/fixed_marks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/random.hpp"

#include "tests/data/masks.hpp"

namespace scalestudy {
namespace {

using namespace test::masks;

/// Of masks with a disc somewhere, and a bar of 4 x 20 pixels in `with_bar` of them.
std::string marks_note_of(int masks, int with_bar, bool is_centred = false) {
  std::vector<Image> all;
  for (int i = 0; i < masks; ++i) {
    Random random(static_cast<std::uint64_t>(i) + 3);
    const auto down = is_centred ? 32 : 10 + random.below(30), across = 10 + random.below(40);
    const auto radius = is_centred ? 10 + random.below(6) : 6;
    all.push_back(mask_of([&](auto y, auto x) {
      const auto dy = y - down, dx = x - (is_centred ? 32 : across);
      const bool is_bar = i < with_bar && y >= 56 && y < 60 && x >= 40 && x < 60;
      return std::vector{is_bar || dy * dy + dx * dx < radius * radius ? 255 : 0};
    }));
  }
  return fixed_marks_note(Masks(all), {});
}

TEST(FixedMarks, ABarInAllMasksIsFound) {
  EXPECT_EQ(marks_note_of(8, 8),
            "The same 80 pixels, at row 57 and column 41, are foreground in each of 8 masks with "
            "hardly any beside them: look whether a scale bar or a caption was saved with them.");
  EXPECT_EQ(marks_note_of(8, 7), "");
  EXPECT_EQ(marks_note_of(8, 0), "");
  EXPECT_EQ(marks_note_of(5, 5), "") << "few may be alike by chance";
}

TEST(FixedMarks, ObjectsThatOverlapAreNone) {
  EXPECT_EQ(marks_note_of(8, 0, true), "");
}

}  // namespace
}  // namespace scalestudy
