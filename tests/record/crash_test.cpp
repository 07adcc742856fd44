#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

#include "tests/record/sample_run.hpp"

namespace scalestudy {
namespace {

// Shared with the child: how many steps it has flushed.
class SharedCounter {
 public:
  SharedCounter()
      : counter_(static_cast<std::atomic<std::int64_t>*>(::mmap(nullptr,
                                                                sizeof(std::atomic<std::int64_t>),
                                                                PROT_READ | PROT_WRITE,
                                                                MAP_SHARED | MAP_ANONYMOUS,
                                                                -1,
                                                                0))) {}
  ~SharedCounter() { ::munmap(counter_, sizeof *counter_); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  [[nodiscard]] std::atomic<std::int64_t>& value() { return *counter_; }

 private:
  std::atomic<std::int64_t>* counter_;
};

[[noreturn]] void write_for_ever(const std::filesystem::path& part,
                                 std::atomic<std::int64_t>& flushed) {
  RunFileWriter writer(part, sample_header(), 2);
  writer.flush();
  for (std::int64_t step = 0;; ++step) {
    writer.append_steps(1, sample_steps(2, step, 1));
    writer.append_event(sample_row<EventRow>(static_cast<double>(step)));
    writer.flush();
    flushed.store(step + 1);
  }
}

TEST(Crash, KilledWriterLeavesAllFlushedRows) {
  std::mt19937 random(11);
  for (int attempt = 0; attempt < 25; ++attempt) {
    const TemporaryFolder folder;
    const auto part = folder / "run.h5.part";
    SharedCounter flushed;
    const pid_t child = ::fork();
    if (child == 0) write_for_ever(part, flushed.value());
    while (flushed.value() == 0) ::usleep(200);
    ::usleep(static_cast<useconds_t>(random() % 60'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto promised = flushed.value().load();
    const auto file = close_run_file(part, {RunStatus::failed, "killed", 0, "forward", {}});
    const auto run = read_run_file(file);
    ASSERT_GE(run.steps.steps(), promised);
    ASSERT_GE(static_cast<std::int64_t>(run.events.size()), promised);
    EXPECT_EQ(run.steps.at(&StepRow::loss, 1, promised - 1),
              sample_step_value(1, promised - 1, &StepRow::loss));
    EXPECT_EQ(run.events[static_cast<std::size_t>(promised - 1)].code,
              "code " + std::to_string(static_cast<double>(promised - 1)) + " µ");
  }
}

// HDF5 writes its header last: a writer killed before that leaves the length of the flush before.
TEST(Crash, AHeaderOlderThanTheLastFlushLosesNothing) {
  constexpr std::streamoff stated_length_offset = 512 + 40;
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  std::array<char, 8> older{};
  {
    RunFileWriter writer(part, sample_header(), 1);
    writer.flush();
    std::ifstream(part, std::ios::binary).seekg(stated_length_offset).read(older.data(), 8);
    for (int i = 0; i < 500; ++i) writer.append_event(sample_row<EventRow>(static_cast<double>(i)));
    writer.flush();
  }
  std::fstream(part, std::ios::binary | std::ios::in | std::ios::out)
      .seekp(stated_length_offset)
      .write(older.data(), 8);
  EXPECT_EQ(read_run_file(part).events.size(), 500U);
  const auto file = close_run_file(part, {RunStatus::failed, "killed", 0, "forward", {}});
  EXPECT_EQ(read_run_file(file).events.size(), 500U);
}

// A flush that was cut short may have written the index of a text but not the text.
TEST(Crash, TextsThatWereNeverWrittenEndTheirTableNotTheFile) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), 1);
    writer.append_steps(3, sample_steps(1, 0, 3));
    for (int i = 0; i < 500; ++i) writer.append_event(sample_row<EventRow>(static_cast<double>(i)));
    writer.flush();
  }
  const auto last_texts = content_of(part).rfind("GCOL");  // a global heap collection of HDF5
  ASSERT_NE(last_texts, std::string::npos);
  std::fstream(part, std::ios::binary | std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(last_texts))
      .write("\0\0\0\0", 4);
  const auto file = close_run_file(part, {RunStatus::failed, "killed", 0, "forward", {}});
  const auto run = read_run_file(file);
  EXPECT_EQ(run.steps.steps(), 3);
  EXPECT_LT(run.events.size(), 500U);
  ASSERT_GT(run.events.size(), 0U);
  EXPECT_EQ(run.events.back().code,
            sample_row<EventRow>(static_cast<double>(run.events.size() - 1)).code);
}

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
  for (const rlim_t most_bytes : {400'000, 455'000, 503'333, 600'000, 777'777}) {
    SCOPED_TRACE(most_bytes);
    const TemporaryFolder folder;
    const auto part = folder / "run.h5.part";
    SharedCounter flushed;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(write_until_the_disk_is_full(part, most_bytes, flushed.value()));
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    const auto promised = flushed.value().load();
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
