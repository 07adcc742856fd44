#include "workloads/resnet50/samples.hpp"

#include <set>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "study/workload_descriptor.hpp"

#include "data/source/image_source.hpp"
#include "data/source/prepare.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

const WorkloadDescriptor& resnet50_descriptor();

namespace resnet50 {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Every picture differs from every other one.
class ClassFolders : public ::testing::Test {
 protected:
  std::filesystem::path add(const std::string& split_and_class, int count) {
    std::filesystem::path last;
    for (int i = 0; i < count; ++i) {
      last = folder_.path() / split_and_class / cat("p", i, ".png");
      test::write_png(last, test::pattern(8, 8 + ++made_, 3));
    }
    return last;
  }
  [[nodiscard]] Samples divide(const Settings& settings = {}) const {
    return divide_samples(*open_class_set(folder_.path()), settings, "birds");
  }

  TemporaryFolder folder_;
  int made_ = 0;
};

TEST_F(ClassFolders, ValidFolderValidatesAndTestFolderTests) {
  for (const auto* bird : {"ALBATROSS", "ROBIN"}) {
    add(cat("train/", bird), 4);
    add(cat("valid/", bird), 2);
    add(cat("test/", bird), 1);
  }
  const auto samples = divide();
  EXPECT_EQ(samples.training.size(), 8U);
  EXPECT_EQ(samples.validation.size(), 4U);
  EXPECT_EQ(samples.test.size(), 2U);
  EXPECT_EQ(samples.validation_source, "valid");
}

TEST_F(ClassFolders, WithoutAValidFolderAPartOfTrainIsSetAside) {
  add("train/a", 12);
  add("train/b", 8);
  add("test/b", 3);
  Settings settings;
  settings.validation_frac = 0.2;
  const auto samples = divide(settings);
  EXPECT_EQ(samples.validation_source, "part of train");
  EXPECT_EQ(samples.training.size(), 16U);
  EXPECT_EQ(samples.validation.size(), 4U);
  EXPECT_EQ(samples.test.size(), 3U);
  std::set<std::int64_t> all(samples.training.begin(), samples.training.end());
  all.insert(samples.validation.begin(), samples.validation.end());
  all.insert(samples.test.begin(), samples.test.end());
  EXPECT_EQ(all.size(), 23U);
  EXPECT_EQ(divide(settings).validation, samples.validation);
  settings.split_seed = 2;
  EXPECT_NE(divide(settings).validation, samples.validation);
}

TEST_F(ClassFolders, WithoutATestFolderAPartOfTrainMayTest) {
  add("train/a", 12);
  add("train/b", 8);
  Settings settings;
  settings.validation_frac = 0.2;
  settings.test_frac = 0.2;
  const auto samples = divide(settings);
  EXPECT_EQ(samples.test_source, "part of train");
  EXPECT_EQ(samples.test.size(), 4U);
  EXPECT_EQ(samples.validation.size(), 4U);
  std::set<std::int64_t> all(samples.training.begin(), samples.training.end());
  all.insert(samples.validation.begin(), samples.validation.end());
  all.insert(samples.test.begin(), samples.test.end());
  EXPECT_EQ(all.size(), 20U);
  EXPECT_EQ(divide(Settings()).test_source, "none");
}

/// The only picture of a class is on one side of the split.
TEST_F(ClassFolders, ClassesThatCannotBeLearnedOrJudgedAreSaid) {
  add("train/a", 40);
  add("train/rare", 1);
  RunSpec spec;
  spec.data.path = folder_.path().string();
  std::set<std::string> said;
  for (int seed = 0; seed < 40; ++seed) {
    spec.workload_settings = cat(R"({"validation_frac": 0.5, "split_seed": )", seed, "}");
    const auto warnings = data_warnings(spec);
    ASSERT_EQ(warnings.size(), 1U);
    said.insert(warnings[0]);
  }
  EXPECT_THAT(said, testing::UnorderedElementsAre(
                        "Classes without a picture to train on: rare.",
                        "Classes without an evaluated picture: rare; no accuracy tells anything "
                        "about them."));
}

TEST_F(ClassFolders, CompleteClassesNeedNoWord) {
  for (const auto* split : {"train", "test"})
    for (const auto* bird : {"a", "b"}) add(cat(split, "/", bird), 12);
  RunSpec spec;
  spec.data.path = folder_.path().string();
  spec.workload_settings = "{}";
  EXPECT_THAT(data_warnings(spec), testing::IsEmpty());
  auto dark = blank_image(4, 4, 1, SampleType::uint16);
  dark.bytes[0] = std::byte{9};
  for (const auto* split : {"train", "test"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() / split))
      if (file.is_regular_file()) test::write_png(file.path(), dark);
  EXPECT_THAT(data_warnings(spec),
              testing::ElementsAre(HasSubstr("48 of 48 pictures are of 16 bit")));
}

TEST_F(ClassFolders, ClassesThatTheDataDoNotHaveAreRefused) {
  add("train/a", 2);
  add("train/b", 2);
  Settings settings;
  settings.classes = 285;
  EXPECT_THAT(message_of([&] { return divide(settings); }),
              AllOf(HasSubstr("settings.classes is 285, but 'birds' has 2")));
  settings.classes = 2;
  EXPECT_EQ(divide(settings).training.size() + divide(settings).validation.size(), 4U);
}

TEST_F(ClassFolders, OneClassIsNoTask) {
  add("train/a", 4);
  EXPECT_THAT(message_of([&] { return divide(); }), HasSubstr("has 1 class"));
}

TEST_F(ClassFolders, APlantedCopyOfATrainingPictureIsCaught) {
  add("train/a", 3);
  const auto original = add("train/b", 3);
  add("valid/a", 2);
  add("test/b", 2);
  const auto set = open_class_set(folder_.path());
  EXPECT_EQ(find_same_pictures(read_contents(*set, divide(), {}), {}).overlap, 0);
  for (const auto* place : {"valid/b", "test/b"}) {
    const auto copy = folder_.path() / place / "another name.png";
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::copy_file(original, copy);
    const auto spoilt = open_class_set(folder_.path());
    EXPECT_THAT(
        message_of([&] { return find_same_pictures(read_contents(*spoilt, divide(), {2}), {}); }),
        AllOf(HasSubstr("another name.png"), HasSubstr("'train/b/p2.png'")));
  }
  Settings settings;
  settings.evaluation_overlap = OverlapRule::record;
  const auto same =
      find_same_pictures(read_contents(*open_class_set(folder_.path()), divide(), {2}), settings);
  EXPECT_EQ(same.overlap, 2);
  EXPECT_EQ(same.evaluation_duplicates, 1);
  EXPECT_EQ(same.training_duplicates, 0);
}

TEST_F(ClassFolders, ATrainingPictureInTwoClassesIsCaught) {
  const auto original = add("train/a", 5);
  add("train/b", 5);
  std::filesystem::copy_file(original, folder_.path() / "train/b/copy.png");
  Settings settings{.validation_frac = 0.2};
  const auto set = open_class_set(folder_.path());
  auto samples = divide_samples(*set, settings, "folder");
  samples.training.insert(samples.training.end(), samples.validation.begin(),
                          samples.validation.end());
  samples.validation.clear();
  const auto contents = read_contents(*set, samples, {});
  EXPECT_THAT(message_of([&] { return find_same_pictures(contents, settings); }),
              AllOf(HasSubstr("'train/a/p4.png'"), HasSubstr("'train/b/copy.png'")));
  settings.evaluation_overlap = OverlapRule::record;
  EXPECT_EQ(find_same_pictures(contents, settings).training_duplicates, 1);
}

TEST_F(ClassFolders, PicturesOfAnySizeAndColourComeOutEqual) {
  test::write_png(folder_.path() / "train/a/grey.png", test::pattern(50, 30, 1));
  test::write_png(folder_.path() / "train/a/right.png", test::pattern(32, 40, 3));
  test::write_jpeg(folder_.path() / "train/b/large.jpg", test::smooth(90, 70, 3));
  const auto set = fitted_set(open_class_set(folder_.path()), {.size = {32, 40}});
  ASSERT_EQ(set->samples().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto image = set->read_image(i);
    EXPECT_EQ(image.height_px, 32);
    EXPECT_EQ(image.width_px, 40);
    EXPECT_EQ(image.channels, 3);
  }
  EXPECT_EQ(set->read_image(1), test::pattern(32, 40, 3));
}

TEST_F(ClassFolders, PicturesAreTheSameFromAPackAtTheirSize) {
  test::write_png(folder_.path() / "train/a/grey.png", test::pattern(50, 30, 1));
  test::write_png(folder_.path() / "train/a/deep.png",
                  test::pattern(31, 30, 1, SampleType::uint16));
  test::write_jpeg(folder_.path() / "train/b/large.jpg", test::smooth(90, 70, 3));
  for (const auto fit : {Fit::padded, Fit::stretched}) {
    const Settings settings{.size = {48, 40}, .fit = fit};
    const auto pack = folder_.path() / cat(fit, ".h5");
    (void)prepare_pack(folder_.path(), {.out = pack, .size = PictureSize{48, 40}, .fit = fit},
                       [](auto...) {});
    const auto packed = fitted_set(open_set(pack, settings), settings);
    const auto stored = fitted_set(open_set(folder_.path(), settings), settings);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(packed->read_image(i), stored->read_image(i)) << i << fit;
  }
}

TEST_F(ClassFolders, APackThatWasFittedOtherwiseIsRefusedWhenItsSamplesAreCounted) {
  add("train/a", 4);
  add("train/b", 4);
  const auto pack = folder_.path() / "padded.h5";
  (void)prepare_pack(folder_.path(), {.out = pack, .size = PictureSize{48, 48}, .fit = Fit::padded},
                     [](auto...) {});
  RunSpec spec;
  spec.data.path = pack;
  EXPECT_THAT(message_of([&] { return resnet50_descriptor().training_sample_count(spec); }),
              HasSubstr("are padded, settings.fit is stretched"));
  spec.workload_settings = R"({"fit": "padded"})";
  EXPECT_EQ(resnet50_descriptor().training_sample_count(spec), 7);
}

TEST_F(ClassFolders, TheDescriptorCountsWhatTrains) {
  add("train/a", 7);
  add("train/b", 3);
  RunSpec spec;
  spec.data.path = folder_.path();
  const auto& descriptor = resnet50_descriptor();
  EXPECT_EQ(descriptor.training_sample_count(spec), 9);
  add("valid/a", 1);
  EXPECT_EQ(descriptor.training_sample_count(spec), 10);
}

TEST_F(ClassFolders, APartOfTrainDoesNotTestBesideATestFolder) {
  add("train/a", 12);
  add("train/b", 8);
  Settings settings;
  settings.test_frac = 0.3;
  EXPECT_EQ(message_of([&] { return divide(settings); }), "accepted");
  add("test/b", 3);
  EXPECT_EQ(message_of([&] { return divide({}); }), "accepted");
  EXPECT_THAT(
      message_of([&] { return divide(settings); }),
      HasSubstr("settings.test_frac is 0.3, and acts only with data without a folder test"));
}

TEST_F(ClassFolders, AGoalIsOfAMetricThatTheClassesGive) {
  const auto refusal = [&](const std::string& metric) {
    RunSpec spec;
    spec.data.path = folder_.path();
    spec.quality.metric = metric;
    const auto message = message_of([&] { return data_warnings(spec); });
    EXPECT_EQ(message_of([&] { return count_training_samples(spec); }), message);
    return message;
  };
  for (const auto* bird : {"a", "b", "c", "d", "e"}) add(cat("train/", bird), 4);
  EXPECT_THAT(refusal("top5_frac"), HasSubstr("top5_frac is not measured with 5 classes"));
  EXPECT_EQ(refusal("top1_frac"), "accepted");
  add("train/f", 4);
  EXPECT_EQ(refusal("top5_frac"), "accepted");
}

TEST(ShippedCells, HaveNoPictureInBothTrainAndTest) {
  const auto set = open_class_set(test::in_sources("workloads/resnet50/data/bccd_cells"));
  const auto samples = divide_samples(*set, {}, "bccd_cells");
  EXPECT_EQ(set->class_names(), (std::vector<std::string>{"Platelets", "RBC", "WBC"}));
  EXPECT_EQ(samples.training.size() + samples.validation.size(), 892U);
  EXPECT_EQ(samples.test.size(), 209U);
  const auto same = find_same_pictures(read_contents(*set, samples, {}), {});
  EXPECT_EQ(same.overlap, 0);
  EXPECT_EQ(same.training_duplicates, 0);
  EXPECT_EQ(same.evaluation_duplicates, 0);
}

}  // namespace
}  // namespace resnet50
}  // namespace scalestudy
