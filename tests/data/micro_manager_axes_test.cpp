#include "data/micro_manager_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StackAxes axes(const std::vector<std::string>& pages) {
  std::vector<std::optional<PagePlace>> places;
  for (const auto& page : pages) places.push_back(micro_manager_place(page));
  return micro_manager_axes(places);
}

std::string indices(int channel, int slice, int time, int position = 0) {
  return cat(R"({"Width": 23, "ChannelIndex": )", channel, R"(, "SliceIndex": )", slice,
             R"(, "FrameIndex": )", time, R"(, "PositionIndex": )", position, "}");
}

TEST(MicroManagerAxes, PagesGoWhereTheirIndicesSay) {
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

TEST(MicroManagerAxes, NdTiffNamesItsAxes) {
  const auto found = axes(
      {R"({"Axes": {"channel": "GFP", "z": 1}})", R"({"Axes": {"channel": "DAPI", "z": 1}})",
       R"({"Axes": {"channel": "GFP", "z": -1}})", R"({"Axes": {"channel": "DAPI", "z": -1}})"});
  EXPECT_EQ(found.times, 1);
  EXPECT_EQ(listed_channels(found), ": 1 (DAPI), 2 (GFP)");
  EXPECT_THAT(pages_of(found, 0, 0), ElementsAre(3, 1)) << "z from the lowest on";
  const auto numbered = axes({R"({"Axes": {"channel": 10}})", R"({"Axes": {"channel": 9}})"});
  EXPECT_THAT(pages_of(numbered, 0, 0), ElementsAre(1)) << "as numbers, not as texts";
}

TEST(MicroManagerAxes, WhatIsNoStackIsAProblem) {
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

}  // namespace
}  // namespace scalestudy
