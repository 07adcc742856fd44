/// Foreground that training would not see, or would see otherwise than the study says.

#include <algorithm>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "data/source/image_source.hpp"
#include "data/source/prepare.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/unet/samples.hpp"

namespace scalestudy::unet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class UNetForeground : public ::testing::Test {
 protected:
  /// Of 32 × 32 pixels; `foreground_px` of the mask from the one of this number are foreground.
  void write(std::size_t number, int foreground_px) const {
    auto image = test::pattern(32, 32, 1);
    image.bytes[0] = std::byte(number);
    test::write_png(folder_ / "images" / cat(number, ".png"), image);
    auto mask = blank_image(32, 32, 1, SampleType::uint8);
    std::fill_n(mask.bytes.begin() + std::ptrdiff_t(number), foreground_px, std::byte{255});
    test::write_png(folder_ / "masks" / cat(number, ".png"), mask);
  }
  /// 30 samples: 24 train and 6 validate.
  [[nodiscard]] std::vector<std::string> warnings(bool of_training,
                                                  int foreground_px,
                                                  const std::string& settings) const {
    constexpr std::size_t samples = 30;
    for (std::size_t i = 0; i < samples; ++i) write(i, 512);
    const auto set = open_image_mask_set(folder_.path());
    const auto lists = sample_lists(*set, {});
    for (const auto i : of_training ? lists.training_once : lists.validation)
      write(std::stoul(set->mask_name(static_cast<std::size_t>(i)).substr(6)), foreground_px);
    RunSpec spec;
    spec.data.path = folder_.path().string();
    spec.workload_settings = settings;
    return data_warnings(spec);
  }
  TemporaryFolder folder_;
};

TEST_F(UNetForeground, PartsWithoutAnyAreSaidBeforeTraining) {
  EXPECT_THAT(warnings(true, 512, "{}"), testing::IsEmpty());
  EXPECT_THAT(warnings(false, 0, "{}"),
              ElementsAre(HasSubstr("No mask of the 6 validation samples has")));
  EXPECT_THAT(warnings(true, 0, "{}"),
              ElementsAre(HasSubstr("No mask of the 24 training samples has")));
  EXPECT_THAT(warnings(false, 1, R"({"size": [16, 16]})"),
              ElementsAre(HasSubstr("6 of 30 masks with foreground have none left when resized to"),
                          HasSubstr("No mask of the 6 validation samples has")));
}

TEST_F(UNetForeground, ThatResizingRemovesIsNotTakenForAThreshold) {
  for (std::size_t i = 0; i < 4; ++i) write(i, 1);
  const auto refusal = message_of([&] {
    return Samples(open_image_mask_set(folder_.path()), {.size = {16, 16}}, 0, {1}, "'here'");
  });
  EXPECT_THAT(
      refusal,
      HasSubstr("Resizing to 16 x 16 px removes the foreground of every mask that has some (4)"));
}

TEST_F(UNetForeground, OfAPackThatWasCutElsewhereIsRefused) {
  write(0, 512);
  const auto pack = (folder_ / "pack.h5").string();
  (void)prepare_pack(folder_.path(), {.out = pack, .mask_threshold_frac = 0.25}, [](auto...) {});
  const auto refusal_of = [&](double asked) {
    return message_of([&] { return open_set(pack, {.mask_threshold_frac = asked}); });
  };
  EXPECT_THAT(refusal_of(0.5), testing::AllOf(HasSubstr("above 0.25 of the largest"),
                                              HasSubstr("--mask-threshold 0.5")));
  EXPECT_THAT(refusal_of(0), HasSubstr("settings.mask_threshold_frac is 0"));
  for (const double as_made : {0.25, -1.0}) EXPECT_EQ(refusal_of(as_made), "accepted");
}

}  // namespace
}  // namespace scalestudy::unet
