#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/noisy_volume.hpp"
#include "tests/support/other_programs.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const fs::path real_stack = fs::path(test::in_sources("workloads/noise2void/data/chromosomes.tif"));

// The stack is part of the repository; its grey values were read with libtiff's own tools, its
// checksum with sha256sum.
TEST(DataInspect, DescribesTheRealStack) {
  const auto answer = ask_driver({"data", "inspect", real_stack.string(), "--patch", "8,32,32"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Shape        40 x 152 x 126 voxels (z, y, x)"));
  EXPECT_THAT(answer.out, HasSubstr("Stored as    uint16\n"));
  EXPECT_THAT(answer.out, HasSubstr("Grey values  35 to 237, mean "));
  EXPECT_THAT(answer.out, HasSubstr("Patches      60 of 8 x 32 x 32"));  // 5 x 4 x 3
  EXPECT_THAT(answer.out, HasSubstr("Method: median over 32 x 32 tiles"));
}

TEST(DataInspect, SaysWhatCorrelatedNoiseDoes) {
  const TemporaryFolder folder;
  const auto inspected = [&](double share) {
    const auto file = folder / "volume.h5";
    test::write_noisy_volume(file, {4, 64, 64}, share);
    return ask_driver({"data", "inspect", file.string()}).out;
  };
  EXPECT_THAT(inspected(0.5), HasSubstr("The noise of neighbouring voxels is correlated along x"));
  EXPECT_THAT(inspected(0), HasSubstr("Agrees with noise that is independent"));
  EXPECT_THAT(inspected(0), Not(HasSubstr("correlated along")));
}

TEST(DataInspect, JsonHoldsTheSame) {
  const auto found = json_of_driver({"data", "inspect", real_stack.string(), "--patch=16,64,64"});
  EXPECT_EQ(found["shape_zyx"], json::array({40, 152, 126}));
  EXPECT_EQ(found["minimum"], 35);
  EXPECT_EQ(found["grid_patch_count"], 2 * 2 * 1);
  EXPECT_EQ(found["file_sha256"],
            "ca27860f921d4908083ce3d8b444647e4507b9922c318e22e88154fda48a508d");
  EXPECT_EQ(found["content_hash"].get<std::string>().size(), 16U);
  for (const auto* axis : {"z", "y", "x"})
    EXPECT_TRUE(found["noise_correlation"][axis].is_number());
}

TEST(DataInspect, RefusesWhatIsNoVolume) {
  const TemporaryFolder folder;
  const auto missing = ask_driver({"data", "inspect", (folder / "none.tif").string()});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.tif' does not exist"));
  std::ofstream(folder / "text.tif") << "This is not an image.";
  const auto text = ask_driver({"data", "inspect", (folder / "text.tif").string()});
  EXPECT_EQ(text.code, 2);
  EXPECT_THAT(text.err, HasSubstr("text.tif' is not a readable TIFF"));
  const auto cut = folder / "cut.tif";
  for (const std::uintmax_t length : {7U, 100U, 5000U, 300000U}) {
    fs::copy_file(real_stack, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, length);
    const auto answer = ask_driver({"data", "inspect", cut.string()});
    EXPECT_EQ(answer.code, 2) << length;
    EXPECT_EQ(answer.out, "") << length;
    EXPECT_THAT(answer.err, HasSubstr("cut.tif")) << length;
  }
}

TEST(DataInspect, RefusesPatchesThatAreNoneOrDoNotFit) {
  for (const auto* patch : {"8,32", "8,32,0", "8,32,-1", "8,32,x", "8,32,32,1", ",,", "1e2,2,2"}) {
    const auto answer =
        ask_driver({"data", "inspect", real_stack.string(), cat("--patch=", patch)});
    EXPECT_EQ(answer.code, 2) << patch;
    EXPECT_THAT(answer.err, HasSubstr("Write e.g. --patch 16,64,64")) << patch;
  }
  const auto thick = ask_driver({"data", "inspect", real_stack.string(), "--patch", "64,64,64"});
  EXPECT_EQ(thick.code, 2);
  EXPECT_THAT(thick.err, HasSubstr("chromosomes.tif"));
}

TEST(DataInspect, SaysInWhichSplitsAPictureIsTwice) {
  const TemporaryFolder folder;
  const auto put = [&](const std::string& file, std::int64_t side) {
    test::write_png(folder / file, test::pattern(side, side, 3));
  };
  put("train/owl/a.png", 8);
  put("valid/owl/b.png", 9);
  put("test/owl/c.png", 9);
  const auto inspected = [&] {
    return ask_driver({"data", "inspect", folder.path().string()}).out;
  };
  EXPECT_THAT(inspected(), HasSubstr("1 picture in valid and test: what chooses the weights"));
  EXPECT_THAT(inspected(), Not(HasSubstr("was trained on")));
  put("test/owl/c.png", 8);
  EXPECT_THAT(inspected(), HasSubstr("1 picture in two splits: what is evaluated was trained on"));
  EXPECT_THAT(inspected(), Not(HasSubstr("in valid and test")));
}

class DataPrepare : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_png(folder_ / "cells/train/owl/a.png", test::pattern(8, 9, 3));
    test::write_png(folder_ / "cells/test/owl/b.png", test::pattern(8, 8, 3));
  }
  [[nodiscard]] DriverAnswer prepare(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"data", "prepare", source_.string(), "--out",
                                       pack_.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ask_driver(arguments);
  }
  TemporaryFolder folder_;
  fs::path source_ = folder_ / "cells";
  fs::path pack_ = folder_ / "cells.h5";
};

TEST_F(DataPrepare, SaysWhatItPacked) {
  const auto answer = prepare();
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Contents     classes, pixels, made from 'cells'"));
  EXPECT_THAT(answer.out, HasSubstr("Samples      2\n"));
  EXPECT_THAT(answer.out, HasSubstr("read back and compared"));
  const auto inspected = ask_driver({"data", "inspect", pack_.string(), "--verify"});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("every picture agrees with its checksums"));
  EXPECT_THAT(inspected.out, HasSubstr("Width        8 to 9 px, median 8.5"));
  EXPECT_THAT(inspected.out, HasSubstr("Duplicates   none"));
}

TEST_F(DataPrepare, JsonHoldsTheSame) {
  const auto packed = json::parse(prepare({"--json", "--size", "4x6"}).out);
  EXPECT_EQ(packed["sample_count"], 2);
  EXPECT_EQ(packed["pack"]["fit"], "stretched");
  EXPECT_THAT(ask_driver({"data", "--help"}).out, HasSubstr("the aspect ratio is kept"));
  const auto found = json_of_driver({"data", "inspect", pack_.string()});
  EXPECT_EQ(found["kind"], "classes");
  EXPECT_EQ(found["pack"]["width_px"], 6);
  EXPECT_EQ(found["pack"]["verified"], false);
  EXPECT_EQ(found["class_counts"][0]["sample_count"], 1);
}

TEST_F(DataPrepare, ReplacesOnlyWhenForced) {
  ASSERT_EQ(prepare().code, 0);
  const auto again = prepare();
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
  EXPECT_EQ(prepare({"--force"}).code, 0);
}

TEST_F(DataPrepare, RefusesWhatItCannotDo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--size", "4"}, "--size 4 is no size"},
      {{"--size", "0x4"}, "Write e.g. --size 256x256"},
      {{"--size", "4x4x4"}, "is no size"},
      {{"--size", "4x99999999999"}, "is no size"},
      {{"--fit", "padded"}, "--fit has no effect"},
      {{"--fit", "paded", "--size", "4x4"}, "'padded' is meant"},
      {{"--mask-threshold", "1"}, "0 to below 1"},
      {{"--mask-threshold", "0.3"}, "no masks"},
      {{"--patch", "1,2,3"}, "data prepare has no option --patch"},
      {{"--verify"}, "data prepare has no option --verify"}};
  for (const auto& [options, reason] : cases) {
    const auto answer = prepare(options);
    EXPECT_EQ(answer.code, 2) << reason;
    EXPECT_THAT(answer.err, HasSubstr(reason));
    EXPECT_FALSE(fs::exists(pack_)) << reason;
  }
  const auto nameless = ask_driver({"data", "prepare", source_.string()});
  EXPECT_EQ(nameless.code, 2);
  EXPECT_THAT(nameless.err, HasSubstr("needs --out"));
}

TEST_F(DataPrepare, VolumesReadTheSameFromAPack) {
  source_ = real_stack;
  const auto packed = prepare();
  ASSERT_EQ(packed.code, 0) << packed.err;
  EXPECT_THAT(packed.out, HasSubstr("Slices       40"));
  const auto stack = json_of_driver({"data", "inspect", real_stack});
  const auto pack = json_of_driver({"data", "inspect", pack_, "--verify"});
  EXPECT_EQ(pack["content_hash"], stack["content_hash"]);
  EXPECT_EQ(pack["stored_type"], "uint16");
  EXPECT_EQ(pack["pack"]["source"], "chromosomes.tif");
  EXPECT_EQ(ask_driver({"data", "inspect", real_stack, "--verify"}).code, 2);
}

TEST_F(DataPrepare, DamagedPacksAreRefusedNamingTheFile) {
  ASSERT_EQ(prepare().code, 0);
  fs::resize_file(pack_, fs::file_size(pack_) - 1);
  const auto answer = ask_driver({"data", "inspect", pack_.string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("cells.h5"));
}

TEST_F(DataPrepare, OtherReadersSeeEveryPicture) {
  const auto python = python_with_h5py();
  SCALESTUDY_NEEDS("h5py", !python.empty());
  ASSERT_EQ(prepare().code, 0);
  std::ofstream(folder_ / "check.py") << R"(
import sys, h5py
f = h5py.File(sys.argv[1])
assert f.attrs["kind"] == "classes" and f.attrs["schema"] == 2
assert [name.decode() for name in f["samples/id"]] == ["test/owl/b.png", "train/owl/a.png"]
assert [name.decode() for name in f["class_names"]] == ["owl"]
for i, width in enumerate((8, 9)):
    start, size = int(f["images/offset_bytes"][i]), int(f["images/size_bytes"][i])
    pixels = f["stored"][start:start + size].reshape(f["images/shape"][i])
    assert pixels.shape == (8, width, 3)
    for y in range(8):
        for x in range(width):
            for c in range(3):
                assert pixels[y, x, c] == (37 * y + 101 * x + 59 * c + 13 * x * y) % 256
)";
  const auto checked =
      run_command(cat(python, " ", shell_quoted(folder_ / "check.py"), " ", shell_quoted(pack_)));
  EXPECT_EQ(checked.status, 0) << checked.output;
}

TEST_F(DataPrepare, AFitThatTrainingMustBeToldIsSaid) {
  const auto usual = prepare({"--size", "8x8"});
  EXPECT_THAT(usual.out, HasSubstr("Fit          stretched: the aspect ratio is not kept\n"));
  const auto padded = prepare({"--size", "8x8", "--fit", "padded", "--force"});
  const auto line = HasSubstr(
      "Fit          padded: the aspect ratio is kept, the rest is black; training fits such "
      "pictures stretched, set settings.fit to padded\n");
  EXPECT_THAT(padded.out, line);
  EXPECT_THAT(ask_driver({"data", "inspect", pack_.string()}).out, line);
}

TEST(Data, WhatRunsRecordedIsSentToInspectAndReport) {
  const TemporaryFolder folder;
  const auto file = write_synthetic(folder / "study", {});
  for (const auto& path : {file, file.parent_path()})
    EXPECT_THAT(ask_driver({"data", "inspect", path.string()}).err,
                HasSubstr("Use scalestudy inspect " + path.string()));
  const auto study = (folder / "study").string();
  const auto answer = ask_driver({"data", "prepare", study, "--out", (folder / "x.h5").string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("Use scalestudy report " + study));
}

TEST(Data, WhereNobodyCanLookTheReasonIsSaid) {
  const TemporaryFolder folder;
  fs::create_symlink("loop", folder / "loop");
  const auto loop = (folder / "loop").string();
  for (const auto& command : {std::vector<std::string>{"data", "inspect", loop},
                              {"init", "unet", "--data", loop, "--out", "-"}})
    EXPECT_THAT(ask_driver(command).err, HasSubstr("Too many levels of symbolic links"));
}

TEST(Data, UnknownActionSuggestsInspect) {
  const auto answer = ask_driver({"data", "inspct", "x.tif"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("Did you mean 'data inspect'"));
}

}  // namespace
}  // namespace scalestudy
