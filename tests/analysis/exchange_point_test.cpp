#include "analysis/exchange/exchange_point.hpp"

#include <list>

#include <gmock/gmock.h>

#include "tests/support/traced_run.hpp"

namespace scalestudy {
namespace {

using testing::IsEmpty;

/// A study with an exchange at two ranks, and collectives runs beside it.
class ExchangePoints : public ::testing::Test {
 protected:
  ExchangePoints() {
    scalestudy::Run& run = add_run();
    run.digest.exchange = exchange_of(traced_run(2, 20), SteadyWindow{.start = 0, .end = 20});
    proper_.by_ranks[2] = {&run};
  }
  /// Of two ranks, with α = 20 µs for all-reduces.
  CollectivesAnalysis& add_collectives() {
    CollectivesAnalysis& one = collectives_.emplace_back();
    one.series.name = "collectives";
    one.series.by_ranks[2] = {&add_run()};
    one.fits = {{.ranks = 2,
                 .operation = CollectiveOperation::all_reduce,
                 .sizes = 5,
                 .alpha_s = {.value = 20e-6}}};
    return one;
  }
  scalestudy::Run& run_of(const CollectivesAnalysis& one) {
    for (scalestudy::Run& run : runs_)
      if (&run == one.series.by_ranks.at(2).front()) return run;
    throw std::logic_error("no run");
  }
  std::vector<FitBeside> fits() {
    return exchange_points(proper_, {}, collectives_).at(0).fits_beside;
  }

  Series proper_;
  std::vector<CollectivesAnalysis> collectives_;

 private:
  scalestudy::Run& add_run() {
    scalestudy::Run& run = runs_.emplace_back();
    run.spec.ranks = 2;
    run.spec.communicator = CommunicatorKind::shm;
    run.origin = {.study = std::to_string(runs_.size()), .build = "1", .machine = "here"};
    return run;
  }
  std::list<scalestudy::Run> runs_;
};

TEST_F(ExchangePoints, HaveTheFitsOfCollectivesRunsOfTheirOrigin) {
  add_collectives();
  ASSERT_EQ(fits().size(), 1U);
  EXPECT_EQ(fits()[0].series, "collectives");
  EXPECT_EQ(fits()[0].fit.alpha_s.value, 20e-6);
}

TEST_F(ExchangePoints, HaveNoFitOfAnotherBuildOrMachine) {
  run_of(add_collectives()).origin.build = "2";
  run_of(add_collectives()).origin.machine = "elsewhere";
  EXPECT_THAT(fits(), IsEmpty());
}

TEST_F(ExchangePoints, HaveNoFitThroughAnotherCommunicatorOrLink) {
  run_of(add_collectives()).spec.communicator = CommunicatorKind::mpi;
  run_of(add_collectives()).spec.settings.link.latency_s = 1e-3;
  EXPECT_THAT(fits(), IsEmpty());
}

TEST_F(ExchangePoints, HaveNoFitOfOtherNumbersOrOperations) {
  run_of(add_collectives()).spec.workload_settings = R"({"element_type": "bfloat16"})";
  add_collectives().fits[0].operation = CollectiveOperation::broadcast;
  EXPECT_THAT(fits(), IsEmpty());
}

TEST_F(ExchangePoints, HaveNoFitOfOtherRanks) {
  auto& one = add_collectives();
  one.series.by_ranks[4] = one.series.by_ranks[2];
  one.series.by_ranks.erase(2);
  one.fits[0].ranks = 4;
  EXPECT_THAT(fits(), IsEmpty());
}

TEST_F(ExchangePoints, HaveTheSlowedComputingOfTheirArm) {
  std::vector<ArmContrast> contrasts;
  for (const auto& kind : contrast_kinds()) {
    contrasts.push_back({.kind = &kind, .ranks = 2});
    contrasts.back().beyond_column_s.value = double(contrasts.size());
  }
  EXPECT_EQ(exchange_points(proper_, contrasts, {}).at(0).slowed_computing_s.value, 1)
      << "the first kind is moving_gradients";
  for (ArmContrast& one : contrasts) one.ranks = 4;
  EXPECT_TRUE(std::isnan(exchange_points(proper_, contrasts, {}).at(0).slowed_computing_s.value));
}

TEST_F(ExchangePoints, WithoutArmHaveNoSlowedComputing) {
  EXPECT_TRUE(std::isnan(exchange_points(proper_, {}, {}).at(0).slowed_computing_s.value));
}

}  // namespace
}  // namespace scalestudy
