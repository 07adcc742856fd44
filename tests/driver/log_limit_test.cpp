#include "driver/run/log_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A rank's log that is open while it is cut.
class Writer {
 public:
  explicit Writer(const fs::path& log) : out_(log, std::ios::app) {}
  void print(const std::string& text) { out_ << text << std::flush; }
  void print_much() {
    const std::string line = std::string(1023, 'x') + "\n";
    for (std::int64_t i = 0; i <= LogLimit::most_bytes / 1024; ++i) out_ << line;
    out_ << std::flush;
  }

 private:
  std::ofstream out_;
};

TEST(LogLimit, LeavesShortLogsAsTheyAre) {
  const TemporaryFolder folder;
  const auto log = folder / "rank-0.log";
  write_text(log, "all is well\n");
  LogLimit({log, folder / "absent"}).apply();
  EXPECT_EQ(content_of(log), "all is well\n");
}

TEST(LogLimit, KeepsBothEndsAndSaysWhatIsMissing) {
  const TemporaryFolder folder;
  const auto log = folder / "rank-0.log";
  LogLimit limit({log});
  Writer writer(log);
  writer.print("the first words\n");
  writer.print_much();
  writer.print("the last words\n");
  limit.apply();
  EXPECT_LT(fs::file_size(log), 2 * LogLimit::kept_bytes + 1000);
  const auto text = content_of(log);
  EXPECT_THAT(text, StartsWith("the first words\n"));
  EXPECT_THAT(text, EndsWith("the last words\n"));
  EXPECT_THAT(text, HasSubstr("[scalestudy left out about 12.00 MiB here"));
  writer.print("and more\n");
  EXPECT_THAT(content_of(log), EndsWith("the last words\nand more\n"));
}

TEST(LogLimit, CountsAllThatWasEverLeftOut) {
  const TemporaryFolder folder;
  const auto log = folder / "mpirun.log";
  LogLimit limit({log});
  Writer writer(log);
  for (int i = 0; i < 3; ++i) {
    writer.print_much();
    limit.apply();
  }
  EXPECT_LT(fs::file_size(log), 2 * LogLimit::kept_bytes + 1000);
  EXPECT_THAT(content_of(log), HasSubstr("left out about 44.00 MiB here"));
}

TEST(LogLimit, TouchesNoSpecialFile) {
  const TemporaryFolder folder;
  const auto pipe = folder / "rank-0.log";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  LogLimit({pipe}).apply();
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace scalestudy
