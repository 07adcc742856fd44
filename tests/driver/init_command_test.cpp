#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "tests/driver/driver_answer.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/stack_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string sources = test::in_sources("workloads/");

class InitCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string out() const { return (folder_ / "my study.json").string(); }
  [[nodiscard]] DriverAnswer init(const std::string& workload, const std::string& data) const {
    return ask_driver({"init", workload, "--data", data, "--out", out()});
  }
  /// Settings of the file it wrote, which `plan` must accept.
  [[nodiscard]] json settings_for(const std::string& workload, const std::string& data) const {
    const auto answer = init(workload, data);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("\nNext: scalestudy plan '"));
    const auto planned = json_of_driver({"plan", out()});
    EXPECT_GE(planned["runs"].size(), 6U) << planned["skipped"];
    EXPECT_EQ(json::parse(content_of(out()))["fair_base"], true);
    for (const auto& run : planned["runs"]) EXPECT_GT(run["quality"]["margin"], 0);
    return json::parse(content_of(out()))["settings"];
  }
  TemporaryFolder folder_;
};

TEST_F(InitCommand, AStackGetsPatchesThatFit) {
  const auto settings = settings_for("noise2void", cat(sources, "noise2void/data/chromosomes.tif"));
  EXPECT_EQ(settings["patch"], json({8, 32, 32}));
}

TEST_F(InitCommand, ANarrowStackGetsPatchesThatCanBeTurned) {
  const auto stack = folder_ / "narrow.tif";
  test::write_stack(stack, {40, 152, 24},
                    [](auto z, auto y, auto x) { return double((7 * z + 5 * y + 3 * x) % 50); });
  EXPECT_EQ(settings_for("noise2void", stack.string())["patch"], json({8, 16, 16}));
}

TEST_F(InitCommand, PicturesWithMasksGetASizeTheNetworkCanHalve) {
  const auto settings = settings_for("unet", cat(sources, "unet/data/dsb2018_nuclei"));
  for (const auto& side : settings["size"]) EXPECT_EQ(side.get<int>() % 16, 0);
  EXPECT_EQ(settings["local_batch_size"], 8);
}

TEST_F(InitCommand, APackKeepsTheFitThatItWasMadeWith) {
  for (const auto& [workload, data, fit] :
       {std::tuple{"unet", "unet/data/dsb2018_nuclei", "stretched"},
        std::tuple{"resnet50", "resnet50/data/bccd_cells", "padded"}}) {
    const auto pack = (folder_ / cat(workload, ".h5")).string();
    const auto made = ask_driver(
        {"data", "prepare", cat(sources, data), "--out", pack, "--size", "64x64", "--fit", fit});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(settings_for(workload, pack)["fit"], fit);
    fs::remove(out());
  }
}

TEST_F(InitCommand, MasksThatVanishAtTheSizeAreSaid) {
  for (const std::string name : {"a.png", "b.png", "c.png", "d.png", "e.png"}) {
    auto picture = test::pattern(400, 400, 1);
    picture.bytes[0] = std::byte(name[0]);
    test::write_png(folder_ / "set/images" / name, picture);
    auto mask = picture;
    std::ranges::fill(mask.bytes, std::byte(0));
    mask.bytes[5] = std::byte(255);
    if (name == "e.png") std::fill_n(mask.bytes.begin(), 4000, std::byte(255));
    test::write_png(folder_ / "set/masks" / name, mask);
  }
  const auto answer = init("unet", (folder_ / "set").string());
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("4 of 5 masks with foreground have none left when resized to "
                                    "128 x 128 px"));
  EXPECT_THAT(init("unet", cat(sources, "unet/data/dsb2018_nuclei")).err,
              Not(HasSubstr("resized")));
}

/// As ISBI 2012 is published.
TEST_F(InitCommand, AStackAmongPicturesIsSaidBeforeTheirNumber) {
  for (const auto* name : {"images", "masks"}) {
    fs::create_directories(folder_ / "set" / name);
    test::write_stack(folder_ / "set" / name / "train.tif", {12, 16, 16},
                      [](auto, auto y, auto x) { return double(y * x % 2); });
  }
  EXPECT_THAT(init("unet", (folder_ / "set").string()).err,
              HasSubstr("train.tif' is a TIFF of 12 pages"));
}

TEST_F(InitCommand, AThresholdForMasksIsWrittenOrRefused) {
  for (const auto* name : {"a.png", "b.png", "c.png", "d.png", "e.png"}) {
    auto picture = test::pattern(32, 32, 1);
    picture.bytes[0] = std::byte(name[0]);
    test::write_png(folder_ / "set/images" / name, picture);
    auto mask = test::smooth(32, 32, 1);
    for (auto& value : mask.bytes) value = std::byte(std::to_integer<int>(value) / 3);
    test::write_png(folder_ / "set/masks" / name, mask);
  }
  const auto set = (folder_ / "set").string();
  EXPECT_THAT(init("unet", set).err, HasSubstr("--mask-threshold of scalestudy init and data"));
  const auto with = [&](const std::string& workload, const std::string& data,
                        const std::string& threshold) {
    return ask_driver(
        {"init", workload, "--data", data, "--out", out(), "--mask-threshold", threshold});
  };
  EXPECT_THAT(with("unet", set, "1").err, HasSubstr("0 to below 1"));
  EXPECT_THAT(with("noise2void", cat(sources, "noise2void/data/chromosomes.tif"), "0.2").err,
              HasSubstr("noise2void reads no masks"));
  EXPECT_FALSE(fs::exists(out()));
  EXPECT_EQ(with("unet", set, "0.2").code, 0);
  EXPECT_EQ(json::parse(content_of(out()))["settings"]["mask_threshold_frac"], 0.2);
  EXPECT_GE(json_of_driver({"plan", out()})["runs"].size(), 6U);
}

TEST_F(InitCommand, ClassFoldersGetEpochsByTheirNumberOfPictures) {
  const auto settings = settings_for("resnet50", cat(sources, "resnet50/data/bccd_cells"));
  EXPECT_GE(settings["epochs"].get<int>(), 3);
  EXPECT_EQ(settings["size"], json({64, 64}));
}

TEST_F(InitCommand, TheFileReadsAsAPersonWouldWriteIt) {
  (void)settings_for("noise2void", cat(sources, "noise2void/data/chromosomes.tif"));
  const auto text = content_of(out());
  EXPECT_THAT(text, HasSubstr("\n    \"patch\": [8, 32, 32],\n"));
  EXPECT_THAT(text,
              HasSubstr("\n  \"axes\": {\"ranks\": [1, 2], \"scaling_rule\": [\"strong\"]},\n"));
}

TEST_F(InitCommand, RefusalsWriteNothing) {
  EXPECT_THAT(init("noise2vod", "x").err, HasSubstr("Did you mean 'noise2void'"));
  EXPECT_THAT(init("unet", "/nowhere").err, HasSubstr("'/nowhere' does not exist"));
  const auto nuclei = cat(sources, "unet/data/dsb2018_nuclei");
  const auto other = init("noise2void", nuclei);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("(they are data for unet). Use init unet."));
  EXPECT_EQ(init("resnet50", nuclei).code, 2);
  for (const auto* name : {"images", "masks"})
    test::write_png(folder_ / "sets/train" / name / "a.png", test::pattern(16, 16, 1));
  for (const auto* workload : {"unet", "resnet50"}) {
    const auto answer = init(workload, (folder_ / "sets").string());
    EXPECT_THAT(answer.err, HasSubstr((folder_ / "sets/train'").string())) << workload;
    EXPECT_THAT(answer.err, Not(HasSubstr("Use init"))) << workload;
  }
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THAT(init("unet", (folder_ / "loop").string()).err,
              HasSubstr("cannot be reached: Too many"));
  write_text(folder_ / "notes.txt", "no data for anyone");
  EXPECT_THAT(init("unet", (folder_ / "notes.txt").string()).err, Not(HasSubstr("Use init")));
  EXPECT_FALSE(fs::exists(out()));
}

class InitOfSeveralStacks : public InitCommand {
 protected:
  void write(const std::string& description) const {
    test::write_stack(file_, {16, 32, 32},
                      [](auto z, auto y, auto x) { return double(100 * z + 3 * y + x); },
                      {.descriptions = {{0, description}}});
  }
  [[nodiscard]] DriverAnswer init_answering(const std::string& typed,
                                            const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments{"init",         "noise2void", "--data",
                                       file_.string(), "--out",      out()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    fs::remove(out());
    std::istringstream answers(typed);
    return ask_driver(arguments, typed.empty() ? nullptr : &answers);
  }
  [[nodiscard]] json data_of_study() const { return json::parse(content_of(out()))["data"]; }
  fs::path file_ = folder_ / "stack.tif";
};

TEST_F(InitOfSeveralStacks, TheChannelIsAskedForOrGiven) {
  write(test::ome_xml(R"(SizeC="2" SizeZ="8")", R"(<Channel Name="DAPI"/><Channel Name="GFP"/>)"));
  const auto alone = init_answering("");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("has 2 channels: 1 (DAPI), 2 (GFP) by its OME-XML"));
  EXPECT_THAT(alone.err, HasSubstr("Set data.channel (--channel)"));
  EXPECT_FALSE(fs::exists(out()));
  const auto asked = init_answering("what?\n-5\n2\n");
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_THAT(asked.err, HasSubstr("Number from 1 to 2: "));
  EXPECT_EQ(data_of_study()["channel"], 2);
  EXPECT_EQ(init_answering("what?\n").code, 2) << "nothing more is typed";
  EXPECT_EQ(init_answering("", {"--channel", "1"}).code, 0);
  EXPECT_EQ(data_of_study()["channel"], 1);
  EXPECT_THAT(init_answering("", {"--channel", "3"}).err, HasSubstr("data.channel is 3"));
}

TEST_F(InitOfSeveralStacks, FramesCanBeSlices) {
  write("ImageJ=1.53t\nimages=16\nframes=16\n");
  EXPECT_EQ(init_answering("slices\n").code, 0);
  EXPECT_EQ(data_of_study()["frames_are_slices"], true);
  EXPECT_FALSE(data_of_study().contains("time"));
  const auto pack = (folder_ / "pack.h5").string();
  EXPECT_EQ(
      ask_driver({"data", "prepare", file_.string(), "--frames-are-slices", "--out", pack}).code,
      0);
  const auto answer = ask_driver({"data", "inspect", pack});
  EXPECT_THAT(answer.out, HasSubstr("made from 'stack.tif, frames as slices'"));
  EXPECT_THAT(ask_driver({"data", "inspect", pack, "--channel", "1"}).err,
              HasSubstr("holds one stack"));
}

TEST_F(InitCommand, AMinusIsStandardOutput) {
  const auto answer = ask_driver({"init", "noise2void", "--data",
                                  cat(sources, "noise2void/data/chromosomes.tif"), "--out", "-"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(json::parse(answer.out)["workload"], "noise2void");
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(InitCommand, AnExistingFileIsKept) {
  write_text(out(), "mine");
  const auto answer = init("noise2void", cat(sources, "noise2void/data/chromosomes.tif"));
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("exists"));
  EXPECT_EQ(content_of(out()), "mine");
}

}  // namespace
}  // namespace scalestudy
