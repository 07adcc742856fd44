#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "comm/rendezvous.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

template <class Failure>
std::string failure_of(CommunicatorKind back_end, const Rendezvous& place) {
  return message_of<Failure>([&] { return make_communicator(back_end, place, Seconds(1)); });
}

TEST(CommunicatorFactory, ThreadsAreNotMadeRankByRank) {
  EXPECT_THAT(failure_of<BadInput>(CommunicatorKind::threads, {}), HasSubstr("local, shm or mpi"));
}

TEST(CommunicatorFactory, LocalJoinsOneRankOnly) {
  EXPECT_EQ(make_communicator(CommunicatorKind::local, {}, Seconds(1)).name(), "local");
  Rendezvous place;
  place.world_size = WorldSize(2);
  EXPECT_THAT(failure_of<RunFailed>(CommunicatorKind::local, place),
              HasSubstr("1 rank, not the 2"));
}

TEST(CommunicatorFactory, RankOutsideTheWorldIsRefused) {
  Rendezvous place;
  place.rank = Rank(1);
  EXPECT_THAT(failure_of<BadInput>(CommunicatorKind::shm, place), HasSubstr("rank 1 of 1"));
}

TEST(CommunicatorFactory, AbsentBackEndIsLacking) {
  for (const auto& back_end : choices<CommunicatorKind>) {
    if (is_built_in(back_end.value)) continue;
    EXPECT_THAT(failure_of<Unavailable>(back_end.value, {}), HasSubstr("this build has no"));
  }
}

TEST(CommunicatorFactory, LocalAbortStaysInForce) {
  const Communicator comm = make_communicator(CommunicatorKind::local, {}, Seconds(1));
  comm.barrier();
  comm.abort("enough");
  EXPECT_THROW(comm.barrier(), RunFailed);
}

}  // namespace
}  // namespace scalestudy
