#include "data/label_places.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Label = std::function<std::string(int page)>;

std::string padded(int number, std::size_t digits) {
  const auto text = cat(number);
  return std::string(digits - text.size(), '0') + text;
}

std::vector<std::string> labels_of(const Label& label, int pages = 12) {
  std::vector<std::string> labels;
  for (int page = 0; page < pages; ++page) labels.push_back(label(page));
  return labels;
}

StackAxes axes_of(const std::vector<std::string>& labels) {
  const auto places = places_in_labels(labels);
  return axes_of_places({places.begin(), places.end()}, "slice labels");
}

StackAxes axes_of(const Label& label) {
  return axes_of(labels_of(label));
}

TEST(LabelPlaces, ChannelsThatAreStoredOneByOne) {
  const std::vector<Label> labels = {
      [](int i) { return cat("c:", i % 2 + 1, "/2 z:", i / 2 + 1, "/6 - cells.tif"); },
      [](int i) { return cat("Series001_z", padded(i / 2, 2), "_ch", padded(i % 2, 2), ".tif"); },
      [](int i) { return cat("Snap-01_z", i / 2 + 1, "c", i % 2 + 1, "_ORG.tif"); },
      [](int i) { return cat("pos1_t00_c", i % 2, "_z", padded(i / 2, 3)); },
      [](int i) { return cat("cells_C", padded(i % 2 + 1, 3), "Z", padded(i / 2 + 1, 3), ".tif"); },
      [](int i) { return cat("Image_Z", padded(i / 2 + 1, 3), "_CH", i % 2 + 1, ".tif"); },
      [](int i) { return cat("Channel ", i % 2 + 1); },
      [](int i) { return i % 2 == 0 ? "DAPI" : "GFP"; },
      [](int i) { return cat("cells_", i % 2 == 0 ? 488 : 561, "nm_z0", i / 2); },
      [](int i) { return cat("r01c01f01p0", i / 2 + 1, "-ch", i % 2 + 1, "sk1fk1fl1.tiff"); },
      [](int i) { return cat(i % 2 == 0 ? "DAPI" : "Cy5", "_", padded(i + 1, 4)); },
      [](int i) { return cat(i % 2 == 0 ? "DAPI" : "Alexa 488", "_", padded(i / 2, 4)); }};
  for (const auto& label : labels) {
    const auto found = axes_of(label);
    EXPECT_EQ(found.problem, "") << label(1);
    EXPECT_EQ(found.channels, 2) << label(1);
    EXPECT_EQ(found.times, 1) << label(1);
    EXPECT_THAT(pages_of(found, 1, 0), ElementsAre(1, 3, 5, 7, 9, 11)) << label(1);
  }
}

TEST(LabelPlaces, ChannelsThatAreStoredBehindEachOther) {
  const std::vector<Label> labels = {
      [](int i) {
        return cat("img_channel", padded(i / 6, 3), "_position000_time000000000_z",
                   padded(i % 6, 3), ".tif");
      },
      [](int i) { return cat("exp_w", i / 6 + 1, i < 6 ? "DAPI" : "Cy5", "_t1_z", i % 6, ".TIF"); },
      [](int i) { return cat("C", i / 6 + 1, "-cells.tif:", i % 6 + 1, "/6 - cells"); }};
  for (const auto& label : labels)
    EXPECT_THAT(pages_of(axes_of(label), 1, 0), ElementsAre(6, 7, 8, 9, 10, 11)) << label(1);
  EXPECT_EQ(listed_channels(axes_of(labels[1])), ": 1 (DAPI), 2 (Cy5)");
}

TEST(LabelPlaces, TimesAndNames) {
  const auto both =
      axes_of([](int i) { return cat("exp_w", i / 6 + 1, i < 6 ? "DAPI" : "GFP", "_t", i % 6); });
  EXPECT_EQ(both.channels, 2);
  EXPECT_EQ(both.times, 6);
  EXPECT_EQ(axes_of({"t:1/2", "t:2/2"}).times, 2);
  const std::vector<std::string> targets = {"141Pr_CD3", "142Nd_CD45", "143Nd_Ki-67", "dsDNA"};
  const auto named = axes_of(targets);
  EXPECT_EQ(named.channels, 4);
  EXPECT_EQ(named.channel_names, targets);
  EXPECT_EQ(axes_of({"DAPI", "DAPI", "GFP"}).planes, 4) << "is not the three that there are";
}

TEST(LabelPlaces, MomentsAreTimes) {
  for (const auto& label :
       {Label([](int i) { return cat("t=", 0.5 * i, "s z=1"); }),
        {[](int i) { return cat("cells ", 50 * i, " ms"); }},
        {[](int i) { return cat("time 0.", i + 10); }},
        {[](int i) { return cat("VID12_A1_1_00d", padded(i, 2), "h00m.tif"); }},
        {[](int i) { return cat("VID1_A1_1_0", i / 4, "d", padded(i % 4 * 6, 2), "h00m.tif"); }},
        {[](int i) { return cat("frame_", padded(i, 4), ".tif"); }},
        {[](int i) { return cat("Frame ", i + 1); }},
        {[](int i) { return cat("day", i); }},
        {[](int i) { return cat("week", i, "_mouse3"); }},
        {[](int i) { return cat("hour", 2 * i); }},
        {[](int i) { return cat("embryo_", i + 5, "hpf.tif"); }},
        {[](int i) { return cat("img_", padded(i, 9), "_DAPI_000.tif"); }},
        {[](int i) { return cat("2024-05-", padded(i + 1, 2), "_plate3"); }},
        {[](int i) { return cat("2024_", padded(i + 1, 2), "_28"); }},
        {[](int i) { return cat(padded(i + 20, 2), "-05-2024.tif"); }},
        {[](int i) { return cat("202405", padded(i + 1, 2), ".tif"); }},
        {[](int i) { return cat("Snapshot 2024-05-01 1", i / 4, "-", i % 4, "0-03"); }},
        {[](int i) { return cat("IMG_20240501_10", padded(5 * i, 2), "03.jpg"); }},
        {[](int i) { return cat("2020-01-05 10:", 58 + i / 8, ":", padded(i * 7 % 60, 2)); }}}) {
    const auto found = axes_of(label);
    EXPECT_EQ(found.problem, "") << label(1);
    EXPECT_EQ(found.times, 12) << label(1);
  }
  const auto stamped = axes_of([](int i) { return cat("c", i % 2, " z", i / 2, " t=", 0.3 * i); });
  EXPECT_EQ(stamped.times, 1) << "each plane has its moment";
  EXPECT_EQ(stamped.channels, 2);
}

TEST(LabelPlaces, SlicesAreSortedByTheirNumbers) {
  for (const std::string prefix : {"z", "cells_"}) {
    std::vector<std::string> labels;
    for (const auto* number : {"1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"})
      labels.push_back(prefix + number);
    EXPECT_THAT(pages_of(axes_of(labels), 0, 0), ElementsAre(0, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2));
  }
  EXPECT_THAT(places_in_labels({"z3", "z2", "z1"}), IsEmpty());
  EXPECT_THAT(places_in_labels({"img_z-2.tif", "img_z-1.tif", "img_z0.tif"}), IsEmpty());
  EXPECT_THAT(pages_of(axes_of({"z0", "z-1", "z1", "z-2"}), 0, 0), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(pages_of(axes_of({"z-1", "z-10", "z-2"}), 0, 0), ElementsAre(0, 2, 1)) << "no sign";
  EXPECT_THAT(axes_of({"cell-1", "cell0", "cell1"}).problem, HasSubstr("several positions"));
  EXPECT_EQ(axes_of({"z1", "z2", "z1", "z2"}).planes, 2) << "of four pages";
}

TEST(LabelPlaces, PositionsAreAProblem) {
  for (const auto& label :
       {Label([](int i) {
          return cat("img_channel000_position", padded(i / 6, 3), "_z", padded(i % 6, 3));
        }),
        {[](int i) { return cat("r01c01f0", i / 6 + 1, "p0", i % 6 + 1, "-ch1sk1fk1fl1.tiff"); }},
        {[](int i) { return cat("plate_A01_T0001F", padded(i + 1, 3), "L01A01Z01C01.tif"); }},
        {[](int i) { return cat("A - 1(fld ", i + 1, " wv DAPI - DAPI).tif"); }},
        {[](int i) { return cat("theta_", padded(i, 3)); }},
        {[](int i) { return cat(25 + i, " degC"); }},
        {[](int i) { return cat("patient", padded(i, 2), "_biopsy"); }},
        {[](int i) { return cat("cellsxy", padded(i + 1, 2), "c1.tif"); }},
        {[](int i) { return cat("exp_A01_s", i + 1, "_w1.TIF"); }},
        {[](int i) { return i == 11 ? std::string("AVG") : cat("z", padded(i, 2)); }},
        {[](int i) { return cat("ch", i % 2, "_s", i / 2); }},
        {[](int i) { return cat("cells_", i / 6, "_z", i % 6); }},
        {[](int i) { return cat("cells_00", i / 6, "_00", i % 6); }}})
    EXPECT_THAT(axes_of(label).problem, HasSubstr("has several positions or other stacks"))
        << label(1);
  EXPECT_THAT(axes_of({"ch0_z0", "ch1_z0", "ch1_z0", "ch0_z1"}).problem,
              HasSubstr("shows a plane in two pages"));
}

TEST(LabelPlaces, NumbersBesideUnknownWordsAreSaid) {
  const auto note_of = [](const std::vector<std::string>& labels) {
    return slice_numbers_note(labels, "slice labels");
  };
  EXPECT_EQ(
      note_of({"cell_1.tif", "cell_10.tif", "cell_2.tif"}),
      "Pages are slices by the number beside 'cell' in its slice labels, from 'cell_1.tif' to "
      "'cell_10.tif': if that does not count slices of one volume, give a file for each.");
  for (const auto& label : {Label([](int i) { return cat("rep", i); }),
                            {[](int i) { return cat("dose_", i, "uM"); }},
                            {[](int i) { return cat(5 * i, "uM"); }},
                            {[](int i) { return cat(i, " mM"); }},
                            {[](int i) { return cat("2024-05-01_", padded(i + 8, 2), "-00"); }},
                            {[](int i) { return cat("2024-05-01_08-", padded(5 * i, 2)); }},
                            {[](int i) { return cat("cells_20240501_08", padded(5 * i, 2)); }},
                            {[](int i) { return cat(10 * i, " ng/ml"); }},
                            {[](int i) { return cat(30 + i, " C"); }},
                            {[](int i) { return cat(2.5 * i, "x"); }},
                            {[](int i) { return cat("DIV", i + 3); }},
                            {[](int i) { return cat("E", i, ".5_heart"); }},
                            {[](int i) { return cat("video_", padded(i, 4)); }},
                            {[](int i) { return cat("cell_", i, "_", padded(i, 4)); }},
                            {[](int i) { return cat("round", i / 2, "_ch", i % 2); }},
                            {[](int i) { return cat("cell_", i, "/3"); }}})
    EXPECT_THAT(note_of(labels_of(label)), HasSubstr("Pages are slices by the number b"))
        << label(1);
  for (const auto& label : {Label([](int i) { return cat("slice_z", padded(i, 3), ".tif"); }),
                            {[](int i) { return cat("Section ", i); }},
                            {[](int i) { return cat("depth_", 0.5 * i, "mm"); }},
                            {[](int i) { return cat(i, ".tif"); }},
                            {[](int i) { return cat(5 * i, "um"); }},
                            {[](int i) { return cat("cells_c01_", padded(i, 4), ".tif"); }},
                            {[](int i) { return cat("cells.tif:", i, "/12 - cells"); }},
                            {[](int i) { return cat("2024-05-01_", padded(i + 1, 4)); }},
                            {[](int i) { return cat(padded(i, 3), "_2024-05-01.tif"); }},
                            {[](int i) { return cat("2024-05-01_z", i + 8); }},
                            {[](int i) { return cat("cell", i, "_z", i); }},
                            {[](int i) { return cat("C", i / 6, "-cells.tif:", i % 6, "/6"); }},
                            {[](int i) { return cat("day", i); }},
                            {[](int) { return "cell_01"; }},
                            {[](int i) { return i % 2 == 0 ? "DAPI" : "GFP"; }}})
    EXPECT_EQ(note_of(labels_of(label)), "") << label(1);
  EXPECT_EQ(note_of({"cell_1"}), "");
}

TEST(LabelPlaces, SlicesThatAreLeftOutAreSaid) {
  const auto note_of = [](const std::vector<int>& numbers) {
    std::vector<std::string> labels;
    for (const int number : numbers) labels.push_back(cat("img_z", padded(number, 3)));
    return slice_numbers_note(labels, "slice labels");
  };
  EXPECT_EQ(note_of({1, 2, 3, 5, 6}),
            "Slice numbers in its slice labels leave out what is between 3 and 5: look whether "
            "slices are missing.");
  EXPECT_EQ(note_of({1, 2, 3, 4}), "");
  EXPECT_EQ(note_of({0, 5, 10, 15}), "");
  EXPECT_EQ(note_of({0, 2, 5, 9}), "") << "no common step";
}

TEST(LabelPlaces, WhatOnlyCountsSlicesSaysNothing) {
  for (const auto& label : {Label([](int i) { return cat("slice_z", padded(i, 3), ".tif"); }),
                            {[](int i) { return cat("c:2/2 z:", i, "/12"); }},
                            {[](int i) { return cat("cells_c01_", padded(i, 4), ".tif"); }},
                            {[](int i) { return cat("z", i, "_", 0.5 * i, "um"); }},
                            {[](int i) { return cat("depth ", 0.5 * i - 3); }},
                            {[](int i) { return cat("z=", i, " t=", 0.25 * i, "s"); }},
                            {[](int i) { return cat("s", i, ".tif"); }},
                            {[](int i) { return cat("day3_mouse2_z", i); }},
                            {[](int i) { return cat("25 degC slice ", i); }},
                            {[](int i) { return cat("20240301_", padded(i, 3)); }},
                            {[](int i) { return cat("2024-05-01_10-20-03_", padded(i, 6)); }},
                            {[](int i) { return cat("z", i, "_2024-05-", 10 + i); }},
                            {[](int i) { return cat("202413", 10 + i); }},
                            {[](int i) { return cat("2024 12 ", 32 + i); }},
                            {[](int i) { return cat("slice", i, i == 7 ? " moved" : ""); }},
                            {[](int) { return "cells.tif"; }},
                            {[](int) { return ""; }}})
    EXPECT_THAT(places_in_labels(labels_of(label)), IsEmpty()) << label(1);
  EXPECT_THAT(places_in_labels({}), IsEmpty());
  EXPECT_THAT(places_in_labels({"DAPI"}), IsEmpty());
}

}  // namespace
}  // namespace scalestudy
