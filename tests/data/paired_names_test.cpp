#include "data/paired_names.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using Stems = std::vector<std::string>;

FilesByStem files_by_stem(const Stems& stems) {
  FilesByStem files;
  for (const auto& stem : stems) files.emplace(stem, stem + ".png");
  return files;
}

struct NamePairs {
  Stems images;
  Stems masks;  ///< the partners, in this order
};

TEST(PairedNames, MasksMayBeginAndEndOtherwiseThanTheirImages) {
  for (const auto& [images, masks] :
       {NamePairs{{"img_01", "img_02"}, {"mask_01", "mask_02"}},
        NamePairs{{"img_17", "img_7"}, {"mask_17", "mask_7"}},
        NamePairs{{"t000", "t001"}, {"man_seg000", "man_seg001"}},
        NamePairs{{"a_1_image", "a_2_image"}, {"a_1_label", "a_2_label"}},
        NamePairs{{"case_1_0000", "case_2_0000"}, {"case_1", "case_2"}},
        NamePairs{{"img_3"}, {"mask_3"}}}) {
    const auto paired = with_other_ends(files_by_stem(images), files_by_stem(masks));
    ASSERT_TRUE(paired) << images[0];
    for (std::size_t i = 0; i < images.size(); ++i)
      EXPECT_EQ(paired->at(images[i]), masks[i] + ".png");
  }
}

TEST(PairedNames, NumbersAreNotTakenApart) {
  for (const auto& [images, masks] :
       {NamePairs{{"img_1", "img_2"}, {"mask_11", "mask_12"}},
        NamePairs{{"img_0", "img_1"}, {"mask_1", "mask_2"}},
        NamePairs{{"1_a", "2_a"}, {"10_b", "20_b"}}, NamePairs{{"img_1", "img_2"}, {"mask_1"}},
        NamePairs{{"image"}, {"label"}}, NamePairs{{"x_1", "x_2"}, {"x_1", "x_2"}}})
    EXPECT_FALSE(with_other_ends(files_by_stem(images), files_by_stem(masks))) << images[0];
}

}  // namespace
}  // namespace scalestudy
