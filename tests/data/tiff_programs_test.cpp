/// Stacks as programs of microscopes write them.

#include <gtest/gtest.h>

#include "tests/data/stack_folder.hpp"

namespace scalestudy {
namespace {

using test::StackFormat;

class TiffPrograms : public test::StackFolder {};

TEST_F(TiffPrograms, ScanImagesHeaderStandsInTheTagSoftwareOrTheDescription) {
  const std::string header =
      "SI.VERSION_MAJOR = 2023\nSI.hChannels.channelSave = [1;2]\n"
      "SI.hStackManager.enable = true\nSI.hStackManager.actualNumSlices = 2\n"
      "SI.hStackManager.framesPerSlice = 1\nSI.hStackManager.numFramesPerVolume = 2\n"
      "SI.hStackManager.numFramesPerVolumeWithFlyback = 3\n";
  const StackFormat formats[]{
      {.descriptions = {{0, "frameNumbers = 1"}, {1, "frameNumbers = 2"}}, .software = header},
      {.descriptions = {{0, header}, {1, header}}}};
  for (const auto& format : formats) {
    const auto file = write(format, 12);
    const auto volume = read_tiff_volume(file, {.channel = 2, .time = 2});
    expect_pages(volume, {7, 9});
    EXPECT_EQ(volume.axes.flyback_pages, 4);
    expect_refused(file, "has 2 time points of 2 slices by its ScanImage header", {.channel = 1});
    expect_refused(write(format, 11), "has 11 pages, and 12 by its ScanImage header");
  }
}

TEST_F(TiffPrograms, ScanImagesTimeSeriesIsNoStack) {
  const auto file = write({.software = "SI.hChannels.channelSave = 1\n"
                                       "SI.hStackManager.numSlices = 1\n"},
                          5);
  expect_refused(file, "has 5 time points of 1 slice by its ScanImage header");
  expect_pages(read_tiff_volume(file, {.frames_are_slices = true}), {0, 1, 2, 3, 4});
}

}  // namespace
}  // namespace scalestudy
