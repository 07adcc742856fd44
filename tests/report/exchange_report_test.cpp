#include "analysis/report/exchange/exchange_report.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Buckets one after the other, each larger than the one before, with times of many digits.
SeriesAnalysis study_of(std::size_t buckets) {
  SeriesAnalysis analysis;
  analysis.series.slug = "study";
  ExchangePoint point;
  point.ranks = 2;
  point.launches = 3;
  for (std::size_t i = 0; i < buckets; ++i) {
    const double entered_s = 0.0101237 * double(i), transfer_s = 0.0010467 + 1e-5 * double(i);
    point.buckets.push_back({.bucket = static_cast<std::int64_t>(i),
                             .size_bytes = 1000.0 * double(i + 1),
                             .ready_s = entered_s,
                             .entered_s = entered_s,
                             .all_arrived_s = entered_s + 0.00034567,
                             .left_s = entered_s + 0.00034567 + transfer_s,
                             .exposed_s = 0.4567 * transfer_s,
                             .slowest_transfer_s = transfer_s,
                             .idle_transfer_s = transfer_s / 2});
  }
  analysis.exchanges = {point};
  return analysis;
}

double number_in(const ReportTable& table, std::size_t row, std::string_view column) {
  return std::stod(shown_in(table, row, column));
}

void expect_parts_add_up(const ReportTable& table, std::size_t row) {
  const auto number = [&](std::string_view column) { return number_in(table, row, column); };
  EXPECT_NEAR(number("exposed_s") + number("hidden_s"), number("transfer_s"), 1e-9) << row;
  EXPECT_NEAR(number("wait_s") + number("transfer_s"), number("in_collectives_s"), 1e-9) << row;
}

TEST(ExchangeReport, WhatIsPrintedAddsUp) {
  for (const std::size_t buckets : {1U, 2U, 3U, 7U, 64U, 65U, 200U}) {
    const auto analysis = study_of(buckets);
    expect_parts_add_up(exchange_table(analysis), 0);
    const auto table = buckets_table(analysis);
    for (std::size_t row = 0; row < table.rows.size(); ++row) expect_parts_add_up(table, row);
  }
}

TEST(ExchangeReport, WhatIsPrintedIsWhatWasMeasured) {
  const auto analysis = study_of(3);
  const auto table = exchange_table(analysis);
  const Exchange& one = analysis.exchanges[0];
  EXPECT_NEAR(number_in(table, 0, "transfer_s"), one.transfer_s() * 1e3, 0.011);
  EXPECT_NEAR(number_in(table, 0, "hidden_s"), (one.transfer_s() - one.exposed_s()) * 1e3, 0.011);
  EXPECT_NEAR(number_in(table, 0, "wait_s"), 3 * 0.34567, 0.006);
  EXPECT_EQ(raw_in(table, 0, "hidden_s"), exact(one.transfer_s() - one.exposed_s()));
}

TEST(ExchangeReport, UpTo64BucketsEachHaveARow) {
  const auto table = buckets_table(study_of(64));
  EXPECT_EQ(table.rows.size(), 64U);
  EXPECT_THAT(table.caption, Not(HasSubstr("summed up")));
}

TEST(ExchangeReport, OfMoreTheShortestAreSummedUp) {
  const auto analysis = study_of(70);
  const auto table = buckets_table(analysis);
  ASSERT_EQ(table.rows.size(), 65U);
  EXPECT_THAT(table.caption, HasSubstr("The 64 of 70 that took longest; the others are summed"));
  EXPECT_EQ(shown_in(table, 0, "bucket"), "6");
  EXPECT_EQ(shown_in(table, 64, "bucket"), "6 others");
  EXPECT_EQ(shown_in(table, 64, "ready_s"), "");
  EXPECT_EQ(raw_in(table, 64, "size_bytes"), exact(1000 * (1 + 2 + 3 + 4 + 5 + 6)));
  EXPECT_NEAR(std::stod(raw_in(table, 64, "transfer_s")), 6 * 0.0010467 + 15e-5, 1e-9);
  double sum_s = 0;
  for (std::size_t row = 0; row < 65; ++row) sum_s += std::stod(raw_in(table, row, "transfer_s"));
  EXPECT_NEAR(sum_s, analysis.exchanges[0].transfer_s(), 1e-7);
}

/// A bucket of every other step moves half of its bytes a step, in half of its time.
TEST(ExchangeReport, OfThoseSummedUpRareOnesCountAsOftenAsTheyAre) {
  auto analysis = study_of(66);
  auto& buckets = analysis.exchanges[0].buckets;
  buckets[1].share = 0.5;
  const auto row = buckets_table(analysis);
  const double bytes = 1000 + 0.5 * 2000;
  EXPECT_EQ(raw_in(row, 64, "size_bytes"), exact(bytes));
  EXPECT_NEAR(std::stod(raw_in(row, 64, "idle_transfer_s")),
              0.5 * (0.0010467 + 0.5 * (0.0010467 + 1e-5)), 1e-9);
}

TEST(ExchangeReport, SlowedComputingIsThatOfTheArmOrNotMeasured) {
  auto analysis = study_of(2);
  EXPECT_EQ(shown_in(exchange_table(analysis), 0, "slowed_computing_s"), "not measured");
  EXPECT_EQ(raw_in(exchange_table(analysis), 0, "slowed_computing_s"), "NaN");
  analysis.exchanges[0].slowed_computing_s = {.value = 0.0042,
                                              .interval = Interval{0.0031, 0.0053}};
  EXPECT_EQ(shown_in(exchange_table(analysis), 0, "slowed_computing_s"), "4.2 (3.1–5.3)");
  EXPECT_EQ(raw_in(exchange_table(analysis), 0, "slowed_computing_s"), "0.0042");
}

TEST(ExchangeReport, FitsAreOfTheProbeAndOfCollectivesRuns) {
  auto analysis = study_of(2);
  EXPECT_THAT(exchange_fits_table(analysis).rows, IsEmpty());
  auto& point = analysis.exchanges[0];
  for (const double size : {1e3, 1e5, 1e7}) point.probe.push_back({size, 20e-6 + 1e-9 * size});
  point.fits_beside = {{"collectives, launcher local",
                        {.ranks = 2,
                         .operation = CollectiveOperation::all_reduce,
                         .sizes = 12,
                         .alpha_s = {.value = 5e-6, .count = 3},
                         .beta_s_per_byte = {.value = 2e-10, .count = 3},
                         .worst_residual_frac = 0.25}}};
  const auto table = exchange_fits_table(analysis);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(shown_in(table, 0, "source"), "the probe");
  EXPECT_EQ(shown_in(table, 0, "alpha_s"), "20.0");
  EXPECT_NEAR(number_in(table, 0, "beta_bus_bytes_per_s"), 1, 1e-9);
  EXPECT_EQ(shown_in(table, 0, "worst_residual_frac"), "0.0\u202f%");
  EXPECT_EQ(shown_in(table, 1, "source"), "collectives, launcher local");
  EXPECT_EQ(shown_in(table, 1, "runs"), "3");
  EXPECT_EQ(shown_in(table, 1, "alpha_s"), "5.00");
  EXPECT_EQ(shown_in(table, 1, "beta_bus_bytes_per_s"), "5.00");
  EXPECT_EQ(raw_in(table, 1, "beta_s_per_byte"), "2e-10");
  EXPECT_EQ(raw_in(table, 1, "worst_residual_frac"), "0.25");
  const auto probe = exchange_probe_table(analysis);
  ASSERT_EQ(probe.rows.size(), 3U);
  EXPECT_EQ(raw_in(probe, 2, "size_bytes"), "10000000");
  EXPECT_EQ(raw_in(probe, 2, "transfer_s"), "0.01002");
  EXPECT_NEAR(std::stod(raw_in(probe, 2, "residual_frac")), 0, 1e-9);
}

TEST(ExchangeReport, FilesHaveEveryBucket) {
  const auto analysis = study_of(70);
  const auto table = all_buckets_table(analysis);
  EXPECT_FALSE(table.is_on_page);
  ASSERT_EQ(table.rows.size(), 70U);
  EXPECT_EQ(raw_in(table, 69, "ranks"), "2");
  EXPECT_EQ(raw_in(table, 69, "bucket"), "69");
  EXPECT_EQ(raw_in(table, 69, "left_s"), exact(analysis.exchanges[0].buckets[69].left_s));
}

TEST(ExchangeReport, WithoutAnExchangeNothingIsShown) {
  const SeriesAnalysis analysis;
  EXPECT_THAT(exchange_table(analysis).rows, IsEmpty());
  EXPECT_THAT(exchange_fits_table(analysis).rows, IsEmpty());
  EXPECT_THAT(buckets_table(analysis).rows, IsEmpty());
}

}  // namespace
}  // namespace scalestudy
