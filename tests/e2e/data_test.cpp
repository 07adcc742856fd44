#include <gmock/gmock.h>

#include "tests/e2e/driver_process.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path real_stack = fs::path(test::in_sources("workloads/noise2void/data/chromosomes.tif"));

TEST(DataCommand, FilledDiskIsAFailedRunWithoutRemains) {
  const Workplace place;
  const auto pack = place.path() / "stack.h5";
  // The largest file that the process may write stands for a full disk.
  const auto limited = cat("ulimit -f 200; trap '' XFSZ; exec '", test::in_build("bin/scalestudy"),
                           "' data prepare '", real_stack.string(), "' --out ./stack.h5");
  write_text(place.path() / "limited.sh", limited);
  const auto code = std::system(
      cat("cd \"", place.path().string(), "\" && bash limited.sh 2>message >/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(code), 5);
  EXPECT_THAT(content_of(place.path() / "message"), HasSubstr("stack.h5' cannot be written"));
  EXPECT_FALSE(fs::exists(pack));
  EXPECT_FALSE(fs::exists(pack.string() + ".part"));
}

}  // namespace
}  // namespace scalestudy
