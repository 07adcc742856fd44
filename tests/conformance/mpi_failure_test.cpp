#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/text.hpp"

#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

struct Outcome {
  int exit_code = -1;
  std::string text;
};

Outcome run_job(int ranks, const std::string& mode) {
  const std::string command =
      cat("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
          "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none "
          "timeout 60 ",
          MPIEXEC, " --oversubscribe --bind-to none -n ", ranks, " ",
          test::in_build("tests/bin/mpi_failure_program"), " ", mode, " 2>&1");
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  Outcome outcome;
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.text.append(buffer, got);
  }
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(MpiFailure, NothingWrongEndsWithZero) {
  const Outcome outcome = run_job(3, "none");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

TEST(MpiFailure, AbortEndsAllRanksWithExitCode5) {
  const Outcome outcome = run_job(3, "abort");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("rank 2 aborted: disk full"));
}

TEST(MpiFailure, SilentRankIsNamedWithinTheDeadline) {
  const Outcome outcome = run_job(2, "silent");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("rank 1 did not reach barrier within 200"));
}

TEST(MpiFailure, SilentRank0IsNamedByTheOthers) {
  const Outcome outcome = run_job(2, "silent_root");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("rank 0 did not reach barrier within 200"));
}

TEST(MpiFailure, DifferentCallsAreNamed) {
  const Outcome outcome = run_job(3, "differs");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("rank 2 called all_reduce (sum) of 3 float32 where rank 0 "
                                      "called all_reduce (sum) of 4 float32"));
}

TEST(MpiFailure, OtherWorldSizeIsRefused) {
  const Outcome outcome = run_job(2, "world_size");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("MPI says rank"));
  EXPECT_THAT(outcome.text, HasSubstr("of 2, but environment (OMPI_COMM_WORLD_RANK"));
}

TEST(MpiFailure, ARankThatStopsInsideACollectiveEndsTheJob) {
  const Outcome outcome = run_job(2, "stops_inside");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.text;
  // Inside, or, by chance, between two of them.
  EXPECT_THAT(outcome.text,
              AnyOf(HasSubstr("all_reduce did not end within 2.0 s after all ranks had "
                              "come: one of them has stopped"),
                    HasSubstr("rank 1 did not reach all_reduce")));
}

TEST(MpiFailure, KilledRankEndsTheJob) {
  const Outcome outcome = run_job(3, "death");
  EXPECT_NE(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("signal 9"));
}

}  // namespace
}  // namespace scalestudy
