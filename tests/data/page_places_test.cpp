#include "data/page_places.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PagePlaces places_of(const std::vector<PageTexts>& pages) {
  PagePlaces places;
  for (const auto& page : pages) places.add(page);
  return places;
}

/// Of Micro-Manager's tag.
StackAxes axes(const std::vector<std::string>& pages) {
  std::vector<PageTexts> texts;
  for (const auto& page : pages) texts.push_back({.micro_manager = page});
  return places_of(texts).axes();
}

std::string wavelength(const std::string& value) {
  return "<MetaData>\r\n<PlaneInfo>\r\n<prop id=\"wavelength\" type=\"float\" value=\"" + value +
         "\"/>\r\n</PlaneInfo>\r\n</MetaData>";
}

std::string indices(int channel, int slice, int time, int position = 0) {
  return cat(R"({"Width": 23, "ChannelIndex": )", channel, R"(, "SliceIndex": )", slice,
             R"(, "FrameIndex": )", time, R"(, "PositionIndex": )", position, "}");
}

TEST(PagePlaces, PagesGoWhereTheirIndicesSay) {
  std::vector<std::string> pages;  // slices fastest, then times, then channels
  for (int channel = 0; channel < 2; ++channel)
    for (int time = 0; time < 3; ++time)
      for (int slice = 0; slice < 4; ++slice) pages.push_back(indices(channel, slice, time));
  const auto found = axes(pages);
  EXPECT_EQ(found.channels, 2);
  EXPECT_EQ(found.slices, 4);
  EXPECT_EQ(found.times, 3);
  EXPECT_EQ(found.problem, "");
  EXPECT_THAT(pages_of(found, 1, 2), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(pages_of(found, 0, 1), ElementsAre(4, 5, 6, 7));
}

TEST(PagePlaces, NdTiffNamesItsAxes) {
  const auto found = axes(
      {R"({"Axes": {"channel": "GFP", "z": 1}})", R"({"Axes": {"channel": "DAPI", "z": 1}})",
       R"({"Axes": {"channel": "GFP", "z": -1}})", R"({"Axes": {"channel": "DAPI", "z": -1}})"});
  EXPECT_EQ(found.times, 1);
  EXPECT_EQ(listed_channels(found), ": 1 (DAPI), 2 (GFP)");
  EXPECT_THAT(pages_of(found, 0, 0), ElementsAre(3, 1)) << "z from the lowest on";
  const auto numbered = axes({R"({"Axes": {"channel": 10}})", R"({"Axes": {"channel": 9}})"});
  EXPECT_THAT(pages_of(numbered, 0, 0), ElementsAre(1)) << "as numbers, not as texts";
}

TEST(PagePlaces, WhatIsNoStackIsAProblem) {
  EXPECT_THAT(axes({indices(0, 0, 0), indices(0, 0, 0, 1)}).problem,
              HasSubstr("several positions or other stacks (position 0, position 1)"));
  EXPECT_THAT(axes({R"({"Axes": {"z": 0, "row": 1}})", R"({"Axes": {"z": 0, "row": 2}})"}).problem,
              HasSubstr("(row 1, row 2)"));
  EXPECT_THAT(
      axes({indices(0, 0, 0), indices(0, 1, 0), indices(1, 1, 0), indices(1, 1, 0)}).problem,
      HasSubstr("shows a plane in two pages"));
  EXPECT_EQ(axes({indices(0, 0, 0), indices(0, 1, 0), indices(1, 1, 0)}).planes, 4)
      << "one is missing";
  for (const auto* text : {"", "{}", "[1]", "{\"Axes\": {\"z\": \"top\"}}", "{\"SliceIndex\": 0"})
    EXPECT_THAT(axes({indices(0, 0, 0), text}).problem, HasSubstr("does not say of each page"))
        << text;
}

StackAxes axes_of_descriptions(const std::string& first, const std::string& second) {
  return places_of({{.description = first}, {.description = second}}).axes();
}

TEST(PagePlaces, PagesOfNamedChannelsAreNoStack) {
  const auto perkin_elmer = [](const std::string& name) {
    return "<?xml version=\"1.0\"?><PerkinElmer-QPI-ImageDescription><Name>" + name +
           "</Name><Color>255,0,0</Color></PerkinElmer-QPI-ImageDescription>";
  };
  const auto mibi = [](const std::string& name) {
    return R"({"channel.mass": 150, "channel.target": ")" + name + "\"}";
  };
  for (const auto& name_in :
       {std::function<std::string(const std::string&)>(perkin_elmer), {mibi}}) {
    EXPECT_THAT(axes_of_descriptions(name_in("CD4"), name_in("CD8")).problem,
                HasSubstr("(channel CD4, channel CD8)"));
    const auto one = axes_of_descriptions(name_in("CD4"), name_in("CD4"));
    EXPECT_EQ(one.problem, "");
    EXPECT_THAT(pages_of(one, 0, 0), ElementsAre(0, 1));
  }
  const auto channel = [](const std::string& name) { return R"({"channel": ")" + name + "\"}"; };
  EXPECT_THAT(axes_of_descriptions(channel("DAPI"), channel("GFP")).problem,
              HasSubstr("(channel DAPI, channel GFP)"));
  EXPECT_FALSE(places_of({{.description = "<a><Name>x</Name></a>"},
                          {.description = "<PerkinElmer-QPI-ImageDescription><Name"}})
                   .are_said());
}

TEST(PagePlaces, PagesOfSeveralWavelengthsAreNoStack) {
  const auto found = [](const std::string& first, const std::string& second) {
    return axes_of_descriptions(wavelength(first), wavelength(second));
  };
  EXPECT_THAT(found("525", "600").problem, HasSubstr("(wavelength 525, wavelength 600)"));
  EXPECT_EQ(found("525", "525").problem, "");
  EXPECT_THAT(pages_of(found("525", "525"), 0, 0), ElementsAre(0, 1));
}

}  // namespace
}  // namespace scalestudy
