#include <cerrno>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

#include "driver/run/driver_lock.hpp"
#include "driver/run/writable_study_folder.hpp"
#include "tests/analysis/synthetic_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

/// With this error a file system says that it has no locks; 0: it has.
static int no_locks_error = 0;

int real_fcntl(int descriptor, int command, struct flock* lock) asm("__real_fcntl");
int wrapped_fcntl(int descriptor, int command, struct flock* lock) asm("__wrap_fcntl");
int wrapped_fcntl(int descriptor, int command, struct flock* lock) {
  const bool locks = command == F_OFD_SETLK || command == F_OFD_GETLK;
  if (!locks || no_locks_error == 0) return real_fcntl(descriptor, command, lock);
  errno = no_locks_error;
  return -1;
}

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

RunSpec sample_spec(std::int64_t repeat) {
  return spec_of({.ranks = 2, .repeat = repeat});
}

StudyPlan sample_plan() {
  StudyPlan plan;
  plan.study = "s";
  plan.build_id = "b1";
  plan.host = {"CPU A", "m1", 2, "local", {{"X", "1"}}};
  plan.matrix.runs = {sample_spec(0), sample_spec(1)};
  plan.matrix.skipped = {{"ranks=8", "too many"}};
  return plan;
}

TEST(StudyFolder, IsNeverTheRootOfAllFolders) {
  const auto refusal_of = [](const fs::path& folder) {
    return message_of([&] {
      WritableStudyFolder(folder).require_place();
      return 0;
    });
  };
  EXPECT_THAT(refusal_of("/"), HasSubstr("Cannot write to /: it is the root of all folders"));
  const TemporaryFolder temporary;
  fs::create_directory_symlink("/", temporary.path() / "link");
  EXPECT_THAT(refusal_of(temporary.path() / "link"), HasSubstr("the root of all folders"));
  EXPECT_EQ(refusal_of(temporary.path() / "study"), "accepted");
}

TEST(StudyFolder, PlanSurvivesTheFile) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path() / "study");
  folder.create();
  folder.write_plan(sample_plan());
  const auto plan = folder.read_plan();
  EXPECT_EQ(plan.study, "s");
  EXPECT_EQ(plan.build_id, "b1");
  EXPECT_EQ(plan.host.fingerprint(), sample_plan().host.fingerprint());
  ASSERT_EQ(plan.matrix.runs.size(), 2U);
  EXPECT_EQ(plan.matrix.runs[1].run_id(), sample_spec(1).run_id());
  EXPECT_EQ(plan.matrix.runs[1].content_hash(), sample_spec(1).content_hash());
  ASSERT_EQ(plan.matrix.skipped.size(), 1U);
  EXPECT_EQ(plan.matrix.skipped[0].reason, "too many");
}

TEST(StudyFolder, OtherFoldersAndDamagedPlansAreRefused) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  EXPECT_THROW(folder.require_study(), BadInput);
  write_text(temporary.path() / "plan.json", "{\"study\": ");
  const auto damaged = message_of([&] { return folder.read_plan(); });
  EXPECT_THAT(damaged, HasSubstr("plan.json: parse error at line 1, column 11"));
  EXPECT_THAT(damaged, HasSubstr("Copy it again from where it came from"));
  for (const auto* text : {"[]", "null", "3", "{}", R"({"runs": 3})"}) {
    write_text(temporary.path() / "plan.json", text);
    EXPECT_THAT(message_of([&] { return folder.read_plan(); }),
                HasSubstr("plan.json is damaged: it is no object with a list 'runs'"))
        << text;
  }
}

TEST(StudyFolder, WhyThereIsNoPlanIsSaid) {
  const TemporaryFolder temporary;
  const StudyFolder folder(temporary.path() / "study");
  const auto message = [&] { return message_of([&] { return folder.read_plan(); }); };
  EXPECT_THAT(message(), HasSubstr("study does not exist"));
  fs::create_directories(folder.path());
  EXPECT_THAT(message(), HasSubstr("is no study folder"));
  fs::create_directories(folder.runs_folder());
  EXPECT_THAT(message(), HasSubstr("holds no run yet, and no plan.json"));
  fs::create_directories(folder.run_folder("a"));
  EXPECT_THAT(message(), HasSubstr("has runs, but no plan.json"));
}

TEST(StudyFolder, CannotBeMadeBelowAFile) {
  const TemporaryFolder temporary;
  write_text(temporary.path() / "file", "");
  EXPECT_THROW(WritableStudyFolder(temporary.path() / "file" / "study").create(), BadInput);
}

TEST(StudyFolder, SetAsideKeepsEveryAttempt) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  folder.create();
  for (const auto* expected : {"attempt-1", "attempt-2"}) {
    write_text(folder.run_folder("a") / "rank-0.log", expected);
    const auto attempt = folder.set_aside("a", CheckpointUse::set_aside);
    ASSERT_TRUE(attempt);
    EXPECT_EQ(attempt->filename(), expected);
    EXPECT_EQ(content_of(*attempt / "rank-0.log"), expected);
    EXPECT_FALSE(fs::exists(folder.run_folder("a") / "rank-0.log"));
  }
  EXPECT_EQ(content_of(folder.run_folder("a") / "attempt-1" / "rank-0.log"), "attempt-1");
}

TEST(StudyFolder, SetsAsideWhateverIsInTheWay) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  const auto run = folder.run_folder("a");
  fs::create_directories(run / "launch.json");
  fs::create_symlink(run / "spec.json", run / "spec.json");
  ASSERT_EQ(::mkfifo((run / "rank-0.log").c_str(), 0600), 0);
  const auto attempt = folder.set_aside("a", CheckpointUse::resume);
  ASSERT_TRUE(attempt);
  EXPECT_TRUE(fs::is_directory(*attempt / "launch.json"));
  EXPECT_TRUE(fs::is_symlink(*attempt / "spec.json"));
  EXPECT_TRUE(fs::is_fifo(*attempt / "rank-0.log"));
  EXPECT_FALSE(folder.set_aside("a", CheckpointUse::resume)) << "attempts stay";
}

TEST(StudyFolder, ACheckpointThatCannotBeLookedAtIsOne) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  fs::create_directories(folder.run_folder("a"));
  const auto file = folder.run_folder("a") / "checkpoint.pt";
  fs::create_symlink(file, file);
  EXPECT_TRUE(folder.has_checkpoint("a"));
}

TEST(StudyFolder, LogThatIsNoOrdinaryFileIsRefused) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  ASSERT_EQ(::mkfifo(folder.driver_log().c_str(), 0600), 0);
  EXPECT_THAT(message_of<BadInput>([&] { folder.create(); }),
              HasSubstr("driver.log: it is no ordinary file"));
}

TEST(StudyFolder, KeepsACheckpointThatIsToBeResumedFrom) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  const auto run = folder.run_folder("a");
  fs::create_directories(run);
  EXPECT_FALSE(folder.has_checkpoint("a"));
  for (const auto* name : {"checkpoint.pt", "checkpoint.pt.part", "run.h5"})
    write_text(run / name, name);
  EXPECT_TRUE(folder.set_aside("a", CheckpointUse::resume));
  EXPECT_TRUE(folder.has_checkpoint("a"));
  EXPECT_TRUE(fs::exists(run / "attempt-1" / "run.h5"));
  EXPECT_FALSE(fs::exists(run / "attempt-1" / "checkpoint.pt.part"));  // half of one is of no use
  EXPECT_FALSE(folder.set_aside("a", CheckpointUse::resume)) << "there is nothing to set aside";
  EXPECT_TRUE(folder.set_aside("a", CheckpointUse::set_aside));
  EXPECT_FALSE(folder.has_checkpoint("a"));
  EXPECT_TRUE(fs::exists(run / "attempt-2" / "checkpoint.pt"));
  write_text(run / "checkpoint.pt", "");
  folder.remove_checkpoint("a");
  EXPECT_FALSE(folder.has_checkpoint("a"));
}

TEST(DriverLock, ADriverThatHasNotSaidItsProcessIdHasNone) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  const DriverLock lock(folder);
  write_text(temporary.path() / "driver.lock", "");
  EXPECT_THAT(message_of([&] { const DriverLock second(folder); }),
              HasSubstr("Another scalestudy run works in"));
}

TEST(DriverLock, NobodyWaitsForAPipeInItsPlace) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  ASSERT_EQ(::mkfifo((temporary / "driver.lock").c_str(), 0600), 0);
  EXPECT_FALSE(DriverLock::holder(folder));
  EXPECT_THROW(const DriverLock lock(folder), BadInput);
}

TEST(DriverLock, SecondDriverIsRefusedByProcessId) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  EXPECT_FALSE(DriverLock::holder(folder).has_value());
  {
    const DriverLock lock(folder);
    EXPECT_EQ(DriverLock::holder(folder), ::getpid());
    EXPECT_THAT(message_of([&] { const DriverLock second(folder); }),
                HasSubstr(cat("process ", ::getpid())));
  }
  EXPECT_FALSE(DriverLock::holder(folder).has_value());
  EXPECT_NO_THROW(const DriverLock again(folder));
}

TEST(DriverLock, WhereNoFileCanBeLockedTheRiskIsSaid) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  EXPECT_EQ(DriverLock(folder).warning(), "");
  for (const int error : {ENOLCK, ENOSYS, 524 /* of NFS: ENOTSUPP */}) {
    no_locks_error = error;
    EXPECT_THAT(DriverLock(folder).warning(), HasSubstr("has no locks")) << error;
    EXPECT_FALSE(DriverLock::holder(folder)) << error;
  }
  no_locks_error = 0;
}

TEST(DriverLock, IsReleasedWhenTheDriverIsKilled) {
  const TemporaryFolder temporary;
  const WritableStudyFolder folder(temporary.path());
  const pid_t driver = ::fork();
  if (driver == 0) {
    const DriverLock lock(folder);
    ::pause();
  }
  while (DriverLock::holder(folder) != driver) ::usleep(1000);
  ::kill(driver, SIGKILL);
  ::waitpid(driver, nullptr, 0);
  EXPECT_FALSE(DriverLock::holder(folder).has_value());
}

}  // namespace
}  // namespace scalestudy
