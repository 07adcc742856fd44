/// A rank that stops is named after a deadline of real time.

#include <gmock/gmock.h>

#include "tests/e2e/injected_replay.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

TEST(Injection, AStoppedRankIsNamed) {
  const InjectedReplay place;
  const auto failed = place.run(
      {}, {"--inject", "stop@step=10", "--set", "settings.timeouts.collective_deadline_s=3"});
  EXPECT_EQ(failed.code, 5) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("rank 1 hung in phase"));
  EXPECT_THAT(failed.err, HasSubstr("; injected on purpose: stop@step=10"));
  EXPECT_EQ(place.record().header.failed_rank, 1);
}

}  // namespace
}  // namespace scalestudy
