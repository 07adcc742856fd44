#include "comm/rendezvous.hpp"

#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/support/launcher_variables.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

/// The launchers' variables as a test wants them; none is left from the caller's shell.
class Launched : public testing::Test {
 protected:
  void SetUp() override { test::clear_launcher_variables(); }

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

}  // namespace
}  // namespace scalestudy
