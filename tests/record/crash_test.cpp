#include <atomic>
#include <csignal>
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
    writer.append_event(sample_row(event_column::all(), static_cast<double>(step)));
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
    const auto file = close_run_file(part, {RunStatus::failed, "killed", 0, "forward", 1.0, {}});
    const auto run = read_run_file(file);
    ASSERT_GE(run.steps.steps(), promised);
    ASSERT_GE(static_cast<std::int64_t>(run.events.rows()), promised);
    EXPECT_EQ(run.steps.at(step_column::loss, 1, promised - 1),
              sample_step_value(1, promised - 1, 9));
    EXPECT_EQ(run.events.text(event_column::code)[static_cast<std::size_t>(promised - 1)],
              "code " + std::to_string(static_cast<double>(promised - 1)) + " µ");
  }
}

}  // namespace
}  // namespace scalestudy
