/// A whole run, from first call to last row.

#include "workloads/collectives/measured_run.hpp"

#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/spoilt_communicator.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy::collectives {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MeasuredRun : public testing::Test {
 protected:
  MeasuredRun() {
    spec_.workload = "collectives";
    spec_.ranks = 2;
    spec_.plan = plan_without_training(2);
    spec_.workload_settings = R"({"sizes_bytes": [64], "iterations": 3, "warmup_iterations": 0})";
  }

  /// Two ranks; `spoil` what rank 1 gets. Returns the error of each.
  std::vector<std::string> run(const Spoilt::Spoil& spoil) {
    std::vector<std::string> errors(2);
    on_ranks(2, [&](const Communicator& comm) {
      auto& error = errors[comm.rank().index()];
      auto comms = make_rank_communicators(comm, spec_);
      if (comm.rank() == Rank(1))
        comms.gradients = Communicator(std::make_shared<Spoilt>(comms.gradients, spoil));
      error = measure(comm, comms);
    });
    return errors;
  }

  std::string measure(const Communicator& comm, const RankCommunicators& comms) {
    std::optional<RunFileWriter> writer;
    if (comm.is_root()) {
      writer.emplace(part_, RunHeader{.run_id = spec_.run_id()}, 2);
      writer->write_settings("{}", to_json_text(spec_), "{}");
    }
    Heartbeat heartbeat(heartbeat_file(folder_.path(), comm.rank().value()));
    Log log(std::cerr, Verbosity::quiet);
    HostClock clock;
    RankServices services{spec_,     comms, clock,          writer ? &*writer : nullptr,
                          heartbeat, log,   folder_.path(), nullptr};
    try {
      measure_run(services);
      if (writer) writer->set_status(RunStatus::complete, "");
      return "";
    } catch (const RunFailed& error) {
      return error.what();
    }
  }

  RunSpec spec_;
  TemporaryFolder folder_;
  std::filesystem::path part_ = folder_ / "run.h5.part";
};

TEST_F(MeasuredRun, RightResultsAreRecordedWithoutAStep) {
  EXPECT_THAT(run([](CollectiveOperation, BufferView) {}), ElementsAre("", ""));
  const auto record = read_run_file(part_);
  EXPECT_EQ(record.steps.steps(), 0);
  EXPECT_EQ(record.collectives.size(), 2U * 5 * 3);
  EXPECT_THAT(record.header.validity_codes, testing::IsEmpty());
}

/// One element of one sum: every rank says so, all rows are there, and the file is marked.
TEST_F(MeasuredRun, AWrongSumMakesItInvalidAndIsSaid) {
  int calls = 0;
  const auto errors = run([&](CollectiveOperation operation, BufferView result) {
    if (operation == CollectiveOperation::all_reduce && ++calls == 2)
      static_cast<float*>(result.data)[5] += 1;
  });
  for (const auto& error : errors)
    EXPECT_THAT(error,
                HasSubstr("all_reduce of 64 bytes left 1 wrong element on rank 1 in call 1"));
  const auto record = read_run_file(part_);
  EXPECT_EQ(record.collectives.size(), 2U * 5 * 3);
  EXPECT_THAT(record.header.validity_codes, ElementsAre("wrong_result"));
  ASSERT_EQ(record.events.size(), 1U);
  EXPECT_EQ(record.events[0].rank, 1);
}

}  // namespace
}  // namespace scalestudy::collectives
