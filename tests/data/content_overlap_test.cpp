#include "data/content_overlap.hpp"

#include <gtest/gtest.h>

#include "data/resize.hpp"
#include "data/source/image_source.hpp"

#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using Pairs = std::vector<EqualContent>;

TEST(ContentOverlap, FindsThePlantedPicturesUnderOtherNamesAndFormats) {
  const TemporaryFolder folder;
  const auto picture = [](std::int64_t which) { return test::pattern(8 + which, 9, 3); };
  const auto& root = folder.path();
  test::write_png(root / "train/a/1.png", picture(1));
  test::write_png(root / "train/a/2.png", picture(2));
  test::write_png(root / "train/b/3.png", picture(1));
  test::write_png(root / "train/b/4.png", picture(4));
  test::write_png(root / "test/a/5.png", picture(5));
  test::write_png(root / "test/b/6.png", picture(4));
  test::write_png(root / "test/b/7.png", picture(1));
  const auto set = open_class_set(root);
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
  for (std::size_t i = 0; i < set->samples().size(); ++i)
    (set->samples()[i].split == "train" ? train : test).push_back(static_cast<std::int64_t>(i));
  const auto train_ids = content_ids(*set, train, {});
  const auto test_ids = content_ids(*set, test, {2});
  EXPECT_EQ(find_duplicates(train_ids), (Pairs{{"train/a/1.png", "train/b/3.png"}}));
  EXPECT_EQ(find_duplicates(test_ids), Pairs{});
  EXPECT_EQ(find_overlap(train_ids, test_ids),
            (Pairs{{"train/b/4.png", "test/b/6.png"}, {"train/a/1.png", "test/b/7.png"}}));
}

TEST(ContentOverlap, GreyIsTheSameInOneChannelAndInThree) {
  const auto grey = test::pattern(4, 5, 1);
  EXPECT_EQ(picture_hash(with_channels(grey, 3)), picture_hash(grey));
  EXPECT_NE(picture_hash(test::pattern(4, 5, 3)), picture_hash(grey));
}

TEST(ContentOverlap, EqualPicturesOfTwoClassesContradictEachOther) {
  const Pairs within{{"train/a/1.png", "train/a/2.png"}, {"train/a/1.png", "test/a/2.png"}};
  const Pairs across{{"train/a/1.png", "train/b/1.png"}, {"train/a/1.png", "test/b/1.png"}};
  EXPECT_EQ(in_two_classes(within), Pairs{});
  EXPECT_EQ(in_two_classes(across), across);
}

TEST(ContentOverlap, DifferentPicturesAreNone) {
  const std::vector<ContentId> first{{"a", 1}, {"b", 2}};
  const std::vector<ContentId> second{{"c", 3}};
  EXPECT_EQ(find_overlap(first, second), Pairs{});
  EXPECT_EQ(find_duplicates(first), Pairs{});
  EXPECT_EQ(find_duplicates({}), Pairs{});
}

TEST(ContentOverlap, ThreeEqualOnesAreTwoPairs) {
  const std::vector<ContentId> group{{"a", 1}, {"b", 1}, {"c", 1}};
  EXPECT_EQ(find_duplicates(group), (Pairs{{"a", "b"}, {"a", "c"}}));
}

TEST(ContentOverlap, EveryMemberOfTheSecondIsNamedWithTheFirstItEquals) {
  const std::vector<ContentId> first{{"a", 1}, {"b", 1}, {"c", 2}};
  const std::vector<ContentId> second{{"x", 2}, {"y", 1}, {"z", 1}, {"w", 9}};
  EXPECT_EQ(find_overlap(first, second), (Pairs{{"c", "x"}, {"a", "y"}, {"a", "z"}}));
  EXPECT_EQ(find_overlap({}, second), Pairs{});
  EXPECT_EQ(find_overlap(first, {}), Pairs{});
}

TEST(ContentOverlap, IdsAreThoseOfTheAskedSamplesInTheirOrder) {
  const TemporaryFolder folder;
  for (const auto* name : {"1", "2", "3"})
    test::write_png(folder.path() / "train/a" / (std::string(name) + ".png"),
                    test::pattern(4, 4 + name[0], 1));
  const auto set = open_class_set(folder.path());
  for (const std::int64_t threads : {1, 3}) {
    const auto ids = content_ids(*set, std::vector<std::int64_t>{2, 0}, {threads});
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_EQ(ids[0].id, "train/a/3.png");
    EXPECT_EQ(ids[1].id, "train/a/1.png");
    EXPECT_EQ(ids[1].content_hash, content_hash(test::pattern(4, 4 + '1', 1)));
  }
}

}  // namespace
}  // namespace scalestudy
