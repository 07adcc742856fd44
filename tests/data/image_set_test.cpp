#include "data/image_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/text.hpp"

#include "data/source/image_source.hpp"
#include "data/source/prepare.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using test::pattern;
using test::smooth;
using test::write_bytes;
using test::write_jpeg;
using test::write_png;

std::vector<std::string> ids_of(const ImageSet& set) {
  std::vector<std::string> ids;
  for (const auto& sample : set.samples()) ids.push_back(sample.id);
  return ids;
}

class ImageFolders : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path root_ = folder_.path();
};

// ---- images and masks
// ----------------------------------------------------------------------------

class ImageMaskSet : public ImageFolders {
 protected:
  void SetUp() override {
    write_png(root_ / "images/b.png", pattern(8, 9, 3));
    write_png(root_ / "masks/b.png", pattern(8, 9, 1));
    write_jpeg(root_ / "images/a.JPG", smooth(16, 5, 3));
    write_png(root_ / "masks/a.png", pattern(16, 5, 1, SampleType::uint16));
  }
  void expect_refused(const std::vector<std::string>& parts) {
    test::expect_refused([this] { (void)open_image_mask_set(root_); }, parts);
  }
};

TEST_F(ImageMaskSet, PairsByNameAndReadsMixedSizesAndFormats) {
  const auto set = open_image_mask_set(root_);
  EXPECT_EQ(set->samples(), (std::vector<SampleEntry>{{"images/a.JPG"}, {"images/b.png"}}));
  EXPECT_TRUE(set->class_names().empty());
  EXPECT_EQ(set->read_image(0).height_px, 16);
  EXPECT_TRUE(set->read_mask(0) == pattern(16, 5, 1, SampleType::uint16));
  EXPECT_TRUE(set->read_image(1) == pattern(8, 9, 3));
  EXPECT_TRUE(set->read_mask(1) == pattern(8, 9, 1));
}

TEST_F(ImageMaskSet, SortsByIdEvenWhereStemsSortOtherwise) {
  // '-' stands before '.', so that "c-1.png" < "c.png" although "c" < "c-1".
  for (const auto* name : {"c.png", "c-1.png"}) {
    write_png(root_ / "images" / name, pattern(4, 4, 1));
    write_png(root_ / "masks" / name, pattern(4, 4, 1));
  }
  EXPECT_EQ(
      ids_of(*open_image_mask_set(root_)),
      (std::vector<std::string>{"images/a.JPG", "images/b.png", "images/c-1.png", "images/c.png"}));
}

TEST_F(ImageMaskSet, SkipsClutterAndWhatStandsBeside) {
  write_bytes(root_ / "images/.DS_Store", "x");
  write_bytes(root_ / "images/Thumbs.db", "x");
  write_bytes(root_ / "masks/desktop.ini", "x");
  write_bytes(root_ / "masks/.hidden/x.png", "x");
  write_bytes(root_ / "README.md", "x");
  write_bytes(root_ / "other/z.png", "x");
  write_bytes(root_ / "__MACOSX/test/._z.png", "x");
  write_bytes(root_ / "images/@eaDir/z.png", "x");
  EXPECT_EQ(open_image_mask_set(root_)->samples().size(), 2U);
}

TEST_F(ImageMaskSet, PassesOverAndNamesWhatIsNoPicture) {
  write_bytes(root_ / "images/readme.txt", "x");
  write_bytes(root_ / "masks/labels.csv", "x");
  const auto set = open_image_mask_set(root_);
  EXPECT_EQ(set->samples().size(), 2U);
  EXPECT_EQ(set->passed_over(), (std::vector{(root_ / "images/readme.txt").string(),
                                             (root_ / "masks/labels.csv").string()}));
  EXPECT_EQ(set->notes(), std::vector<std::string>{"Passed over 2 files, by name no pictures: "
                                                   "'images/readme.txt', 'masks/labels.csv'."});
}

TEST_F(ImageMaskSet, CountsThePicturesOfSetsBesideIt) {
  for (const auto* file : {"val/images/1.png", "val/masks/1.png", "test/2.tif", "test/._2.tif",
                           "val_masks/1.png", "previews/3.png", "train/readme.txt"})
    write_bytes(root_ / file, "x");
  EXPECT_EQ(
      open_image_mask_set(root_)->notes(),
      std::vector<std::string>{"Only images and masks are used, not what stands beside them: "
                               "'test' (1 picture), 'val' (2 pictures), 'val_masks' (1 picture)."});
}

TEST_F(ImageMaskSet, EveryExtensionOfJpegIsRead) {
  for (const auto* name : {"c.jfif", "d.JPE"}) {
    write_jpeg(root_ / "images" / name, smooth(8, 8, 3));
    write_png(root_ / "masks" / fs::path(name).replace_extension(".png"), pattern(8, 8, 1));
  }
  const auto set = open_image_mask_set(root_);
  ASSERT_EQ(set->samples().size(), 4U);
  EXPECT_EQ(set->read_image(2).width_px, 8);
}

TEST_F(ImageMaskSet, PassesOverWhatCellposeFound) {
  write_bytes(root_ / "images/a_seg.npy", "x");
  EXPECT_EQ(open_image_mask_set(root_)->passed_over().size(), 1U);
  write_bytes(root_ / "images/a.npy", "x");
  expect_refused({"images/a.npy' is of a format that is not read"});
}

TEST_F(ImageMaskSet, OpeningDecodesNothing) {
  write_bytes(root_ / "images/b.png", "not a picture at all");
  const auto set = open_image_mask_set(root_);
  test::expect_refused([&] { (void)set->read_image(1); },
                       {"images/b.png", "not PNG, JPEG or TIFF"});
  EXPECT_EQ(set->read_image(0).width_px, 5);
}

TEST_F(ImageMaskSet, RefusesAnImageWithoutMask) {
  write_png(root_ / "images/lonely.png", pattern(4, 4, 1));
  expect_refused({"1 of 3 images", "no mask of the same name", "'lonely.png'"});
}

TEST_F(ImageMaskSet, RefusesAMaskWithoutImage) {
  for (int i = 0; i < 5; ++i)
    write_png(root_ / "masks" / ("left" + std::to_string(i) + ".png"), pattern(4, 4, 1));
  expect_refused({"5 of 7 masks", "no image of the same name", "'left0.png'", "and 2 more",
                  "may have been lost"});
  write_bytes(root_ / "images/left0", "x");
  expect_refused({"passed over was, as no picture by extension", "images/left0'"});
}

TEST_F(ImageMaskSet, NamesWhatSpoilsTheRuleThatOthersFollow) {
  const auto refused = [&](const std::string& images, const std::string& masks,
                           const std::vector<std::string>& parts) {
    fs::remove_all(root_);
    for (const auto& name : split(images, ','))
      write_png(root_ / "images" / (name + ".png"), pattern(4, 4, 1));
    for (const auto& name : split(masks, ','))
      write_png(root_ / "masks" / (name + ".png"), pattern(4, 4, 1));
    expect_refused(parts);
  };
  refused("1,2,3", "1_mask,2_mask,2_mask_1,3_mask",
          {"1 of 3 images", "has several masks", "'2_mask.png', '2_mask_1.png'"});
  refused("1,1_superpixels,2,2_superpixels", "1_seg,2_seg",
          {"2 of 4 images", "no mask of the same name and '_seg'", "'1_superpixels.png'"});
  refused("stack_a,stack_b", "p,q,r",
          {"2 of 2 images", "masks there are 'p.png', 'q.png', 'r.png'", "one and the same end"});
}

TEST_F(ImageMaskSet, SaysThatAccentsAreStoredInTwoWays) {
  write_png(root_ / "images/f\u00fcr.png", pattern(4, 4, 1));
  write_png(root_ / "masks/fu\u0308r.png", pattern(4, 4, 1));
  expect_refused({"images/f\u00fcr.png", "masks/fu\u0308r.png", "look alike", "NFD", "convmv"});
  fs::rename(root_ / "masks/fu\u0308r.png", root_ / "masks/fu\u0308n.png");
  expect_refused({"1 of 3 images", "no mask of the same name"});
}

TEST_F(ImageMaskSet, NamesTheFolderThatIsMeant) {
  for (const auto* place : {"sets/train", "sets/val"})
    for (const auto* name : {"images", "Labels"})
      write_png(root_ / place / name / "1.png", pattern(4, 4, 1));
  const auto meant = "Give unet '" + (root_ / "sets/train").string() + "', with its folders called";
  for (const auto* given : {"sets", "sets/train/images", "sets/train/images/", "sets/train"})
    test::expect_refused([&] { (void)open_image_mask_set(root_ / given); }, {meant});
  test::expect_refused([&] { (void)open_class_set(root_ / "sets"); },
                       {"sets/train' has folders of pictures", "no classes", meant});
}

TEST_F(ImageMaskSet, MasksMayHaveOneSuffixMore) {
  const auto set_of = [&](const std::vector<std::string>& images,
                          const std::vector<std::string>& masks) {
    const auto root = root_ / ("suffix" + masks.front());
    for (const auto& name : images) write_png(root / "images" / name, pattern(4, 4, 1));
    for (const auto& name : masks) write_png(root / "masks" / name, pattern(4, 4, 1));
    return open_image_mask_set(root);
  };
  const auto set = set_of({"1.png", "10.png"}, {"10_mask.tif", "1_mask.png"});
  EXPECT_EQ(set->mask_name(0), "masks/1_mask.png");
  EXPECT_EQ(set->mask_name(1), "masks/10_mask.tif");
  EXPECT_TRUE(set->notes().empty());
  const auto renamed = set_of({"img_1.png", "img_2.png"}, {"mask_1.tif", "mask_2.png"});
  EXPECT_EQ(renamed->mask_name(1), "masks/mask_2.png");
  EXPECT_NE(
      join(renamed->notes(), " ").find("'images/img_1.png' is paired with 'masks/mask_1.tif'"),
      std::string::npos);
  for (const auto& other : {std::vector<std::string>{"1_a.png", "10_b.png"}, {"2_mask.png"}})
    test::expect_refused(
        [&] {
          (void)set_of({"1.png", "10.png"}, other);
        },
        {"no mask of the same name"});
  test::expect_refused(
      [&] {
        (void)set_of({"img_1.png", "img_2.png"}, {"mask_0.png", "mask_1.png"});
      },
      {"images count from 1, masks from 0"});
  test::expect_refused(
      [&] {
        (void)set_of({"a.png", "b.png"}, {"a_0.png", "a_1.png", "b_0.png"});
      },
      {"'a.png' has 'a_0.png', 'a_1.png'", "Keep one mask of each picture"});
}

TEST_F(ImageMaskSet, RefusesTwoFilesOfOneName) {
  write_jpeg(root_ / "images/b.jpg", smooth(8, 9, 3));
  expect_refused({"images/b.jpg", "images/b.png", "differ only in their extension"});
  fs::remove(root_ / "images/b.jpg");
  write_png(root_ / "masks/a.jpeg", pattern(8, 9, 1));
  expect_refused({"masks/a.jpeg", "masks/a.png", "differ only in their extension"});
}

TEST_F(ImageMaskSet, RefusesWhatIsNoPicture) {
  write_bytes(root_ / "images/c.bmp", "x");
  expect_refused({"images/c.bmp", "format that is not read"});
  fs::remove(root_ / "images/c.bmp");
  write_bytes(root_ / "masks/more/x.png", "x");
  expect_refused({"masks/more", "is a folder among pictures"});
  fs::remove_all(root_ / "masks/more");
  fs::create_symlink(root_ / "nowhere.png", root_ / "images/broken.png");
  expect_refused({"images/broken.png", "is a link to nothing"});
  fs::remove(root_ / "images/broken.png");
  ASSERT_EQ(::mkfifo((root_ / "images/pipe.png").c_str(), 0600), 0);
  expect_refused({"images/pipe.png", "is no file"});
}

TEST_F(ImageMaskSet, RefusesAFolderThatIsALinkToNothing) {
  fs::rename(root_ / "masks", root_ / "elsewhere");
  fs::create_directory_symlink("elsewhere", root_ / "masks");
  EXPECT_EQ(open_image_mask_set(root_)->samples().size(), 2U);
  fs::remove_all(root_ / "elsewhere");
  expect_refused({"/masks' is a link to nothing"});
}

TEST_F(ImageMaskSet, RefusesNamesThatAreNotOneLine) {
  write_png(root_ / "images/c\n1.png", pattern(4, 4, 1));
  expect_refused({"'c\\u000a1.png' in ", "control character"});
}

TEST_F(ImageMaskSet, RefusesMissingAndEmptyFolders) {
  test::expect_refused([this] { (void)open_image_mask_set(root_ / "nowhere"); },
                       {"nowhere", "does not exist"});
  test::expect_refused([this] { (void)open_image_mask_set(root_ / "images/b.png"); },
                       {"b.png", "is not a folder"});
  test::expect_refused([this] { (void)open_image_mask_set(root_ / "images"); },
                       {"has no folder 'images'"});
  fs::remove_all(root_ / "masks");
  expect_refused({"has no folder 'masks'"});
  fs::create_directory(root_ / "masks");
  fs::remove_all(root_ / "images");
  fs::create_directory(root_ / "images");
  expect_refused({"images", "has no pictures"});
}

TEST_F(ImageMaskSet, AFileThatVanishesOrIsCutAfterOpeningIsNamed) {
  const auto set = open_image_mask_set(root_);
  fs::resize_file(root_ / "masks/a.png", 60);
  test::expect_refused([&] { (void)set->read_mask(0); }, {"masks/a.png", "damaged or truncated"});
  fs::remove(root_ / "images/b.png");
  test::expect_refused([&] { (void)set->read_image(1); }, {"images/b.png", "does not exist"});
  fs::create_directory(root_ / "images/b.png");
  test::expect_refused([&] { (void)set->read_image(1); }, {"images/b.png", "not a regular file"});
}

TEST_F(ImageMaskSet, AFileWithoutPermissionIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto set = open_image_mask_set(root_);
  fs::permissions(root_ / "images/b.png", fs::perms::none);
  test::expect_refused([&] { (void)set->read_image(1); }, {"images/b.png", "Permission denied"});
}

// ---- classes
// -------------------------------------------------------------------------------------

class ClassSet : public ImageFolders {
 protected:
  void SetUp() override {
    add("train/wren/1.jpg");
    add("train/wren/2.png");
    add("train/Auk/1.jpeg");
    add("train/owl/1.jpg");
    add("valid/owl/1.jpg");
    add("test/owl/9.jpg");
    add("test/wren/1.jpg");
  }
  void add(const std::string& id) {
    if (id.ends_with(".png"))
      write_png(root_ / id, pattern(8, 8, 1));
    else
      write_jpeg(root_ / id, smooth(8, 8, 3));
  }
  void expect_refused(const std::vector<std::string>& parts) {
    test::expect_refused([this] { (void)open_class_set(root_); }, parts);
  }
};

TEST_F(ClassSet, ListsSplitsAndLabelsById) {
  const auto set = open_class_set(root_);
  EXPECT_EQ(set->class_names(), (std::vector<std::string>{"Auk", "owl", "wren"}));
  EXPECT_EQ(set->samples(), (std::vector<SampleEntry>{{"test/owl/9.jpg", "test", 1},
                                                      {"test/wren/1.jpg", "test", 2},
                                                      {"train/Auk/1.jpeg", "train", 0},
                                                      {"train/owl/1.jpg", "train", 1},
                                                      {"train/wren/1.jpg", "train", 2},
                                                      {"train/wren/2.png", "train", 2},
                                                      {"valid/owl/1.jpg", "valid", 1}}));
  EXPECT_TRUE(set->read_image(5) == pattern(8, 8, 1));
  EXPECT_EQ(set->read_image(0).channels, 3);
}

TEST_F(ClassSet, TrainAloneIsEnoughAndClutterIsSkipped) {
  fs::remove_all(root_ / "valid");
  fs::remove_all(root_ / "test");
  write_bytes(root_ / "birds.csv", "x");
  write_bytes(root_ / ".cache/x", "x");
  write_bytes(root_ / "train/.DS_Store", "x");
  write_bytes(root_ / "train/owl/Thumbs.db", "x");
  write_bytes(root_ / "__MACOSX/train/owl/._1.jpg", "x");
  write_bytes(root_ / "train/__MACOSX/owl/._1.jpg", "x");
  write_bytes(root_ / "train/owl/@eaDir/1.jpg", "x");
  EXPECT_EQ(open_class_set(root_)->samples().size(), 4U);
}

TEST_F(ClassSet, RefusesAClassWithoutPictures) {
  fs::create_directory(root_ / "train/robin");
  expect_refused({"train/robin", "has no pictures"});
  write_bytes(root_ / "train/robin/.hidden.jpg", "x");
  expect_refused({"train/robin", "has no pictures"});
}

TEST_F(ClassSet, RefusesAClassThatTrainDoesNotHave) {
  add("test/swan/1.jpg");
  expect_refused({"Class 'swan'", "test", "missing in train"});
}

TEST_F(ClassSet, SaysThatAccentsAreStoredInTwoWays) {
  add("train/gar\u00e7a/1.jpg");
  add("test/garc\u0327a/1.jpg");
  expect_refused({"test/garc\u0327a' and", "train/gar\u00e7a' look alike", "convmv"});
}

TEST_F(ClassSet, RefusesMisspeltSplitsAndPicturesWithoutClass) {
  add("validation/owl/1.jpg");
  expect_refused({"validation", "none of the folders train, valid, test"});
  fs::remove_all(root_ / "validation");
  add("test/1.jpg");
  expect_refused({"test/1.jpg", "is in no class folder"});
  for (const auto* name : {"1_mask", "2", "2_mask"}) add(cat("test/", name, ".jpg"));
  expect_refused({"test' has masks beside pictures", "images/"});
}

TEST_F(ClassSet, PassesOverAFolderWithoutPictures) {
  write_bytes(root_ / "annotations/a.xml", "x");
  EXPECT_THAT(open_class_set(root_)->notes(),
              testing::ElementsAre(
                  testing::HasSubstr("Passed over 1 file, by name no picture: 'annotations/'")));
}

TEST_F(ClassSet, SaysHowClassFoldersComeIntoTrain) {
  add("flat/wren/1.jpg");
  add("flat/owl/1.jpg");
  const auto* const command = "mkdir .train && mv */ .train && mv .train train";
  const auto refused = [&](const std::vector<std::string>& parts) {
    test::expect_refused([&] { (void)open_class_set(root_ / "flat"); }, parts);
  };
  refused({"is none of the folders train, valid, test", command});
  test::expect_refused([&] { (void)kind_of_source(root_ / "flat"); }, {"nor train/", command});
  for (const auto* other : {"notes/deep", "JPEGImages"}) {
    add(cat("flat/", other, "/1.jpg"));
    refused({"Rename it, or move it elsewhere"});
    fs::remove_all(root_ / "flat" / fs::path(other).begin()->string());
  }
}

TEST_F(ClassSet, FoldersInCapitalsAreNamed) {
  add("set/Images/1.jpg");
  test::expect_refused([&] { (void)kind_of_source(root_ / "set"); },
                       {"has 'Images', and no 'images'", "Rename it to 'images'"});
}

TEST_F(ClassSet, FoldersOfOnePictureEachAreNoSet) {
  for (const auto* id : {"a1", "b2"})
    for (const auto* file : {"images/x.png", "masks/x_0.png", "masks/x_1.png"})
      add(cat("set/", id, "/", file));
  test::expect_refused(
      [&] { (void)kind_of_source(root_ / "set"); },
      {"has 2 folders with images/ and masks/ of their own", "Keep one mask of each picture"});
}

TEST_F(ClassSet, RefusesLinksToNothingAndSplitsWithoutClasses) {
  for (const auto* place : {"valid", "train/wren", "train/robin"}) {
    const auto kept = root_ / ".kept";
    if (fs::exists(root_ / place)) fs::rename(root_ / place, kept);
    fs::create_directory_symlink("nowhere", root_ / place);
    expect_refused({std::string(place) + "' is a link to nothing"});
    fs::remove(root_ / place);
    if (fs::exists(kept)) fs::rename(kept, root_ / place);
  }
  fs::remove_all(root_ / "valid");
  fs::create_directory(root_ / "valid");
  expect_refused({"valid' has no class folders"});
  fs::remove(root_ / "valid");
  write_bytes(root_ / "valid", "x");
  expect_refused({"valid' is no folder"});
}

TEST_F(ClassSet, ClassesInAClassFolderAreToBeMoved) {
  add("train/images/wren/1.jpg");
  expect_refused({"train/images/wren' is a folder among pictures"});
  add("train/images/owl/1.jpg");
  expect_refused({"train/images' has 2 folders and no pictures", "would be one class",
                  "move them into '" + (root_ / "train").string() + "'"});
  fs::remove_all(root_ / "train/images");
  add("train/hawk/images/1.jpg");
  add("train/hawk/masks/1.jpg");
  expect_refused({"train/hawk' has folders of pictures and of masks", "and its masks elsewhere"});
  fs::remove_all(root_ / "train/hawk/masks");
  expect_refused({"train/hawk/images' is a folder among pictures"});
}

TEST_F(ClassSet, SaysThatFilesAreOfOneSample) {
  const auto notes = [this] { return open_class_set(root_)->notes(); };
  for (const auto* sample : {"a_1", "a_2", "a_3"})
    for (const auto* end : {"_red", "_green"}) add(cat("train/hawk/", sample, end, ".png"));
  for (const auto* sample : {"b-1", "b-2", "b-3", "b-4"})
    for (const auto* end : {".png", "-ch2.png"}) add(cat("train/finch/", sample, end));
  EXPECT_THAT(
      notes(),
      testing::ElementsAre(
          "14 pictures seem to be of 7 samples: names in 'train/finch' differ in their ends "
          "('', '-ch2'). Each file counts as a picture, so that one sample may be trained "
          "and evaluated on."));
  fs::remove_all(root_ / "train/finch");
  fs::remove(root_ / "train/hawk/a_3_red.png");
  EXPECT_THAT(notes(), testing::IsEmpty());
  for (const auto& [more, words] :
       {std::pair{"thumb_b1,thumb_b2,thumb_b3", "differ in their beginnings ('', 'thumb_')"},
        std::pair{"b1 (1),b2 (1),b3 (1)", "differ in their ends ('', ' (1)')"}}) {
    for (const auto& name : split(cat("b1,b2,b3,", more), ','))
      add(cat("train/kite/", name, ".png"));
    EXPECT_THAT(notes(), testing::ElementsAre(testing::AllOf(
                             testing::HasSubstr("6 pictures seem to be of 3 samples"),
                             testing::HasSubstr(words))));
    fs::remove_all(root_ / "train/kite");
  }
  for (const auto* name : {"b1.png", "b1.jpg", "b2.png"}) add(cat("train/kite/", name));
  EXPECT_THAT(notes(),
              testing::ElementsAre(testing::HasSubstr("2 pictures seem to be of 1 sample: names in "
                                                      "'train/kite', such as 'b1', differ in their "
                                                      "extension alone")));
  fs::remove_all(root_ / "train/kite");
  for (const auto* sample : {"a (1)", "a (2)", "a (3)"})
    for (const auto* end : {"", "_mask"}) add(cat("train/kite/", sample, end, ".png"));
  expect_refused({"train/kite' has masks beside pictures: 'a (1)_mask', 'a (2)_mask'"});
  fs::remove_all(root_ / "train/kite");
  for (const auto* masks :
       {"b1_mask,b2_mask", "b1_mask,b1_mask_1", "mask_b1,label-b2", "b1.gt,b2.gt"}) {
    for (const std::string name : {"b1", "b2", "b3", "b4"}) add(cat("train/kite/", name, ".png"));
    for (const auto& name : split(masks, ',')) add(cat("train/kite/", name, ".png"));
    expect_refused({"train/kite' has masks beside pictures"});
    fs::remove_all(root_ / "train/kite");
  }
  for (const auto* sample : {"c 1", "c 2", "c 3"})
    for (const auto* end : {"_rgb", "_mask"}) add(cat("train/kite/", sample, end, ".png"));
  expect_refused({"train/kite' has masks beside pictures, called '_mask'"});
  fs::remove_all(root_ / "train/kite");
  for (const auto* name : {"b1", "b1_mask", "b2", "mask_b3"}) add(cat("train/kite/", name, ".png"));
  EXPECT_NO_THROW((void)open_class_set(root_)) << "one may be a picture of that name";
}

TEST_F(ClassSet, NamesTheFolderThatIsMeant) {
  const auto meant = "Give resnet50 '" + root_.string() + "', which holds it";
  for (const auto* given : {"train", "test/"})
    test::expect_refused([&] { (void)open_class_set(root_ / given); }, {meant});
}

TEST_F(ClassSet, RefusesWhatIsNoPictureInAClass) {
  write_bytes(root_ / "valid/owl/1.webp", "x");
  expect_refused({"valid/owl/1.webp", "format that is not read"});
  fs::remove(root_ / "valid/owl/1.webp");
  add("train/owl/young/1.jpg");
  expect_refused({"train/owl/young", "is a folder among pictures"});
}

TEST_F(ClassSet, PassesOverAndNamesWhatIsNoPicture) {
  const auto count = open_class_set(root_)->samples().size();
  write_bytes(root_ / "valid/owl/labels.csv", "x");
  write_bytes(root_ / "train/readme.txt", "x");
  const auto set = open_class_set(root_);
  EXPECT_EQ(set->samples().size(), count);
  EXPECT_EQ(set->passed_over(), (std::vector{(root_ / "train/readme.txt").string(),
                                             (root_ / "valid/owl/labels.csv").string()}));
}

TEST_F(ClassSet, RefusesAFolderWithoutTrain) {
  fs::remove_all(root_ / "train");
  expect_refused({"has no folder 'train'"});
  fs::create_directory(root_ / "train");
  expect_refused({"train", "has no class folders"});
  test::expect_refused([this] { (void)open_class_set(root_ / "nowhere"); }, {"does not exist"});
}

}  // namespace
}  // namespace scalestudy
