#include "data/scan_image_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Of a version since 2019, with two channels.
std::string header(const std::string& stack) {
  return "SI.VERSION_MAJOR = 2023\nSI.hChannels.channelSave = [1;2]\n" + stack +
         "\nSI.imagingSystem = 'R'\n";
}

StackAxes axes_of_header(const std::string& text, std::int64_t pages) {
  return scan_image_axes(text, pages).value_or(StackAxes{.problem = "no header"});
}

TEST(ScanImageAxes, OtherTextsAreNone) {
  for (const auto* text :
       {"", "SI.hStackManager.numSlices = 3", "MySI.hChannels.channelSave = [1;2]",
        "SI.hChannels.channelSaveAll = [1;2]", "{\"shape\": [3, 4]}"})
    EXPECT_FALSE(scan_image_axes(text, 12)) << text;
}

TEST(ScanImageAxes, ChannelsTakeTurnsAndOtherPagesAreSlicesWhereNothingElseIsSaid) {
  for (const auto* text :
       {"SI.VERSION_MAJOR = 5.6\nSI.hChannels.channelSave = [1;2]\nSI.x = 1",
        "SI.hChannels.channelSave = [1 3]\n", "scanimage.SI.hChannels.channelSave = [1;2]\n",
        "scanimage.SI4.channelsSave = [1;4]\r\n",
        "state.configPath=''\rstate.acq.numberOfChannelsSave=2\rstate.x=1"})
    EXPECT_EQ(axes_of_header(text, 24),
              (StackAxes{.origin = scan_image_origin, .channels = 2, .slices = 12, .planes = 24}))
        << text;
  EXPECT_EQ(axes_of_header("SI.hChannels.channelSave = 3\n", 24).slices, 24) << "the third alone";
}

TEST(ScanImageAxes, APageThatIsMissingIsCounted) {
  EXPECT_EQ(axes_of_header("SI.hChannels.channelSave = [1;3]\n", 19).planes, 20);
  const auto axes = axes_of_header(
      header("SI.hStackManager.enable = true\nSI.hStackManager.actualNumSlices = 5"), 12);
  EXPECT_EQ(axes.planes, 20) << "two volumes, of which the second is cut";
}

TEST(ScanImageAxes, FramesOfASliceAreTimePoints) {
  const auto axes = axes_of_header(header("SI.hStackManager.enable = true\n"
                                          "SI.hStackManager.framesPerSlice = 3\n"
                                          "SI.hStackManager.actualNumSlices = 4"),
                                   24);
  EXPECT_EQ(axes.slices, 4);
  EXPECT_EQ(axes.times, 3);
  EXPECT_EQ(axes.problem, "");
  EXPECT_THAT(pages_of(axes, 0, 0), ElementsAre(0, 6, 12, 18));
  EXPECT_THAT(pages_of(axes, 1, 2), ElementsAre(5, 11, 17, 23));
}

TEST(ScanImageAxes, VolumesAreTimePointsAndTheirFlybackIsLeftOut) {
  const auto* const since_2019 =
      "SI.hStackManager.enable = true\nSI.hStackManager.actualNumSlices = 3\n"
      "SI.hStackManager.framesPerSlice = 2\nSI.hStackManager.numFramesPerVolume = 6\n"
      "SI.hStackManager.numFramesPerVolumeWithFlyback = 7";
  const auto axes = axes_of_header(header(since_2019), 28);
  EXPECT_EQ(axes.times, 4) << "two frames in each of two volumes";
  EXPECT_EQ(axes.flyback_pages, 4);
  EXPECT_EQ(axes.planes, 24);
  EXPECT_THAT(pages_of(axes, 0, 1), ElementsAre(2, 6, 10));
  EXPECT_THAT(pages_of(axes, 1, 2), ElementsAre(15, 19, 23));
  const auto* const before =
      "SI.hFastZ.enable = true\nSI.hFastZ.discardFlybackFrames = true\n"
      "SI.hFastZ.numDiscardFlybackFrames = 2\nSI.hFastZ.numFramesPerVolume = 5\n"
      "SI.hFastZ.numVolumes = 2\nSI.hStackManager.numSlices = 3";
  EXPECT_THAT(pages_of(axes_of_header(header(before), 20), 0, 1), ElementsAre(10, 12, 14));
  const auto* const fourth =
      "scanimage.SI4.channelsSave = 1\nscanimage.SI4.fastZEnable = 1\n"
      "scanimage.SI4.acqNumFrames = 8\nscanimage.SI4.stackNumSlices = 3\n"
      "scanimage.SI4.fastZDiscardFlybackFrames = 1\nscanimage.SI4.fastZNumDiscardFrames = 1\n";
  EXPECT_THAT(pages_of(axes_of_header(fourth, 8), 0, 1), ElementsAre(4, 5, 6));
}

TEST(ScanImageAxes, FlybackThatIsNotSavedHasNoPages) {
  for (const auto* off : {"SI.hFastZ.discardFlybackFrames = false", "SI.hFastZ.enable = false"}) {
    const auto axes = axes_of_header(
        header(std::string(off) +
               "\nSI.hFastZ.numDiscardFlybackFrames = 2\nSI.hStackManager.numSlices = 3"),
        12);
    EXPECT_EQ(axes.flyback_pages, 0) << off;
    EXPECT_THAT(pages_of(axes, 0, 1), ElementsAre(6, 8, 10)) << off;
  }
}

TEST(ScanImageAxes, SeveralRegionsInAPageAreAProblem) {
  const auto problem = [](const std::string& enabled) {
    return axes_of_header(header("SI.hRoiManager.mroiEnable = " + enabled), 12).problem;
  };
  for (const auto* on : {"true", "1"}) EXPECT_THAT(problem(on), HasSubstr("several regions")) << on;
  for (const auto* off : {"false", "0"}) EXPECT_EQ(problem(off), "") << off;
}

TEST(ScanImageAxes, AFileThatBeginsWithinAVolumeIsAProblem) {
  const auto from = [](const std::string& frame) {
    return axes_of_header(header("SI.hStackManager.numSlices = 3") + frame, 12).problem;
  };
  EXPECT_EQ(from("frameNumbers = 1\n"), "");
  EXPECT_EQ(from("frameNumbers = 13\n"), "") << "the fifth volume";
  EXPECT_THAT(from("frameNumbers = 12\n"), HasSubstr("begins within a volume, with frame 12"));
  EXPECT_EQ(from("frameNumbers = 12\nframeNumberAcquisition = 4\n"), "");
}

TEST(ScanImageAxes, WithoutAStackEveryFrameIsATimePoint) {
  for (const auto* stack :
       {"SI.hStackManager.numSlices = 1\nSI.hStackManager.framesPerSlice = 600",
        "SI.hStackManager.enable = false\nSI.hStackManager.numSlices = 11",
        "SI.hStackManager.numSlices = 11\nSI.hStackManager.framesPerSlice = Inf"}) {
    const auto axes = axes_of_header(header(stack), 24);
    EXPECT_EQ(axes.slices, 1) << stack;
    EXPECT_EQ(axes.times, 12) << stack;
    EXPECT_THAT(axes.page_of_plane, IsEmpty()) << stack;
  }
}

TEST(ScanImageAxes, FramesThatWereAveragedAreOnePage) {
  const auto averaged = [](int factor) {
    return axes_of_header(header("SI.hStackManager.framesPerSlice = 6\n"
                                 "SI.hStackManager.numSlices = 4\nSI.hScan2D.logAverageFactor = " +
                                 std::to_string(factor)),
                          16);
  };
  EXPECT_EQ(averaged(3).times, 2);
  EXPECT_THAT(pages_of(averaged(3), 0, 1), ElementsAre(2, 6, 10, 14));
  EXPECT_EQ(averaged(6).times, 2) << "two volumes";
  EXPECT_THAT(averaged(4).problem, HasSubstr("saves the mean of each 4 frames, of 6 of a slice"));
  const auto* const third =
      "state.acq.numberOfChannelsSave=1\rstate.acq.numberOfZSlices=4\r"
      "state.acq.numberOfFrames=5\r";
  EXPECT_EQ(axes_of_header(third, 20).times, 5);
  EXPECT_EQ(axes_of_header(std::string(third) + "state.acq.averaging=1\r", 4).times, 1);
  EXPECT_EQ(axes_of_header(
                std::string(third) + "state.acq.averaging=1\rstate.acq.numAvgFramesSave=1\r", 20)
                .times,
            5);
}

TEST(ScanImageAxes, AFlybackBehindAveragedFramesIsAProblem) {
  EXPECT_THAT(axes_of_header(header("SI.hStackManager.enable = true\n"
                                    "SI.hStackManager.actualNumSlices = 3\n"
                                    "SI.hStackManager.framesPerSlice = 2\n"
                                    "SI.hStackManager.numFramesPerVolume = 6\n"
                                    "SI.hStackManager.numFramesPerVolumeWithFlyback = 7\n"
                                    "SI.hScan2D.logAverageFactor = 2"),
                             8)
                  .problem,
              HasSubstr("2 of a slice and 1 of the flyback"));
}

/// Whatever the numbers are, there are some axes and no crash.
TEST(ScanImageAxes, AbsurdNumbersAreSurvived) {
  for (const auto* number : {"0", "-1", "16777216", "99999999999999999999", "[]", "Inf", "x"}) {
    std::string text = std::string("state.acq.numberOfChannelsSave=") + number + "\n";
    for (const auto* name :
         {"SI.hStackManager.actualNumSlices", "SI.hStackManager.framesPerSlice",
          "SI.hStackManager.numFramesPerVolume", "SI.hFastZ.numDiscardFlybackFrames",
          "state.acq.numberOfZSlices", "state.acq.numberOfFrames"})
      text += std::string(name) + " = " + number + "\n";
    for (const std::int64_t pages : {1, 7, 1000}) {
      const auto axes = axes_of_header(text, pages);
      EXPECT_TRUE(!axes.problem.empty() || axes.planes + axes.flyback_pages >= pages) << text;
      const auto cut = axes_of_header(header(text), pages);
      EXPECT_TRUE(!cut.problem.empty() || cut.planes + cut.flyback_pages >= pages) << text;
    }
  }
}

}  // namespace
}  // namespace scalestudy
