#include <atomic>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/shared_value.hpp"

namespace scalestudy {
namespace {

// 0: a RunFailed that names file and reason.
int write_until_the_disk_is_full(const std::filesystem::path& part,
                                 rlim_t most_bytes,
                                 std::atomic<std::int64_t>& flushed) {
  const rlimit limit{most_bytes, most_bytes};
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    RunFileWriter writer(part, sample_header(), 1);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (std::int64_t step = 0; step < 1'000'000; step += 100) {
      writer.append_steps(100, sample_steps(1, step, 100));
      writer.flush();
      flushed.store(step + 100);
    }
    return 1;
  } catch (const RunFailed& error) {
    const std::string text = error.what();
    if (text.find("run.h5.part") == std::string::npos) return 2;
    return text.find("File too large") == std::string::npos ? 3 : 0;
  }
}

TEST(Crash, FullDiskIsReportedAndKeepsWhatWasFlushed) {
  for (const rlim_t most_bytes : {60'000, 400'000, 455'000, 503'333, 777'777}) {
    SCOPED_TRACE(most_bytes);
    const TemporaryFolder folder;
    const auto part = folder / "run.h5.part";
    SharedValue<std::atomic<std::int64_t>> flushed;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(write_until_the_disk_is_full(part, most_bytes, *flushed));
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    const auto promised = (*flushed).load();
    const auto run =
        read_run_file(close_run_file(part, {RunStatus::failed, "disk full", 0, "recording", {}}));
    EXPECT_GE(run.steps.steps(), promised);
    for (std::int64_t step = 0; step < promised; ++step) {
      ASSERT_EQ(run.steps.at(&StepRow::loss, 0, step), sample_step_value(0, step, &StepRow::loss));
    }
  }
}

}  // namespace
}  // namespace scalestudy
