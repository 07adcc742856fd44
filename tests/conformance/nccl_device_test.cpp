/// GPUs as the back-end nccl finds, chooses and fills them, on stand-ins; and the libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "conformance/stand_in_ranks.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr Seconds long_enough{60.0};

TEST(NcclDevice, RanksOfAHostTakeTheGpuOfTheirNumberOrTheOnlyOneTheySee) {
  for (const std::int64_t local_rank : {0, 1, 2, 3}) {
    EXPECT_EQ(gpu_of(Rank(local_rank), 4), local_rank);
    EXPECT_EQ(gpu_of(Rank(local_rank), 1), 0) << "the launcher shows each rank its own only";
  }
  EXPECT_THROW(static_cast<void>(gpu_of(Rank(3), 2)), Unavailable);
}

TEST(NcclDevice, AGpuThatIsNotThereIsUnavailable) {
  const StandInGpus gpus(2);
  EXPECT_THROW(static_cast<void>(NcclDevice::open(gpus.api(), 2)), Unavailable);
  EXPECT_THAT(message_of<Unavailable>([&] { static_cast<void>(NcclDevice::open(gpus.api(), 2)); }),
              HasSubstr("there is no GPU 2: the CUDA runtime finds 2"));
}

TEST(NcclDevice, MemoryThatIsNotThereIsUnavailable) {
  StandInGpus gpus(1);
  gpus.leave_memory(1000);
  const auto reports = run_stand_in(gpus, WorldSize(1), long_enough, [](const NcclRank& rank) {
    return message_of<Unavailable>(
        [&] { static_cast<void>(rank.nccl->allocate(ByteCount(2000))); });
  });
  EXPECT_THAT(reports, Each(HasSubstr("1.95 KiB of memory cannot be had on GPU 0: out of memory")));
}

TEST(NcclDevice, StreamsOfCommunicatorsGoFirst) {
  StandInGpus gpus(2);
  EXPECT_THAT(run_stand_in(gpus, WorldSize(2), long_enough, [](const NcclRank&) { return ""; }),
              Each(""));
  EXPECT_THAT(gpus.priorities(), Each(gpus.greatest_priority()));
}

TEST(NcclMemory, IsRegisteredForAsLongAsItLives) {
  StandInGpus gpus(1);
  const auto reports = run_stand_in(gpus, WorldSize(1), long_enough, [&](const NcclRank& rank) {
    const auto before = gpus.registered_count();
    const auto memory = rank.nccl->allocate(ByteCount(100));
    return cat(before, " ", gpus.registered_count());
  });
  EXPECT_THAT(reports, Each("0 1"));
  EXPECT_EQ(gpus.registered_count(), 0);
  EXPECT_EQ(gpus.allocated_count(), 0);
}

TEST(NcclMemory, OfAnOlderLibraryIsPlain) {
  const StandInGpus gpus(1);
  const auto device = NcclDevice::open(gpus.older_api(), 0);
  const auto hosts = make_thread_ranks(WorldSize(1), long_enough);
  const auto nccl = make_nccl_communicator(device, hosts.front(), long_enough);
  const auto memory = nccl->allocate(ByteCount(100));
  EXPECT_EQ(gpus.allocated_count(), 1);
  EXPECT_EQ(gpus.registered_count(), 0);
}

TEST(NcclApi, IsWholeOrSaysWhatIsMissing) {
  try {
    const auto api = load_nccl_api();
    EXPECT_TRUE(api->init && api->all_reduce && api->record);
    int version = 0;
    EXPECT_EQ(api->version(&version), nccl_success);
    EXPECT_THAT(api->source, HasSubstr("libnccl.so.2"));
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("lib"), HasSubstr("TORCH_ROOT")));
  }
}

TEST(NcclApi, VersionsAreReadable) {
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_EQ(nccl_version_text(21805), "2.18.5");
}

}  // namespace
}  // namespace scalestudy
