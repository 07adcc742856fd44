#include "comm/rendezvous.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "conformance/rank_runner.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

/// The launchers' variables as a test wants them; none is left from the caller's shell.
class Launched : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
          "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID",
          "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", "PMI_RANK", "PMI_SIZE",
          "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"}) {
      ::unsetenv(name);
    }
  }

  static void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }

  static std::string refusal() {
    return message_of([] { return rendezvous_from_environment("key"); });
  }
};

TEST_F(Launched, AloneWithoutLauncher) {
  const Rendezvous place = rendezvous_from_environment("key");
  EXPECT_EQ(place.rank, Rank(0));
  EXPECT_EQ(place.world_size, WorldSize(1));
  EXPECT_EQ(place.key, "key");
}

TEST_F(Launched, ReadsTorchrunsNames) {
  set({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}});
  const Rendezvous place = rendezvous_from_environment("key");
  EXPECT_EQ(place.rank, Rank(5));
  EXPECT_EQ(place.world_size, WorldSize(8));
  EXPECT_EQ(place.local_rank, Rank(1));
  EXPECT_EQ(place.source, "environment (RANK, WORLD_SIZE)");
}

TEST_F(Launched, ReadsOpenMpisAndSlurmsNamesInThisOrder) {
  set({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}});
  EXPECT_EQ(rendezvous_from_environment("key").source, "environment (SLURM_PROCID, SLURM_NTASKS)");
  set({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  const Rendezvous place = rendezvous_from_environment("key");
  EXPECT_EQ(place.rank, Rank(3));
  EXPECT_EQ(place.local_rank, Rank(3));
}

TEST_F(Launched, ReadsTheNamesOfFluxAndPmi) {
  set({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_LOCALID", "0"}});
  set({{"PMI_RANK", "6"}, {"PMI_SIZE", "8"}, {"PALS_LOCAL_RANKID", "2"}});
  const Rendezvous of_pmi = rendezvous_from_environment("key");
  EXPECT_EQ(of_pmi.rank, Rank(6)) << "those of Slurm are of the mpiexec";
  EXPECT_EQ(of_pmi.world_size, WorldSize(8));
  EXPECT_EQ(of_pmi.local_rank, Rank(2));
  set({{"FLUX_TASK_RANK", "5"}, {"FLUX_JOB_SIZE", "8"}, {"FLUX_TASK_LOCAL_ID", "1"}});
  const Rendezvous of_flux = rendezvous_from_environment("key");
  EXPECT_EQ(of_flux.rank, Rank(5));
  EXPECT_EQ(of_flux.local_rank, Rank(1));
  EXPECT_NO_THROW(require_local_rank(of_flux));
}

TEST_F(Launched, SaysWhereTheLocalRankIsMissing) {
  set({{"PMI_RANK", "6"}, {"PMI_SIZE", "8"}});
  EXPECT_THAT(message_of([] { require_local_rank(rendezvous_from_environment("key")); }),
              HasSubstr("environment (PMI_RANK, PMI_SIZE)"));
}

TEST_F(Launched, SeesThatRanksAreOnSeveralHosts) {
  set({{"RANK", "5"}, {"WORLD_SIZE", "8"}});
  EXPECT_NO_THROW(require_one_host(rendezvous_from_environment(""))) << "nobody says so";
  set({{"LOCAL_RANK", "5"}});
  EXPECT_NO_THROW(require_one_host(rendezvous_from_environment("")));
  set({{"LOCAL_RANK", "1"}});
  EXPECT_THROW(require_one_host(rendezvous_from_environment("")), BadInput);
}

TEST_F(Launched, RefusesContradictions) {
  set({{"RANK", "1"}});
  EXPECT_THAT(refusal(), HasSubstr("RANK is set without WORLD_SIZE"));
  set({{"WORLD_SIZE", "1"}});
  EXPECT_THAT(refusal(), HasSubstr("RANK=1 is no rank of WORLD_SIZE=1"));
  set({{"RANK", "-1"}});
  EXPECT_THAT(refusal(), HasSubstr("RANK is \"-1\", not a count"));
  set({{"RANK", "1x"}});
  EXPECT_THAT(refusal(), HasSubstr("RANK is \"1x\""));
  set({{"RANK", ""}});
  EXPECT_THAT(refusal(), HasSubstr("RANK is \"\""));
}

class FileRendezvous : public testing::Test {
 protected:
  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_ / "rendezvous";
};

TEST_F(FileRendezvous, HandsOutEveryRankOnceAndOneKey) {
  const auto reports = run_processes(4, [&](int) {
    const Rendezvous place = rendezvous_from_file(folder_, WorldSize(4), Seconds(30));
    return cat(place.rank, " ", place.key);
  });
  std::set<std::string> expected;
  for (int rank = 0; rank < 4; ++rank) expected.insert(cat(rank, " ", folder_.string()));
  EXPECT_EQ(std::set<std::string>(reports.begin(), reports.end()), expected);
}

TEST_F(FileRendezvous, JoinsASharedMemoryJob) {
  const auto reports = run_processes(3, [&](int) {
    const Rendezvous place = rendezvous_from_file(folder_, WorldSize(3), Seconds(30));
    const Communicator comm = make_communicator(CommunicatorKind::shm, place, Seconds(30));
    return cat(all_reduce_value(comm, static_cast<double>(comm.rank().value())));
  });
  EXPECT_THAT(reports, testing::Each("3"));
}

TEST_F(FileRendezvous, SaysHowManyCame) {
  const auto meet = [&] { return rendezvous_from_file(folder_, WorldSize(2), Seconds(0.05)); };
  EXPECT_THAT(message_of<RunFailed>(meet), HasSubstr("only 1 of 2 ranks came"));
}

TEST_F(FileRendezvous, RefusesOneTooMany) {
  (void)rendezvous_from_file(folder_, WorldSize(1), Seconds(1));
  EXPECT_THROW((void)rendezvous_from_file(folder_, WorldSize(1), Seconds(1)), RunFailed);
}

TEST_F(FileRendezvous, RefusesAFolderThatIsAFile) {
  std::ofstream(folder_) << "text";
  EXPECT_THROW((void)rendezvous_from_file(folder_, WorldSize(1), Seconds(1)), BadInput);
}

}  // namespace
}  // namespace scalestudy
