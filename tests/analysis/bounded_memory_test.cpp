/// What the analysis keeps of runs does not grow with their ranks and buckets.

#include <gtest/gtest.h>
#include <malloc.h>

#include "analysis/series/run_set.hpp"
#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

std::int64_t heap_bytes() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// Neither a function of the analysis nor of the report can ask a run for its columns.
template <class Facts>
concept HasColumns = requires(Facts facts) {
  facts.steps;
}
|| requires(Facts facts) {
  facts.buckets;
}
|| requires(Facts facts) {
  facts.panels;
};
static_assert(HasColumns<RunRecord>);
static_assert(!HasColumns<decltype(scalestudy::Run::record)>);

TEST(BoundedMemory, OfEachRunSomeNumbersAStepAreKept) {
  constexpr std::int64_t ranks = 8, steps = 400, runs = 6;
  TemporaryFolder folder;
  write_group(folder / "study", {.ranks = ranks, .epochs = 1, .steps_per_epoch = steps}, runs);
  if (heap_bytes() == 0) GTEST_SKIP() << "this build counts its memory otherwise";
  (void)load_runs({folder / "study"});  // what is allocated once
  const auto before = heap_bytes();
  const RunSet set = load_runs({folder / "study"});
  const auto per_run = (heap_bytes() - before) / runs;
  ASSERT_EQ(set.runs.size(), static_cast<std::size_t>(runs));
  constexpr auto value_bytes = std::int64_t{sizeof(double)};
  constexpr auto columns = std::ssize(columns_of<StepRow>);
  const auto facts_bytes = 40'000 + 10 * steps * value_bytes;
  EXPECT_LT(per_run, facts_bytes) << "a column has " << ranks * steps * value_bytes << " bytes";
  EXPECT_LT(facts_bytes, columns * ranks * steps * value_bytes / 5) << "the test tells nothing";
}

}  // namespace
}  // namespace scalestudy
