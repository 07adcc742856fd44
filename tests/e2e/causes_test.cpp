/// Why a published pair of times differs by so little, tried with the shipped demonstration: one
/// producer feeds all ranks, the exchange is real, and the report must tell the one from the other.

#include <gmock/gmock.h>

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(OneVersusFourReplayed, InputIsTheCauseAndShardingItTheMeasuredRemedy) {
  const Workplace place;
  const auto ran =
      place.call({"run", "n2v-one-vs-four-replay", "--out", place.out().string(), "--no-trial",
                  "--set", "axes.ranks=[1,4]", "--set", "repeats=3", "--set",
                  "control_arms=[\"synthetic_input\"]", "--set", "settings.epochs=4", "--set",
                  "settings.steps_per_epoch=8", "--set", "settings.warmup_steps=2"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto report = place.call({"report", place.out().string()}).out;
  EXPECT_THAT(
      report,
      AllOf(HasSubstr("The main cause: waiting for batches, "),
            HasSubstr("leaving it out (synthetic_input) gained "),
            ContainsRegex("axes.input sharded instead of serial made steps [12][.][0-9]+ ")));
  EXPECT_THAT(report, Not(HasSubstr("The main cause: moving gradients")));
  const auto further =
      place.call({"plan", "n2v-one-vs-four-replay", "--decide", place.out().string()});
  EXPECT_EQ(further.code, 0);
  EXPECT_THAT(further.out, Not(HasSubstr("  input: "))) << "it is decided";
}

}  // namespace
}  // namespace scalestudy
