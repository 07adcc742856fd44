/// Every measure of a run again, from the definitions of METRICS.md, by code that shares nothing
/// with the analysis.

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "record/measures/measures.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t rank_count = 3;
constexpr std::int64_t warmup = 4;

/// Unequal shards, a slow start, a rank without samples in some steps.
RunRecord irregular_run(std::int64_t steps, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  RunRecord run;
  run.steps = StepTable(rank_count, steps);
  for (const auto& column : columns_of<StepRow>)
    for (double& value : run.steps.values(column)) value = uniform(random);
  for (std::int64_t rank = 0; rank < rank_count; ++rank) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto i = static_cast<std::size_t>(rank * steps + step);
      const bool idle = rank == 2 && step % 7 == 3;
      run.steps.values(&StepRow::step_s)[i] = uniform(random) + (step < 14 ? 5 : 0);
      run.steps.values(&StepRow::start_s)[i] = 3.0 * static_cast<double>(step);
      run.steps.values(&StepRow::epoch)[i] = static_cast<double>(step / 20);
      run.steps.values(&StepRow::sample_count)[i] = idle ? 0 : 3 + static_cast<double>(rank);
      run.steps.values(&StepRow::loss_weight)[i] = idle ? 0 : 10 * uniform(random);
      if (idle) run.steps.values(&StepRow::loss)[i] = std::nan("");
    }
  }
  run.ranks = {{.cpu_time_s = 1.25}, {.cpu_time_s = 2.5}, {.cpu_time_s = 5}};
  return run;
}

class Recomputed : public ::testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] double at(StepColumn column, std::int64_t rank, std::int64_t step) const {
    return number_in(run_.steps.row(rank, step), *column);
  }
  [[nodiscard]] double slowest_s(std::int64_t step) const {
    double slowest = 0;
    for (std::int64_t rank = 0; rank < rank_count; ++rank)
      slowest = std::max(slowest, at(&StepRow::step_s, rank, step));
    return slowest;
  }
  [[nodiscard]] std::int64_t samples(std::int64_t step) const {
    std::int64_t sum = 0;
    for (std::int64_t rank = 0; rank < rank_count; ++rank)
      sum += run_.steps.row(rank, step).sample_count;
    return sum;
  }
  [[nodiscard]] std::int64_t steps() const { return run_.steps.steps(); }

  /// As long as an epoch's steps took on the clock, epoch by epoch.
  [[nodiscard]] double elapsed_s() const {
    double sum_s = 0;
    for (std::int64_t first = warmup, step = warmup; step < steps(); ++step) {
      const auto epoch = run_.steps.row(0, step).epoch;
      if (run_.steps.row(0, first).epoch != epoch) first = step;
      if (first != step)
        sum_s -= at(&StepRow::saving_s, 0, step) + at(&StepRow::evaluation_s, 0, step);
      if (step + 1 < steps() && run_.steps.row(0, step + 1).epoch == epoch) continue;
      double begin_s = 0, end_s = 0;
      for (std::int64_t rank = 0; rank < rank_count; ++rank) {
        const double end_of_rank_s =
            at(&StepRow::start_s, rank, step) + at(&StepRow::step_s, rank, step);
        begin_s = std::max(begin_s, at(&StepRow::start_s, rank, first));
        end_s = std::max(end_s, end_of_rank_s);
      }
      sum_s += end_s - begin_s;
    }
    return sum_s;
  }

  /// Standard deviation of the differences of the logarithms, ÷ √2, after the first tenth.
  [[nodiscard]] double roughness(std::int64_t per_point) const {
    std::vector<std::pair<double, double>> points;
    double seen = 0, joined = 0, weighted = 0, weight = 0;
    for (std::int64_t step = 0; step < steps(); ++step) {
      for (std::int64_t rank = 0; rank < rank_count; ++rank) {
        const auto row = run_.steps.row(rank, step);
        if (row.loss_weight > 0) weighted += row.loss_weight * row.loss;
        weight += row.loss_weight;
      }
      seen += static_cast<double>(samples(step));
      joined += static_cast<double>(samples(step));
      if (joined < static_cast<double>(per_point)) continue;
      points.emplace_back(seen, std::log(weighted / weight));
      joined = weighted = weight = 0;
    }
    std::erase_if(points, [&, last = points.back().first](const auto& point) {
      return point.first <= 0.1 * last;
    });
    const auto n = static_cast<double>(points.size() - 1);
    const double centre = (points.back().second - points.front().second) / n;
    double squares = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      squares += std::pow(points[i].second - points[i - 1].second - centre, 2);
    return std::sqrt(squares / (n - 1)) / std::sqrt(2.0);
  }

  RunRecord run_ = irregular_run(61, GetParam());
  RunMeasures found_{run_, {warmup}};
};

TEST_P(Recomputed, SteadyWindow) {
  EXPECT_EQ(found_[&SummaryRow::steady_start_step], warmup) << "the slow start is not cut";
  EXPECT_EQ(found_.steady_window().end, steps());
  EXPECT_FALSE(found_.steady_window().stationarity.is_stationary()) << "but seen";
}

TEST_P(Recomputed, SteadyStep) {
  std::vector<double> times;
  for (auto step = warmup; step < steps(); ++step) times.push_back(slowest_s(step));
  std::sort(times.begin(), times.end());
  const auto n = times.size();
  EXPECT_DOUBLE_EQ(found_[&SummaryRow::steady_step_s], (times[n / 2] + times[(n - 1) / 2]) / 2);
}

TEST_P(Recomputed, SamplesPerSecond) {
  double count = 0;
  for (auto step = warmup; step < steps(); ++step) count += static_cast<double>(samples(step));
  EXPECT_NEAR(found_[&SummaryRow::samples_per_s], count / elapsed_s(), 1e-12 * count);
}

TEST_P(Recomputed, CommunicationOverhead) {
  double blocked_s = 0, time_s = 0;
  for (auto step = warmup; step < steps(); ++step) {
    for (std::int64_t rank = 0; rank < rank_count; ++rank) {
      blocked_s += at(&StepRow::exposed_communication_s, rank, step);
      time_s += at(&StepRow::step_s, rank, step);
    }
  }
  EXPECT_NEAR(found_[&SummaryRow::communication_overhead_frac], blocked_s / time_s, 1e-12);
}

TEST_P(Recomputed, LossRoughness) {
  EXPECT_NEAR(found_[&SummaryRow::loss_roughness], roughness(1), 1e-12);
  constexpr std::int64_t window_samples = 25;
  const double at_equal_samples =
      loss_roughness(loss_curve(step_losses(run_.steps), window_samples));
  EXPECT_NEAR(at_equal_samples, roughness(window_samples), 1e-12);
  EXPECT_NE(found_[&SummaryRow::loss_roughness], at_equal_samples);
}

TEST_P(Recomputed, SamplesConsumed) {
  double sum = 0;
  for (std::int64_t step = 0; step < steps(); ++step) sum += static_cast<double>(samples(step));
  EXPECT_EQ(samples_consumed(step_losses(run_.steps)), sum);
}

TEST_P(Recomputed, ProcessorTime) {
  EXPECT_EQ(found_[&SummaryRow::cpu_time_s], 8.75);
}

TEST_P(Recomputed, TrainingTimeWithoutEpochsIsTheSlowestRanksLastStep) {
  const auto last = steps() - 1;
  EXPECT_DOUBLE_EQ(found_[&SummaryRow::training_time_s],
                   3.0 * static_cast<double>(last) + slowest_s(last));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Recomputed, ::testing::Values(1U, 2U, 3U, 4U, 5U));

std::vector<EpochRow> epochs_with(const std::vector<double>& validation_losses) {
  std::vector<EpochRow> epochs;
  for (const double loss : validation_losses) {
    const auto number = static_cast<double>(epochs.size() + 1);
    epochs.push_back(
        {.training_loss = 10 - number, .validation_loss = loss, .end_s = 100 * number});
  }
  return epochs;
}

TEST(EpochMeasures, TheBestValidationLossIsTheSmallestFiniteOne) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  RunRecord run;
  run.epochs = epochs_with({nan, 3, 1, 2, nan, infinity});
  EXPECT_EQ(best_validation_loss(run), 1);
  run.epochs = epochs_with({-1, 0.5, -infinity, -2});
  EXPECT_EQ(best_validation_loss(run), -2);
  run.epochs = epochs_with({nan, infinity});
  EXPECT_TRUE(std::isnan(best_validation_loss(run)));
}

TEST(EpochMeasures, AFailedRunsEpochsCountAsFarAsTheyGo) {
  RunRecord run = irregular_run(40, 9);
  run.header.status = RunStatus::failed;
  run.epochs = epochs_with({2});
  const auto summary = summarise(run, {warmup});
  EXPECT_EQ(summary.training_time_s, 100);
  EXPECT_EQ(summary.final_loss, 9);
  EXPECT_GT(summary.samples_per_s, 0);
}

TEST(EpochMeasures, AnUnknownProcessorTimeOfOneRankMakesTheSumUnknown) {
  RunRecord run = irregular_run(20, 9);
  run.ranks[1].cpu_time_s = std::nan("");
  EXPECT_EQ(known_value(summarise(run, {warmup}), &SummaryRow::cpu_time_s), std::nullopt);
}

TEST(Measures, AResumedRunKeepsRoughnessAndQuality) {
  RunRecord run = irregular_run(60, 3);
  run.evaluations = {{.psnr_db = 20, .iou = 0.5}};
  const RunMeasures whole(run, {warmup});
  run.header.labels = {"resumed"};
  const RunMeasures resumed(run, {warmup});
  EXPECT_EQ(resumed[&SummaryRow::loss_roughness], whole[&SummaryRow::loss_roughness]);
  EXPECT_EQ(resumed[&SummaryRow::psnr_db], 20);
  EXPECT_EQ(resumed[&EvaluationRow::iou], 0.5);
  for (const auto field : {&SummaryRow::samples_per_s, &SummaryRow::cpu_time_s,
                           &SummaryRow::communication_overhead_frac})
    EXPECT_TRUE(std::isnan(resumed[field])) << column_of(field).name;
}

TEST(Measures, QualityIsTheLastEvaluationsEvenWhereAnEarlierOneWasBetter) {
  RunRecord run;
  run.evaluations = {{.iou = 0.9, .dice = 0.95}, {.iou = 0.8}};
  const RunMeasures found(run, {});
  EXPECT_EQ(found[&SummaryRow::iou], 0.8);
  EXPECT_TRUE(std::isnan(found[&SummaryRow::dice]));
}

TEST(Measures, UnitsStandBehindValuesAndInHeadings) {
  EXPECT_EQ(measure_of(column_of(&EvaluationRow::psnr_db)).unit_suffix(), " dB");
  EXPECT_EQ(measure_of(column_of(&EvaluationRow::psnr_db)).heading(), "PSNR, dB");
  EXPECT_EQ(measure_of(column_of(&EvaluationRow::iou)).unit_suffix(), "");
  EXPECT_EQ(measure_of(column_of(&EvaluationRow::iou)).heading(), "IoU");
  EXPECT_TRUE(measure_of(column_of(&EvaluationRow::iou)).higher_is_better());
  EXPECT_FALSE(measure_of(column_of(&SummaryRow::final_loss)).higher_is_better());
}

}  // namespace
}  // namespace scalestudy
