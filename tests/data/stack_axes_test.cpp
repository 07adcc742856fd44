#include "data/stack_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string ome(const std::string& sizes,
                const std::string& data,
                const std::string& order = "XYCZT") {
  return R"(<?xml version="1.0"?><OME:OME xmlns:OME="http://www.openmicroscopy.org/Schemas/OME/2016-06">)"
         R"(<OME:Image ID="Image:0"><OME:Pixels ID="Pixels:0" DimensionOrder=")" +
         order + R"(" Type="uint16" SizeX="64" SizeY="48" )" + sizes + ">" + data +
         "</OME:Pixels></OME:Image></OME:OME>";
}

TEST(StackAxes, OtherDescriptionsSayNothing) {
  for (const auto* text : {"", "made by hand", "<html>", "{\"a\": 1}"})
    EXPECT_FALSE(stack_axes(text)) << text;
}

TEST(StackAxes, ImageJKeysAreRead) {
  const auto axes =
      stack_axes("ImageJ=1.53t\nimages=24\nchannels=2\nslices=4\nframes=3\nloop=false\n");
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->channels, 2);
  EXPECT_EQ(axes->times, 3);
  EXPECT_EQ(axes->planes, 24);
}

TEST(StackAxes, OmeSizesAreRead) {
  const auto axes = stack_axes(ome(R"(SizeC="2" SizeZ="8" SizeT="3")", "<OME:TiffData/>"));
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->channels, 2);
  EXPECT_EQ(axes->times, 3);
  EXPECT_EQ(axes->planes, 48);
  EXPECT_THAT(axes->page_of_plane, IsEmpty());
  EXPECT_THAT(axes->files, IsEmpty());
}

TEST(StackAxes, TiffDataPlacesPlanes) {
  const auto sizes = R"(SizeC="1" SizeZ="3" SizeT="1")";
  const auto backwards = stack_axes(
      ome(sizes, R"(<TiffData FirstZ="0" IFD="2" PlaneCount="1"/><TiffData FirstZ="1" IFD="1"/>)"
                 R"(<TiffData FirstZ="2" IFD="0"/>)"));
  EXPECT_THAT(backwards->page_of_plane, ElementsAre(2, 1, 0));
  const auto in_order = stack_axes(ome(sizes, R"(<TiffData IFD="0" PlaneCount="3"/>)"));
  EXPECT_THAT(in_order->page_of_plane, IsEmpty());
  const auto part = stack_axes(ome(sizes, R"(<TiffData IFD="0" PlaneCount="2"/>)"));
  EXPECT_THAT(part->page_of_plane, ElementsAre(0, 1, -1));
}

TEST(StackAxes, FilesOfASetAreNamed) {
  const auto axes = stack_axes(
      ome(R"(SizeC="1" SizeZ="2" SizeT="1")",
          R"(<TiffData FirstZ="0" IFD="0"><UUID FileName="a.tif">urn:uuid:1</UUID></TiffData>)"
          R"(<TiffData FirstZ="1" IFD="0"><UUID FileName="b.tif">urn:uuid:2</UUID></TiffData>)"));
  EXPECT_THAT(axes->files, ElementsAre("a.tif", "b.tif"));
}

TEST(StackAxes, TifffileShapesAreRead) {
  const auto axes = stack_axes(R"({"shape": [3, 2, 48, 64], "axes": "ZCYX"})");
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->channels, 2);
  EXPECT_EQ(axes->times, 1);
  EXPECT_EQ(axes->planes, 6);
  EXPECT_EQ(stack_axes(R"({"shape": [16, 48, 64]})")->planes, 16);
  EXPECT_EQ(stack_axes(R"({"shape": [16, 48, 64], "axes": "TYX"})")->times, 16);
}

/// What is cut anywhere is some axes or none, and no crash.
TEST(StackAxes, EveryTruncationIsSurvived) {
  for (const auto& text :
       {ome(R"(SizeC="2" SizeZ="8" SizeT="3")", R"(<TiffData FirstZ="1" IFD="7"/>)"),
        std::string(R"({"shape": [3, 2, 48, 64], "axes": "ZCYX"})")})
    for (std::size_t length = 0; length < text.size(); ++length)
      EXPECT_NO_THROW((void)stack_axes(text.substr(0, length)));
}

}  // namespace
}  // namespace scalestudy
