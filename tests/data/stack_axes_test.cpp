#include "data/stack_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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
    EXPECT_EQ(stack_axes(text, 5), (StackAxes{.slices = 5, .planes = 5})) << text;
}

TEST(StackAxes, ImageJKeysAreRead) {
  const auto axes =
      stack_axes("ImageJ=1.53t\nimages=24\nchannels=2\nslices=4\nframes=3\nloop=false\n", 24);
  EXPECT_EQ(axes, (StackAxes{.origin = "ImageJ keys",
                             .channels = 2,
                             .slices = 4,
                             .times = 3,
                             .planes = 24,
                             .order = "CZT"}));
  EXPECT_EQ(stack_axes("ImageJ=1\nchannels=2\n", 24).slices, 12) << "what is not said";
  EXPECT_THAT(stack_axes("ImageJ=1\nimages=24\nchannels=2\nslices=4\n", 24).problem,
              HasSubstr("24 images and 2 x 4 x 1"));
}

TEST(StackAxes, ImageJOrderIsHeeded) {
  const auto with = [](const std::string& order) {
    return stack_axes("ImageJ=1.53t\nchannels=2\nslices=4\nframes=3\norder=" + order + "\n", 24);
  };
  for (const auto& [text, order] :
       {std::pair("zct", "ZCT"), {"xyzct", "ZCT"}, {"XYCZT(default)", "CZT"}, {"tzc", "TZC"}}) {
    EXPECT_EQ(with(text).order, order);
    EXPECT_EQ(with(text).problem, "") << text;
  }
  EXPECT_THAT(pages_of(with("zct"), 1, 2), ElementsAre(20, 21, 22, 23));
  for (const auto* none : {"zcc", "xyz", "cztp", "1"})
    EXPECT_THAT(with(none).problem, HasSubstr("has the order '")) << none;
}

TEST(StackAxes, OmeSizesAreRead) {
  const auto axes =
      stack_axes(ome(R"(SizeC="2" SizeZ="8" SizeT="3")",
                     R"(<Channel ID="0" Name="DAPI"/><Channel ID="1"/><OME:TiffData/>)", "XYTZC"),
                 48);
  EXPECT_EQ(axes, (StackAxes{.origin = "OME-XML",
                             .channels = 2,
                             .slices = 8,
                             .times = 3,
                             .planes = 48,
                             .order = "TZC",
                             .channel_names = {"DAPI", ""},
                             .page_height = 48,
                             .page_width = 64}));
  EXPECT_EQ(listed_channels(axes), ": 1 (DAPI), 2");
  EXPECT_THAT(stack_axes(ome("", "", "XYZZT"), 1).problem, HasSubstr("DimensionOrder 'XYZZT'"));
  EXPECT_THAT(stack_axes(ome(R"(SizeC="99999" SizeZ="999")", ""), 1).problem, HasSubstr("planes"));
}

/// Page p shows (p mod first, …) of the axes in their order.
TEST(StackAxes, AnyOrderOfPlanesIsFollowed) {
  for (const auto* order : {"XYCZT", "XYCTZ", "XYZCT", "XYZTC", "XYTCZ", "XYTZC"}) {
    const auto axes = stack_axes(ome(R"(SizeC="2" SizeZ="4" SizeT="3")", "", order), 24);
    const auto step = [&](char axis) {
      std::int64_t pages = 1;
      for (const char faster : axes.order.substr(0, axes.order.find(axis)))
        pages *= faster == 'C' ? 2 : faster == 'Z' ? 4 : 3;
      return pages;
    };
    const auto pages = pages_of(axes, 1, 2);
    ASSERT_EQ(pages.size(), 4U);
    for (std::int64_t z = 0; z < 4; ++z)
      EXPECT_EQ(pages[static_cast<std::size_t>(z)], step('C') + z * step('Z') + 2 * step('T'))
          << order;
  }
  EXPECT_THAT(pages_of(stack_axes(R"({"shape": [3, 2, 48, 64], "axes": "ZCYX"})", 6), 1, 0),
              ElementsAre(1, 3, 5));
  EXPECT_THAT(pages_of(stack_axes(R"({"shape": [2, 3, 48, 64], "axes": "CZYX"})", 6), 1, 0),
              ElementsAre(3, 4, 5));
}

TEST(StackAxes, FramesBecomeSlices) {
  const auto axes =
      with_frames_as_slices(stack_axes("ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\n", 6));
  EXPECT_EQ(axes.slices, 3);
  EXPECT_EQ(axes.times, 1);
  EXPECT_THAT(pages_of(axes, 1, 0), ElementsAre(1, 3, 5));
}

TEST(StackAxes, TiffDataPlacesPlanes) {
  const auto sizes = R"(SizeC="1" SizeZ="3" SizeT="1")";
  const auto backwards = stack_axes(
      ome(sizes, R"(<TiffData FirstZ="0" IFD="2" PlaneCount="1"/><TiffData FirstZ="1" IFD="1"/>)"
                 R"(<TiffData FirstZ="2" IFD="0"/>)"),
      3);
  EXPECT_THAT(backwards.page_of_plane, ElementsAre(2, 1, 0));
  const auto in_order = stack_axes(ome(sizes, R"(<TiffData IFD="0" PlaneCount="3"/>)"), 3);
  EXPECT_THAT(in_order.page_of_plane, IsEmpty());
  const auto part = stack_axes(ome(sizes, R"(<TiffData IFD="0" PlaneCount="2"/>)"), 3);
  EXPECT_THAT(part.page_of_plane, ElementsAre(0, 1, -1));
}

TEST(StackAxes, FilesOfASetAreNamed) {
  const auto axes = stack_axes(
      ome(R"(SizeC="1" SizeZ="2" SizeT="1")",
          R"(<TiffData FirstZ="0" IFD="0"><UUID FileName="a.tif">urn:uuid:1</UUID></TiffData>)"
          R"(<TiffData FirstZ="1" IFD="0"><UUID FileName="b.tif">urn:uuid:2</UUID></TiffData>)"),
      1);
  EXPECT_THAT(axes.files, ElementsAre("a.tif", "b.tif"));
}

TEST(StackAxes, TifffileShapesAreRead) {
  EXPECT_EQ(
      stack_axes(R"({"shape": [3, 1, 2, 48, 64], "axes": "ZTCYX"})", 6),
      (StackAxes{
          .origin = "tifffile shape", .channels = 2, .slices = 3, .planes = 6, .order = "CZT"}));
  for (const auto* other : {R"({"axes":"TZYX","shape":[2,8,48,64]})",
                            "\n { \"shape\" : [2, 8, 48, 64], "
                            "\"spacing\": 3, \"axes\" : \"TZYX\" }"}) {
    EXPECT_EQ(stack_axes(other, 16).times, 2) << other;
    EXPECT_EQ(stack_axes(other, 16).slices, 8) << other;
  }
  EXPECT_THAT(stack_axes("shape=(2, 8, 48, 64)", 16).problem,
              HasSubstr("has unnamed axes of [2, 8, 48, 64]"));
  EXPECT_EQ(stack_axes("\xef\xbb\xbf\nImageJ=1.54\nimages=16\nchannels=2\nslices=8\n", 16).channels,
            2);
  EXPECT_EQ(stack_axes(R"({"shape": [16, 48, 64]})", 16).slices, 16);
  EXPECT_THAT(stack_axes(R"({"shape": [16, 48, 64], "axes": "HYX"})", 16).problem,
              HasSubstr("axes 'HYX' of [16, 48, 64]"));
  EXPECT_EQ(stack_axes(R"({"shape": [16, 48, 64], "axes": "TYX"})", 16).times, 16);
  EXPECT_EQ(stack_axes(R"({"shape": [16, 48, 64, 1], "axes": "ZYXS"})", 16),
            stack_axes(R"({"shape": [16, 48, 64], "axes": "ZYX"})", 16));
  EXPECT_THAT(stack_axes(R"({"shape": [2, 8, 48, 64]})", 16).problem, HasSubstr("[2, 8, 48, 64]"));
  EXPECT_THAT(stack_axes(R"({"shape": [48, 64, 12], "axes": "YXZ"})", 48).problem,
              HasSubstr("'YXZ': its pages are no slices"));
}

TEST(StackAxes, OmeSlicesWithAnotherAxisAmongThemAreAProblem) {
  const auto with = [](const std::string& modulo) {
    return stack_axes(ome(R"(SizeC="2" SizeZ="8" SizeT="1")", "<TiffData/>") + modulo, 16);
  };
  EXPECT_THAT(with(R"(<Modulo><ModuloAlongZ Type="lifetime" Start="0" End="3"/></Modulo>)").problem,
              HasSubstr("has another axis among its slices (ModuloAlongZ: lifetime)"));
  for (const auto* axis : {"ModuloAlongC", "ModuloAlongT"}) {
    const auto axes = with(std::string("<Modulo><") + axis + R"( Type="lambda"/></Modulo>)");
    EXPECT_EQ(axes.problem, "") << axis;
    EXPECT_EQ(axes.slices, 8) << axis << ": each channel and time point is a stack";
  }
}

TEST(StackAxes, OmeXmlIsReadHoweverItIsSpelt) {
  const auto size_of = [](const std::string& sizes, const std::string& data = "") {
    return stack_axes(ome(sizes, data), 16);
  };
  for (const auto* sizes :
       {"SizeC = '2' SizeZ\n=\n\"8\"", R"(Comment="SizeC='3' > 2" SizeC="2" SizeZ="8")"}) {
    EXPECT_EQ(size_of(sizes).channels, 2) << sizes;
    EXPECT_EQ(size_of(sizes).slices, 8) << sizes;
  }
  const auto commented = size_of(R"(SizeC="2" SizeZ="8")", R"(<!-- <Pixels SizeC="1"/> -->)");
  EXPECT_EQ(commented.images, 1);
  EXPECT_EQ(commented.channels, 2);
  EXPECT_THAT(size_of(R"(SizeC="&#50;" SizeZ="8")").problem,
              HasSubstr("has the SizeC '&#50;', which is no number"));
  EXPECT_THAT(size_of(R"(SizeZ="16")", R"(<TiffData IFD="&#49;"/>)").problem, HasSubstr("the IFD"));
}

TEST(StackAxes, OmeXmlThatIsElsewhereSaysNothingOfPlanes) {
  EXPECT_THAT(
      stack_axes(R"(<OME><BinaryOnly MetadataFile="a.companion.ome" UUID="u"/></OME>)", 24).problem,
      HasSubstr("in another file"));
}

/// What is cut anywhere is some axes or none, and no crash.
TEST(StackAxes, EveryTruncationIsSurvived) {
  for (const auto& text :
       {ome(R"(SizeC="2" SizeZ="8" SizeT="3")", R"(<TiffData FirstZ="1" IFD="7"/>)"),
        std::string(R"({"shape": [3, 2, 48, 64], "axes": "ZCYX"})")})
    for (std::size_t length = 0; length < text.size(); ++length)
      EXPECT_NO_THROW((void)stack_axes(text.substr(0, length), 16));
}

}  // namespace
}  // namespace scalestudy
