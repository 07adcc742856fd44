/// The back-end nccl over stand-in GPUs: what every communicator must do. No figure comes from it.
#include <csignal>
#include <span>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/text.hpp"

#include "conformance/communicator_cases.hpp"
#include "conformance/device_memory.hpp"
#include "conformance/rank_runner.hpp"
#include "conformance/stand_in_ranks.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Seconds ample{60.0};

using CaseAtRanks = std::tuple<int, CommunicatorCase>;

class StandInConformance : public testing::TestWithParam<CaseAtRanks> {};

TEST_P(StandInConformance, HoldsOnEveryRank) {
  const auto& [ranks, item] = GetParam();
  StandInGpus gpus(ranks);
  const auto body = [run = item.run](const NcclRank& rank) { return run(rank.comm); };
  EXPECT_THAT(run_stand_in(gpus, WorldSize(ranks), ample, body), Each(""));
  EXPECT_THAT(gpus.hazards(), IsEmpty());
  EXPECT_EQ(gpus.allocated_count(), 0);
  EXPECT_EQ(gpus.registered_count(), 0);
  EXPECT_EQ(gpus.aborted_count(), 0);
}

/// To NCCL an element type is a number: float32 shows at any number of ranks that data arrive where
/// they belong, the others at two ranks that their numbers are right. What computes long goes
/// without the largest world.
bool is_worth_it(std::string_view name, int ranks) {
  for (const auto type : {"float64", "int64", "uint8", "_float16"})
    if (name.ends_with(type)) return ranks == 2;
  const bool is_long = name.ends_with("bfloat16") || name == "mixed_sequence";
  return ranks <= 4 || !is_long;
}

std::vector<CaseAtRanks> cases_at_ranks() {
  std::vector<CaseAtRanks> cases;
  for (const CommunicatorCase& item : communicator_cases())
    for (const int ranks : {1, 2, 4, 8})
      if (is_worth_it(item.name, ranks)) cases.emplace_back(ranks, item);
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<CaseAtRanks>& test) {
  return cat("ranks_", std::get<0>(test.param), '_', std::get<1>(test.param).name);
}

INSTANTIATE_TEST_SUITE_P(, StandInConformance, testing::ValuesIn(cases_at_ranks()), name_of_case);

/// Ranks in processes of their own, as launchers start them.
std::vector<std::string> run_processes_on_gpus(int ranks, const RankBody& body) {
  return run_ranks(CommunicatorKind::shm, WorldSize(ranks), ample, [&](const Communicator& host) {
    StandInGpus gpus(ranks, StandInPeers::processes);
    const auto device = NcclDevice::open(gpus.api(), static_cast<int>(host.rank().value()));
    auto found = body(over_device_memory(make_nccl_communicator(device, host, ample), device));
    return found + join(gpus.hazards(), "; ");
  });
}

class StandInProcesses : public StandInConformance {};

TEST_P(StandInProcesses, HoldsOnEveryRank) {
  const auto& [ranks, item] = GetParam();
  EXPECT_THAT(run_processes_on_gpus(ranks, item.run), Each(""));
}

INSTANTIATE_TEST_SUITE_P(, StandInProcesses, testing::ValuesIn(cases_at_ranks()), name_of_case);

TEST(StandInProcess, AKilledPeerIsNamed) {
  const auto reports = run_processes_on_gpus(2, [](const Communicator& comm) -> std::string {
    std::vector<float> values(4, 1);
    const auto view = view_of(std::span(values));
    comm.all_reduce(view);
    if (comm.rank() == Rank(1)) ::kill(::getpid(), SIGKILL);
    try {
      comm.all_reduce(view);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "it ended as if nothing had happened";
  });
  EXPECT_THAT(reports.front(), AllOf(HasSubstr("rank 1 (process "), HasSubstr("ended before")));
  EXPECT_EQ(reports.back(), "killed by signal 9");
}

using StreamCaseAtRanks = std::tuple<int, StreamCase>;

class StandInStreams : public testing::TestWithParam<StreamCaseAtRanks> {};

TEST_P(StandInStreams, HoldsOnEveryRank) {
  const auto& [ranks, item] = GetParam();
  StandInGpus gpus(ranks);
  gpus.delay_collectives(ranks - 1, Seconds(0.002));
  EXPECT_THAT(run_stand_in(gpus, WorldSize(ranks), ample, item.run), Each(""));
  EXPECT_THAT(gpus.hazards(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(,
                         StandInStreams,
                         testing::Combine(testing::Values(1, 2, 4, 8),
                                          testing::ValuesIn(stream_cases().begin(),
                                                            stream_cases().end())),
                         [](const testing::TestParamInfo<StreamCaseAtRanks>& test) {
                           return cat("ranks_", std::get<0>(test.param), '_',
                                      std::get<1>(test.param).name);
                         });

}  // namespace
}  // namespace scalestudy
