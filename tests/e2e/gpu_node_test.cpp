/// The real driver, launchers and ranks on a node of GPUs that only stand in
/// (tests/support/stand_in_library.cpp): what they sum is right; how long it takes means nothing.

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

class GpuNode : public Workplace {
 public:
  explicit GpuNode(int gpus) : gpus_(gpus) {}

  /// All operations between so many ranks.
  [[nodiscard]] Finished exchange(int ranks, std::vector<std::string> more = {}) const {
    write_text(study_file(), cat(R"({"schema": 1, "workload": "collectives", "repeats": 1,
      "settings": {"sizes_bytes": [8, 131072], "iterations": 3, "warmup_iterations": 1},
      "axes": {"ranks": [)",
                                 ranks, "]}}"));
    more.insert(more.end(), {"--environment", "gpu-node"});
    return run({{"LD_LIBRARY_PATH", test::in_build("tests/libraries/stand_in")},
                {"STAND_IN_GPUS", cat(gpus_)}},
               more);
  }
  [[nodiscard]] RunRecord record() const { return read_run_file(run_folders().at(0) / "run.h5"); }

 private:
  int gpus_;
};

/// NCCL has carried all of it between GPUs of their own, and it was right.
void expect_right(const RunRecord& record, std::size_t ranks) {
  EXPECT_EQ(record.header.status, RunStatus::complete);
  EXPECT_THAT(record.effective_settings, HasSubstr("NCCL 2.28.9"));
  EXPECT_THAT(record.ranks, SizeIs(ranks));
  for (std::size_t rank = 0; rank < record.ranks.size(); ++rank)
    EXPECT_EQ(record.ranks[rank].device, cat("cuda:", rank));
  EXPECT_THAT(record.collectives, Each(Field(&CollectiveRow::wrong_count, 0)));
}

TEST(GpuNode, EveryCollectiveIsRight) {
  for (const int gpus : {2, 4}) {
    const GpuNode node(gpus);
    const auto finished = node.exchange(gpus);
    EXPECT_EQ(finished.code, 0) << finished.err;
    expect_right(node.record(), static_cast<std::size_t>(gpus));
  }
}

TEST(GpuNode, RanksOfMpirunFindTheirGpus) {
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun";
  const GpuNode node(2);
  const auto finished = node.exchange(2, {"--launcher", "mpirun"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  expect_right(node.record(), 2);
}

TEST(GpuNode, ARankWithoutAGpuSaysSo) {
  const auto finished = GpuNode(2).exchange(4);
  EXPECT_EQ(finished.code, 4) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("of this host has no GPU: there are 2"));
}

}  // namespace
}  // namespace scalestudy
