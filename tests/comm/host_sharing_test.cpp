#include "comm/host_sharing.hpp"

#include <atomic>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "conformance/rank_runner.hpp"

namespace scalestudy {
namespace {

using testing::Each;
using testing::HasSubstr;

class HostSharing : public testing::TestWithParam<CommunicatorKind> {};

Descriptor memory_file() {
  return Descriptor(::memfd_create("test", MFD_CLOEXEC));
}

std::string number_of(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? cat(status.st_dev, '/', status.st_ino) : "no file";
}

TEST_P(HostSharing, AllRanksOfAHostHaveTheFileThatOneMade) {
  const auto reports =
      run_ranks(GetParam(), WorldSize(4), Seconds(30), [](const Communicator& comm) {
        std::string found;
        for (int time = 0; time < 3; ++time) {
          double made = 0;
          const auto file = share_on_host(
              comm, [&] { return ++made, memory_file(); }, Seconds(30));
          const auto all = all_gather_text(comm, number_of(file));
          if (all[comm.rank().index()] == "no file") found = "no file";
          if (all.front() != all.back()) found = "another file";
          if (all_reduce_value(comm, made) != 1) found = "made more than once";
        }
        return found;
      });
  EXPECT_THAT(reports, Each(""));
}

TEST_P(HostSharing, AFailureEndsAllRanksBeforeTheDeadline) {
  const auto reports =
      run_ranks(GetParam(), WorldSize(3), Seconds(30), [](const Communicator& comm) {
        const auto fail = []() -> Descriptor { throw Unavailable({"no memory is left", "", ""}); };
        try {
          (void)share_on_host(comm, fail, Seconds(30));
        } catch (const std::exception& error) {
          comm.abort(error.what());
          return std::string(error.what());
        }
        return std::string("nothing was thrown");
      });
  EXPECT_THAT(reports, Each(HasSubstr("no memory is left")));
}

INSTANTIATE_TEST_SUITE_P(BackEnds,
                         HostSharing,
                         testing::Values(CommunicatorKind::threads, CommunicatorKind::shm),
                         [](const auto& kind) { return cat(kind.param); });

TEST(HostSharingAlone, ARankAloneOnItsHostGetsNothing) {
  const auto reports =
      run_ranks(CommunicatorKind::threads, WorldSize(1), Seconds(30), [](const Communicator& comm) {
        bool made = false;
        const auto file = share_on_host(
            comm, [&] { return made = true, memory_file(); }, Seconds(30));
        return file || made ? "there is a file" : "";
      });
  EXPECT_THAT(reports, Each(""));
}

}  // namespace
}  // namespace scalestudy
