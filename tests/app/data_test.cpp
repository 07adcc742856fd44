#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "tests/app/driver_answer.hpp"
#include "tests/record/sample_run.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const fs::path real_stack =
    fs::path(SCALESTUDY_SOURCE_DIR) / "workloads/noise2void/data/chromosomes.tif";

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

TEST(DataInspect, JsonHoldsTheSame) {
  const auto answer =
      ask_driver({"data", "inspect", real_stack.string(), "--patch=16,64,64", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto found = json::parse(answer.out);
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

TEST(Data, UnknownActionSuggestsInspect) {
  const auto answer = ask_driver({"data", "inspct", "x.tif"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("Did you mean 'data inspect'"));
}

}  // namespace
}  // namespace scalestudy
