/// Stacks as programs of microscopes write them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tiffio.h>

#include "tests/data/stack_folder.hpp"
#include "tests/support/lsm_info.hpp"

namespace scalestudy {
namespace {

using test::LsmInfo;
using test::ome_xml;
using test::PageTag;
using test::StackFormat;

class TiffPrograms : public test::StackFolder {
 protected:
  [[nodiscard]] std::filesystem::path write_lsm(const LsmInfo& info,
                                                std::int64_t pages,
                                                std::uint16_t channels = 1) const {
    return write({.samples_per_pixel = channels,
                  .reduced_before = 1,
                  .tags = {{0, test::lsm_tag, test::lsm_bytes(info), false}}},
                 pages);
  }

  [[nodiscard]] std::filesystem::path write_micro_manager(
      const std::vector<std::string>& pages, const std::string& description = "") const {
    constexpr std::uint32_t micro_manager_tag = 51123;
    StackFormat format;
    if (!description.empty()) format.descriptions[0] = description;
    for (std::int64_t page = 0; page < std::ssize(pages); ++page)
      format.tags.push_back({page, micro_manager_tag, pages[static_cast<std::size_t>(page)], true});
    return write(format, std::ssize(pages));
  }
};

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
    expect_refused(file, "Join the files of one acquisition");
  }
}

TEST_F(TiffPrograms, ScanImagesTimeSeriesIsNoStack) {
  const auto file = write({.software = "SI.hChannels.channelSave = 1\n"
                                       "SI.hStackManager.numSlices = 1\n"},
                          5);
  expect_refused(file, "has 5 time points of 1 slice by its ScanImage header");
  expect_pages(read_tiff_volume(file, {.frames_are_slices = true}), {0, 1, 2, 3, 4});
}

TEST_F(TiffPrograms, ZeissLsmHasSlicesAndTimesBesideThumbnails) {
  const auto stack = read_tiff_volume(write_lsm({.slices = 4}, 4));
  expect_pages(stack, {0, 1, 2, 3});
  EXPECT_EQ(stack.reduced_images, 1);
  const auto stacks = write_lsm({.slices = 2, .times = 3, .scan = 6}, 6);
  expect_refused(stacks, "has 3 time points of 2 slices by its LSM header");
  expect_pages(read_tiff_volume(stacks, {.time = 2}), {2, 3});
  const auto series = write_lsm({.times = 4, .scan = 3}, 4);
  expect_refused(series, "or data.frames_are_slices (--frames-are-slices)");
  expect_refused(write_lsm({.slices = 5}, 4), "has 4 pages, and 5 by its LSM header");
  expect_refused(write_lsm({.slices = 4, .positions = 2}, 4), "has 2 positions by its LSM header");
  expect_refused(write_lsm({.slices = 4, .channels = 2}, 4, 2),
                 "is a Zeiss LSM with 2 channels in each page");
}

TEST_F(TiffPrograms, OtherBytesInTheTagOfLsmAreNone) {
  expect_values(
      read_tiff_volume(write({.tags = {{0, test::lsm_tag, "no header of Zeiss", false}}})));
}

TEST_F(TiffPrograms, MicroManagersPagesSayWhereTheyBelong) {
  const std::vector<std::string> pages{
      R"({"Axes": {"channel": "DAPI", "z": 0}})", R"({"Axes": {"channel": "GFP", "z": 0}})",
      R"({"Axes": {"channel": "DAPI", "z": 1}})", R"({"Axes": {"channel": "GFP", "z": 1}})"};
  const auto file = write_micro_manager(pages);
  expect_refused(file, "has 2 channels: 1 (DAPI), 2 (GFP) by its Micro-Manager metadata");
  expect_pages(read_tiff_volume(file, {.channel = 2}), {1, 3});
  expect_refused(write_micro_manager({pages[0], pages[1], pages[2]}),
                 "has 3 pages, and 4 by its Micro-Manager metadata");
  expect_refused(write_micro_manager({R"({"SliceIndex": 0, "PositionIndex": 0})",
                                      R"({"SliceIndex": 0, "PositionIndex": 1})"}),
                 "has several positions or other stacks");
  expect_refused(write_micro_manager({pages[0], "{}"}), "does not say of each page");
}

TEST_F(TiffPrograms, EveryPageOfMicroManagerMustSayItsPlace) {
  constexpr std::uint32_t micro_manager_tag = 51123;
  const auto* const place = R"({"Axes": {"z": 1}})";
  expect_refused(write({.tags = {{1, micro_manager_tag, place}, {2, micro_manager_tag, place}}}),
                 "does not say of each page which slice it is by its Micro-Manager metadata");
}

TEST_F(TiffPrograms, NamesOfPagesSayWhereTheyBelong) {
  StackFormat format;
  for (const auto* name : {"c:1/2 z:1/2 - x", "c:2/2 z:1/2 - x", "c:1/2 z:2/2 - x", "c:2/2 z:2/2"})
    format.tags.push_back({std::ssize(format.tags), TIFFTAG_PAGENAME, name});
  expect_refused(write(format, 4), "has 2 channels by its page names");
  const auto volume = read_tiff_volume(write(format, 4), {.channel = 2});
  expect_pages(volume, {1, 3});
  EXPECT_THAT(notes_of(volume), testing::IsEmpty());
  for (auto& tag : format.tags) tag.content = cat("cell_", 4 - tag.page);
  EXPECT_THAT(notes_of(read_tiff_volume(write(format, 4))),
              testing::ElementsAre(testing::HasSubstr("from 'cell_1' to 'cell_4'")));
}

TEST_F(TiffPrograms, DescriptionsOfPagesSayWhereTheyBelong) {
  const auto file_with = [&](const std::vector<std::string>& descriptions) {
    StackFormat format;
    for (const auto& description : descriptions)
      format.descriptions.emplace(std::ssize(format.descriptions), description);
    return write(format, std::ssize(descriptions));
  };
  const auto channels = file_with({"Exposure: 20 ms\nChannel: 488\nZ: 0", "Channel: 561\r\nZ: 0",
                                   "Channel: 488; Z: 1", "Channel: 561; Z: 1"});
  expect_refused(channels, "has 2 channels by its page descriptions");
  expect_pages(read_tiff_volume(channels, {.channel = 2}), {1, 3});
  expect_pages(read_tiff_volume(file_with({"Z position: 8.00 um", "Z position: 8.50 um",
                                           "Z position: -1.50 um", "Z position: 0.00 um"})),
               {2, 3, 0, 1});
  expect_refused(file_with({"Time: 10:11:12", "Time: 10:11:15"}), "has 2 time points of 1 slice");
  const auto notes = [&](const std::vector<std::string>& descriptions) {
    const auto volume = read_tiff_volume(file_with(descriptions));
    EXPECT_EQ(volume.shape[0], std::ssize(descriptions));
    return join(notes_of(volume), " ");
  };
  EXPECT_EQ(
      notes({"tilts\nTiltAngle = -40", "tilts\nTiltAngle = -35", "tilts\nTiltAngle = -30"}),
      "Descriptions of its pages differ ('TiltAngle = -40', 'TiltAngle = -35', …) and are not "
      "read: pages are slices as they are stored. If they are none of one volume, give a "
      "file for each.");
  EXPECT_THAT(notes({"Channel: 1\nlight", "Channel: 1\ndark"}), testing::HasSubstr("'dark'"))
      << "the first lines tell no page apart";
  EXPECT_EQ(notes({"Z: 1\nTemperature: 25", "Z: 2\nTemperature: 26"}), "");
  EXPECT_EQ(
      notes({"Z position: 0 um", "Z position: 0.5 um", "Z position: 1 um", "Z position: 2 um"}),
      "Slice numbers in its page descriptions leave out what is between 1 and 2: look "
      "whether slices are missing.");
  EXPECT_EQ(notes({"one", "one", "one"}), "");
  EXPECT_EQ(notes({"one", "one\n"}), "") << "but for line ends";
  EXPECT_THAT(notes({"one\ntwo", "one"}), testing::HasSubstr("('two', '', …)"));
}

TEST_F(TiffPrograms, TimesAndPlacesOfPagesAreSaid) {
  const auto notes = [&](const StackFormat& format) {
    return join(notes_of(read_tiff_volume(write(format))), " ");
  };
  const auto taken_at = [](const std::vector<std::string>& times) {
    StackFormat format;
    for (const auto& time : times)
      format.tags.push_back({std::ssize(format.tags), TIFFTAG_DATETIME, time});
    return format;
  };
  EXPECT_EQ(notes(taken_at({"2024:05:01 10:00:00", "2024:05:02 10:00:00", "2024:05:03 10:00:00"})),
            "Each of its pages has a time of its own (DateTime, '2024:05:01 10:00:00' to "
            "'2024:05:03 10:00:00'): look whether they are time points.");
  EXPECT_EQ(notes(taken_at({"2024:05:01 10:00:00", "2024:05:01 10:00:20", "2024:05:01 10:01:10"})),
            "");
  EXPECT_EQ(notes(taken_at({"2024:05:01 10:00:00", "2024:05:02 10:00:00"})), "") << "of 3 pages";
  EXPECT_THAT(notes({.x_positions = {0, 0.5, 1}}), testing::HasSubstr("have 3 places by their"));
  EXPECT_EQ(notes({.x_positions = {0.5, 0.5, 0.5}}), "");
}

TEST_F(TiffPrograms, MicroManagersPagesAndImageJsKeysMustAgree) {
  std::vector<std::string> pages;  // slices first
  for (int i = 0; i < 4; ++i)
    pages.push_back(cat(R"({"ChannelIndex": )", i / 2, R"(, "SliceIndex": )", i % 2, "}"));
  const std::string keys = "ImageJ=1.48p\nimages=4\n";
  const auto both = "channels=2\nslices=2\n";
  expect_pages(
      read_tiff_volume(write_micro_manager(pages, keys + both + "order=zct\n"), {.channel = 2}),
      {2, 3});
  for (const auto* other : {both, "slices=4\n"})
    expect_refused(write_micro_manager(pages, keys + other),
                   "says of its pages otherwise by its Micro-Manager metadata than by its ImageJ");
  pages[3] = "{}";
  expect_pages(read_tiff_volume(write_micro_manager(pages, keys + "slices=4\n")), {0, 1, 2, 3});
}

/// As ImageJ's Hyperstack to Stack leaves them.
TEST_F(TiffPrograms, ImageJsLabelsTellChannelsThatAreStoredAsSlices) {
  for (const auto* mode : {"w", "wb"}) {
    const bool is_big = std::string(mode) == "wb";
    const auto number = [&](std::uint32_t value, int bytes) {
      std::string text;
      for (int i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> 8 * (is_big ? bytes - 1 - i : i) & 255);
      return text;
    };
    const auto file_with = [&](const std::vector<std::string>& labels) {
      std::string parts;
      std::vector<std::uint32_t> part_bytes{20, 3};  // a part "info" before the labels
      for (const auto& label : labels) {
        for (const char letter : label) parts += number(static_cast<std::uint32_t>(letter), 2);
        part_bytes.push_back(static_cast<std::uint32_t>(2 * label.size()));
      }
      const auto count = static_cast<std::uint32_t>(labels.size());
      const auto header =
          cat("IJIJ", number(0x696e666f, 4), number(1, 4), number(0x6c61626c, 4), number(count, 4));
      return write({.mode = mode,
                    .descriptions = {{0, "ImageJ=1.53t\nimages=4\nslices=4\n"}},
                    .tags = {{0, 50838, "", false, part_bytes},
                             {0, 50839, cat(header, "abc", parts), false}}},
                   4);
    };
    const auto file = file_with({"c:1/2 z:1/2", "c:2/2 z:1/2\nt:3", "c:1/2 z:2/2", "c:2/2 z:2/2"});
    expect_refused(file, "has 2 channels by its slice labels");
    expect_pages(read_tiff_volume(file, {.channel = 2}), {1, 3});
    expect_refused(file_with({"c:1/2 z:1/1", "c:2/2 z:1/1"}), "says of its pages otherwise");
    expect_refused(file_with({"t:1/4", "t:2/4", "t:3/4", "t:4/4"}), "or data.frames_are_slices");
    expect_pages(read_tiff_volume(file_with({"DAPI", "GFP", "DAPI", "GFP"}), {.channel = 2}),
                 {1, 3});
    expect_refused(file_with({"p0_z0", "p1_z0", "p0_z1", "p1_z1"}), "Remove Slice Labels");
    const auto named = file_with({"top", "middle", "low", "bottom"});
    expect_refused(named, "has 4 channels: 1 (top), 2 (middle), 3 (low), 4 (bottom)");
    expect_pages(read_tiff_volume(named, {.frames_are_slices = true}), {0, 1, 2, 3});
    EXPECT_THAT(notes_of(read_tiff_volume(file_with({"rep1", "rep2", "rep3", "rep4"}))),
                testing::ElementsAre(testing::HasSubstr("'rep' in its slice labels")));
    expect_pages(read_tiff_volume(file_with({"c:2/2 z:1", "c:2/2 z:2", "c:2/2 z:3"})),
                 {0, 1, 2, 3});
  }
}

TEST_F(TiffPrograms, MetaMorphAndFluoViewAreRefusedWhereTheirTagsSayTheAxes) {
  for (const auto& [tag, name] : {std::pair(33628U, "MetaMorph"),
                                  {33629U, "MetaMorph"},
                                  {34361U, "Olympus FluoView"},
                                  {34362U, "Olympus FluoView"}}) {
    const PageTag of_program{0, tag, "1234", false};
    expect_refused(write({.tags = {of_program}}), cat("is of ", name, ", whose tags"));
    expect_values(read_tiff_volume(
        write({.descriptions = {{0, "ImageJ=1.54\nimages=3\nslices=3\n"}}, .tags = {of_program}})));
  }
}

TEST_F(TiffPrograms, PagesOfSeveralWavelengthsAreRefused) {
  const auto wavelength = [](int value) {
    return cat("<MetaData><PlaneInfo><prop id=\"wavelength\" type=\"float\" value=\"", value,
               "\"/></PlaneInfo></MetaData>");
  };
  const auto with = [&](int last) {
    return StackFormat{
        .descriptions = {{0, wavelength(525)}, {1, wavelength(525)}, {2, wavelength(last)}}};
  };
  expect_refused(write(with(600)),
                 "(wavelength 525, wavelength 600) by its MetaMorph descriptions");
  expect_values(read_tiff_volume(write(with(525))));
}

TEST_F(TiffPrograms, ADescriptionComesBeforeMicroManagersPages) {
  const std::vector<std::string> pages(4, R"({"ChannelIndex": 0, "SliceIndex": 0})");
  expect_pages(
      read_tiff_volume(
          write_micro_manager(pages, ome_xml(R"(SizeC="2" SizeZ="2" SizeT="1")", "<TiffData/>")),
          {.channel = 1}),
      {0, 2});
  expect_refused(write_micro_manager(pages), "has 4 pages, and 1 by its Micro-Manager metadata");
}

TEST_F(TiffPrograms, AnotherAxisAmongOmesSlicesIsRefused) {
  expect_refused(
      write({.descriptions = {{0, ome_xml(R"(SizeC="1" SizeZ="3")", "<TiffData/>") +
                                      R"(<Modulo><ModuloAlongZ Type="lifetime"/></Modulo>)"}}}),
      "has another axis among its slices (ModuloAlongZ: lifetime) by its OME-XML");
}

}  // namespace
}  // namespace scalestudy
