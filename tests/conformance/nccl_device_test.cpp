/// GPUs as the back-end nccl finds, chooses, fills and leaves them, on stand-ins; and the
/// libraries.
#include <thread>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "conformance/stand_in_ranks.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/virtual_time.hpp"

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

/// Joins one rank whose NCCL hangs in `way`, and lets `leave` end it.
template <class Leave>
void hang_at_the_end(std::function<int(ncclComm*)> NcclApi::*way, const Leave& leave) {
  const test::VirtualTime time;
  const StandInGpus gpus(1);
  auto api = std::make_shared<NcclApi>(*gpus.api());
  (*api).*way = [](ncclComm*) {
    std::this_thread::sleep_for(std::chrono::hours(1));
    return nccl_success;
  };
  const auto device = NcclDevice::open(api, 0);
  const auto hosts = make_thread_ranks(WorldSize(1), long_enough);
  auto nccl = make_nccl_communicator(device, hosts.front(), long_enough);
  leave(*device, nccl);
}

TEST(NcclDeviceDeathTest, WhatHangsInNcclAtTheEndEndsWithoutIt) {
  const auto has_failed = testing::ExitedWithCode(static_cast<int>(ExitCode::run_failed));
  EXPECT_EXIT(hang_at_the_end(&NcclApi::abort,
                              [](NcclDevice& device, auto&) { device.abort_all("rank 1 left"); }),
              has_failed, "rank 1 left; then ncclCommAbort did not return within 30.0 s");
  EXPECT_EXIT(hang_at_the_end(&NcclApi::destroy, [](NcclDevice&, auto& nccl) { nccl.reset(); }),
              has_failed, "ncclCommDestroy did not return within 30.0 s");
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

TEST(NcclApi, TwoLibrariesInOneProcessAreRefusedWithTheirVersions) {
  EXPECT_NO_THROW(require_one_nccl());
  std::vector<void*> libraries;
  for (const auto* const version : {"22809", "22605"}) {
    const auto file = test::in_build(cat("tests/libraries/", version, "/libnccl.so.2"));
    libraries.push_back(::dlopen(file.c_str(), RTLD_NOW));
    ASSERT_NE(libraries.back(), nullptr) << ::dlerror();
  }
  EXPECT_THAT(message_of<Unavailable>([] { require_one_nccl(); }),
              AllOf(HasSubstr("NCCL libraries: "), HasSubstr("22809/libnccl.so.2 (2.28.9)"),
                    HasSubstr("22605/libnccl.so.2 (2.26.5)")));
  for (void* const library : libraries) ::dlclose(library);
}

TEST(NcclApi, VersionsAreReadable) {
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_EQ(nccl_version_text(21805), "2.18.5");
}

}  // namespace
}  // namespace scalestudy
