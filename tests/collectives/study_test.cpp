/// A study of collectives by the real driver and ranks, from plan to report, by each back-end.

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "record/machine/host_environment.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "tests/e2e/driver_process.hpp"
#include "tests/support/other_programs.hpp"
#include "tests/support/places.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

#ifdef SCALESTUDY_HAVE_MPI
constexpr bool is_mpi_built_in = true;
#else
constexpr bool is_mpi_built_in = false;
#endif

class Collectives : public Workplace {
 public:
  explicit Collectives(const std::string& ranks = "[1, 2]", int repeats = 1) {
    write_text(study_file(), cat(R"({"schema": 1, "workload": "collectives",
      "settings": {"sizes_bytes": [8, 2048, 524288], "iterations": 4, "warmup_iterations": 1},
      "axes": {"ranks": )",
                                 ranks, R"(}, "repeats": )", repeats, "}"));
  }
  [[nodiscard]] Finished run_by(const std::string& launcher, const std::string& out) const {
    return call(
        {"run", study_file().string(), "--out", (path() / out).string(), "--launcher", launcher});
  }
  [[nodiscard]] std::string folder(const std::string& name) const {
    return (path() / name).string();
  }

  /// What a program that knows METRICS.md only makes of the raw rows, held against the report's
  /// numbers.
  [[nodiscard]] CommandOutcome recomputed(const std::string& folders) const {
    const auto script =
        std::filesystem::path(test::in_sources("tests/collectives/recompute_report.py"));
    return run_command(cat(python_with_h5py(), " ", shell_quoted(script), " ",
                           shell_quoted(folder("report")), " ", folders));
  }
};

TEST(CollectivesStudy, PlanSaysWhatIsMeasuredAndNothingOfTraining) {
  const Collectives place;
  const auto planned = place.call({"plan", place.study_file().string()});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("2 runs of collectives\n"));
  EXPECT_THAT(planned.out, HasSubstr("limit it"));
  EXPECT_THAT(planned.out, Not(HasSubstr("learning rate")));
  EXPECT_THAT(planned.out, Not(HasSubstr("Quality")));
}

TEST(CollectivesStudy, RunsAreCompleteKeptAndInspected) {
  const Collectives place("[2, 3]");
  const auto finished = place.run_by("local", "out");
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, Not(HasSubstr("one rank")));
  for (const auto& folder : place.run_folders()) {
    const auto record = read_run_file(folder / "run.h5");
    EXPECT_EQ(record.header.status, RunStatus::complete);
    EXPECT_EQ(record.steps.steps(), 0);
    // Four operations of three sizes and a barrier.
    EXPECT_EQ(std::ssize(record.collectives), record.steps.ranks() * (4 * 3 + 1) * 4);
  }
  EXPECT_THAT(place.run_by("local", "out").err, HasSubstr("2 kept from before"));
  const auto inspected = place.call({"inspect", place.run_folders().at(0).string()});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("/collectives"));
  EXPECT_THAT(place.call({"status", place.out().string()}).out, HasSubstr("2 of 2 runs complete"));
}

/// Planted: no byte moves faster than 50 MB in a second; what moves nothing is as before.
TEST(CollectivesStudy, ASlowLinkIsFoundInTheTimesOfWhatItCarries) {
  const Collectives place("[2]");
  const auto finished = place.call({"run", place.study_file().string(), "--out",
                                    place.out().string(), "--inject", "slow-link=50MB/s"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const auto record = read_run_file(place.run_folders().at(0) / "run.h5");
  EXPECT_TRUE(record.header.has_label(RunLabel::injected));
  int found = 0;
  for (const auto& row : record.collectives) {
    if (row.operation != 0 || row.size_bytes != 524288) continue;
    EXPECT_GE(row.transfer_s, 524288 / 50e6);
    ++found;
  }
  EXPECT_GT(found, 0);
}

TEST(CollectivesStudy, AFloorOfTrainingTimesIsRefused) {
  const Collectives place;
  const auto refused =
      place.call({"floor", place.study_file().string(), "--out", place.folder("floor")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("collectives trains nothing"));
}

/// Every number of the report, from the raw rows.
TEST(CollectivesStudy, TheReportsNumbersAreThoseOfTheRows) {
  SCALESTUDY_NEEDS("h5py", !python_with_h5py().empty());
  const Collectives place("[2, 3]", 3);
  EXPECT_EQ(place.run_by("local", "shm").code, 0);
  const auto reported =
      place.call({"report", place.folder("shm"), "--out", place.folder("report")});
  EXPECT_EQ(reported.code, 0) << reported.out << reported.err;
  EXPECT_THAT(reported.out, Not(HasSubstr("speed-up")));
  const auto recomputed = place.recomputed(shell_quoted(place.folder("shm")));
  EXPECT_EQ(recomputed.status, 0) << recomputed.output;
  EXPECT_THAT(recomputed.output, HasSubstr(" agree"));
}

TEST(CollectivesStudy, AReportShowsBackEndsSideBySide) {
  if (!is_mpi_built_in) GTEST_SKIP() << "this build has no MPI";
  SCALESTUDY_NEEDS("mpi", has_mpirun());
  const Collectives place("[2]");
  EXPECT_EQ(place.run_by("local", "shm").code, 0);
  EXPECT_EQ(place.run_by("mpirun", "mpi").code, 0);
  const auto reported = place.call(
      {"report", place.folder("shm"), place.folder("mpi"), "--out", place.folder("report")});
  EXPECT_EQ(reported.code, 0) << reported.out << reported.err;
  for (const std::string back_end : {"shm", "mpi"})
    EXPECT_THAT(reported.out, ContainsRegex(back_end + ", 2 ranks.*: all-reduce of 8 B takes"));
  EXPECT_THAT(reported.out, HasSubstr("Every element of every result was right."));
}

/// By as many ranks as there are cores; of one core nothing is to be exchanged.
TEST(CollectivesStudy, DoctorMeasuresAllReduceAndKeepsWhatItMeasured) {
  if (core_count_in_quota() < 2) GTEST_SKIP() << "there is one core";
  const Workplace place;
  const auto out = (place.path() / "exchange").string();
  const auto found = place.call({"doctor", "--all-reduce", out});
  EXPECT_EQ(found.code, 4) << "scalestudy-rank-light trains nothing" << found.err;
  EXPECT_THAT(found.out, ContainsRegex("OK       all-reduce        [2-8] ranks over shm: every sum "
                                       "is right; 8 B in .*64.00 MiB in .*bus bandwidth"));
  EXPECT_THAT(found.out, HasSubstr("scalestudy report " + out));
  const auto study = StudyFolder(out);
  ASSERT_EQ(study.result_files().size(), 1U);
  EXPECT_EQ(read_run_file(study.result_files().front()).header.status, RunStatus::complete);
  write_text(place.path() / "taken", "x");
  EXPECT_EQ(place.call({"doctor", "--all-reduce", (place.path() / "taken").string()}).code, 2);
}

}  // namespace
}  // namespace scalestudy
