#include "data/paired_names.hpp"

#include <string>

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

using Ends = std::set<std::string>;

TEST(PairedNames, FilesOfASampleDifferInTheirEnds) {
  const auto ends_of = [](const Ends& stems) {
    const auto found = files_of_samples(stems);
    return found ? found->ends : Ends();
  };
  EXPECT_EQ(ends_of({"a_1", "a_1_mask", "a_2", "a_2_mask", "a_3", "a_3_mask"}),
            Ends({"", "_mask"}));
  EXPECT_EQ(ends_of({"b (1)", "b (1)_m", "b (2)", "b (2)_m", "b (3)", "b (3)_m"}),
            Ends({"", "_m"}));
  EXPECT_EQ(ends_of({"f1-ch1sk1", "f1-ch2sk1", "f2-ch1sk1", "f2-ch2sk1", "f3-ch1sk1", "f3-ch2sk1"}),
            Ends({"-ch1sk1", "-ch2sk1"}));
  Ends nearly{"other_left"}, letters, numbers;
  for (const auto* sample : {"a", "b", "c", "d", "e"}) {
    for (const auto* end : {"_red", "_green", "_blue"}) nearly.insert(std::string(sample) + end);
    for (int i = 0; i < 9; ++i) letters.insert(std::string(sample) + "_z" + std::to_string(i));
    for (int i = 0; i < 2; ++i) numbers.insert(std::string(sample) + "_" + std::to_string(i));
  }
  EXPECT_EQ(files_of_samples(nearly)->samples, 5);
  nearly.insert("other_right");
  EXPECT_EQ(files_of_samples(nearly), std::nullopt) << "but 15 of 17";
  EXPECT_EQ(ends_of(letters), Ends()) << "too many ends";
  EXPECT_EQ(ends_of(numbers), Ends()) << "pictures of a patient";
  EXPECT_EQ(ends_of({"a_red", "a_green", "b_red", "b_green"}), Ends()) << "two samples";
  EXPECT_EQ(ends_of({"cell_a", "cell_b", "cell_c", "cell_d"}), Ends());
  EXPECT_EQ(ends_of({"cell_1_HE", "cell_2_HE", "cell_3_HE", "cell_4_HE"}), Ends());
  EXPECT_EQ(ends_of({"1", "2", "3", "4"}), Ends());
  EXPECT_EQ(ends_of({}), Ends());
}

}  // namespace
}  // namespace scalestudy
