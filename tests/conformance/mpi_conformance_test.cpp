/// The same cases as for the other back-ends, on the ranks that mpirun has started.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "core/text.hpp"

#include "comm/back_ends.hpp"
#include "comm/hierarchical_communicator.hpp"

#include "conformance/communicator_cases.hpp"

namespace scalestudy {
namespace {

constexpr Seconds ample{60.0};

/// Counts are int in MPI; this makes the cases above pass through the splitting of large ones.
constexpr std::int64_t tiny_calls = 100000;

class MpiCase : public testing::Test {
 public:
  MpiCase(const CommunicatorCase& item, const Communicator& comm) : item_(item), comm_(comm) {}

 private:
  void TestBody() override {
    const std::string finding = item_.run(comm_);
    // One rank's finding fails the test on all, so that all go on to the next together.
    const auto findings = all_gather_text(comm_, finding);
    for (std::size_t rank = 0; rank < findings.size(); ++rank) {
      EXPECT_EQ(findings[rank], "") << "on rank " << rank;
    }
  }

  CommunicatorCase item_;
  Communicator comm_;
};

enum class Types { all, float32 };

bool is_of_another_type(std::string_view name) {
  constexpr std::array<std::string_view, 4> others{"float64", "int64", "uint8", "float16"};
  return std::ranges::any_of(others, [&](auto type) { return name.ends_with(type); });
}

void register_cases(const char* suite, const Communicator& comm, Types types) {
  for (const CommunicatorCase& item : communicator_cases()) {
    if (types == Types::float32 && is_of_another_type(item.name)) continue;
    testing::RegisterTest(suite, item.name, nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> testing::Test* { return new MpiCase(item, comm); });
  }
}

class ShmUnderMpi : public testing::Test {
 public:
  explicit ShmUnderMpi(Rendezvous place) : place_(std::move(place)) {}

 private:
  void TestBody() override {
    const Communicator comm = make_communicator(CommunicatorKind::shm, place_, ample);
    EXPECT_EQ(comm.rank(), place_.rank);
    EXPECT_EQ(all_reduce_value(comm, 1.0), static_cast<double>(place_.world_size.value()));
  }

  Rendezvous place_;
};

int run_all_tests() {
  const Rendezvous by_mpi = rendezvous_from_mpi(cat("conformance-", utc_timestamp()));
  const Rendezvous by_environment = rendezvous_from_environment("unused");
  if (by_mpi.rank != by_environment.rank || by_mpi.world_size != by_environment.world_size ||
      by_mpi.local_rank != by_environment.local_rank) {
    return 1;
  }
  register_cases("MpiConformance", make_communicator(CommunicatorKind::mpi, by_environment, ample),
                 Types::all);
  // What splits calls, or joins hosts, does so whatever the type.
  register_cases("MpiConformanceTinyCalls", make_mpi_communicator(by_mpi, ample, tiny_calls),
                 Types::float32);
  const auto ranks = by_mpi.world_size.value();
  const Hosts pairs{ranks % 2 == 0 ? 2 : ranks, ample};
  register_cases("MpiAndSharedMemory", hierarchical(make_mpi_communicator(by_mpi, ample), pairs),
                 Types::float32);
  testing::RegisterTest("MpiRendezvous", "AlsoServesShm", nullptr, nullptr, __FILE__, __LINE__,
                        [=]() -> testing::Test* { return new ShmUnderMpi(by_mpi); });
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace scalestudy

int main(int argument_count, char** arguments) {
  testing::InitGoogleTest(&argument_count, arguments);
  return scalestudy::run_all_tests();
}
