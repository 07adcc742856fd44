/// Numbers between runs again, by plain arithmetic on the runs of a synthetic study.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

double geometric_mean_of(const std::vector<double>& values) {
  double product = 1;
  for (const double value : values) product *= value;
  return std::pow(product, 1 / static_cast<double>(values.size()));
}

/// One and two ranks, three launches each; the two are slower per step and do half the epochs.
class StudyRecomputed : public AnalysedStudy {
 protected:
  StudyRecomputed() {
    SyntheticRun run{.between_epochs_s = 0.2, .time_noise = 0.03};
    add(run, 3);
    run.ranks = 2;
    run.epochs = 2;
    run.exposed_communication_s = 0.009;
    add(run, 3);
  }
  const std::vector<const scalestudy::Run*>& runs(std::int64_t ranks) {
    return series().series.by_ranks.at(ranks);
  }
  const RunRecord& record_of(const scalestudy::Run& run) const {
    return *std::ranges::find(runs_.records(study_), run.record.file, &RunRecord::file);
  }
  std::vector<double> training_times(std::int64_t ranks) {
    std::vector<double> times;
    for (const scalestudy::Run* run : runs(ranks)) times.push_back(run->record.epochs.back().end_s);
    return times;
  }
};

TEST_F(StudyRecomputed, SpeedupsAreRatiosOfGeometricMeans) {
  const auto& two = series().speedup.back();
  const double expected =
      geometric_mean_of(training_times(1)) / geometric_mean_of(training_times(2));
  EXPECT_NEAR(two.training.value, expected, 1e-9);
  EXPECT_NEAR(two.efficiency.value, expected / 2, 1e-9);
  EXPECT_NEAR(two.absolute.training_time_s, geometric_mean_of(training_times(2)), 1e-9);
  std::vector<double> launches[3];
  for (const std::int64_t ranks : {1, 2})
    for (const scalestudy::Run* run : runs(ranks)) launches[ranks].push_back(launch_time_s(*run));
  EXPECT_NEAR(two.launch.value, geometric_mean_of(launches[1]) / geometric_mean_of(launches[2]),
              1e-9);
}

TEST_F(StudyRecomputed, TheSpeedupIsTheProductOfItsFactors) {
  const auto& factors = series().speedup.back().factors;
  EXPECT_NEAR(factors.throughput.value * factors.statistical.value * factors.fixed_cost.value,
              series().speedup.back().training.value, 1e-9);
  EXPECT_NEAR(factors.statistical.value, 1, 1e-12) << "half the epochs at twice the batch";
  EXPECT_NEAR(factors.throughput.value, 2 * 0.063 / 0.072, 0.1);
}

TEST_F(StudyRecomputed, TheFixedShareIsWhatIsNoSteadyTraining) {
  // Without noise: 4 × 0.2 s of evaluations beside 160 steps of 63 ms, 2 × 0.2 s beside 80 of 72
  // ms.
  const auto& factors = series().speedup.back().factors;
  EXPECT_NEAR(factors.base.fixed_frac, 0.8 / (0.8 + 160 * 0.063), 1e-6);
  EXPECT_NEAR(factors.compared.fixed_frac, 0.4 / (0.4 + 80 * 0.072), 1e-6);
}

TEST_F(StudyRecomputed, TheSerialFractionIsKarpAndFlatts) {
  const auto& two = series().speedup.back();
  EXPECT_NEAR(two.serial_fraction.value, (1 / two.training.value - 0.5) / 0.5, 1e-12);
  ASSERT_TRUE(two.serial_fraction.interval);
  EXPECT_LT(two.serial_fraction.interval->low, two.serial_fraction.interval->high);
}

TEST_F(StudyRecomputed, StepPhasesAreMeansOverRanksStepsAndRuns) {
  ASSERT_EQ(series().steps.size(), 2U);
  for (const StepComposition& found : series().steps) {
    double wait_s = 0, overhead = 0;
    for (const scalestudy::Run* run : runs(found.ranks)) {
      const auto& window = run->measures.steady_window();
      const auto steps = record_of(*run).steps;
      double sum_s = 0;
      for (auto step = window.start; step < window.end; ++step)
        for (std::int64_t rank = 0; rank < found.ranks; ++rank)
          sum_s += steps.row(rank, step).input_wait_s;
      wait_s += sum_s / static_cast<double>(window.steps() * found.ranks) / 3;
      overhead += run->measures[&SummaryRow::communication_overhead_frac] / 3;
    }
    EXPECT_EQ(found.launches, 3U);
    EXPECT_NEAR(found.phase_s[0], wait_s, 1e-12);
    EXPECT_NEAR(found.communication_overhead_frac, overhead, 1e-12);
  }
  EXPECT_NEAR(series().steps[1].communication_overhead_frac, 0.009 / 0.072, 1e-9);
}

TEST_F(StudyRecomputed, SmoothnessIsTheRatioOfRoughnesses) {
  std::vector<double> roughness[3];
  for (const std::int64_t ranks : {1, 2})
    for (const scalestudy::Run* run : runs(ranks))
      roughness[ranks].push_back(run->measures[&SummaryRow::loss_roughness]);
  const auto& two = series().smoothness.back();
  EXPECT_NEAR(two.roughness, geometric_mean_of(roughness[2]), 1e-9);
  EXPECT_NEAR(two.per_step.value, geometric_mean_of(roughness[2]) / geometric_mean_of(roughness[1]),
              1e-9);
  EXPECT_DOUBLE_EQ(two.weight_ratio, 2);
  EXPECT_NEAR(two.predicted_per_step, 1 / std::sqrt(2.0), 0.03) << "the noise is small";
}

TEST_F(StudyRecomputed, QualityIsOfEachRunAndItsDifferenceOfMeans) {
  const auto& quality = series().quality;
  for (const QualityPoint& point : quality) {
    ASSERT_EQ(point.final_loss.values.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& record = runs(point.ranks)[i]->record;
      EXPECT_EQ(point.final_loss.values[i], record.epochs.back().training_loss);
      EXPECT_EQ(point.metrics.at(0).values[i], record.evaluations.back().psnr_db);
    }
  }
  const auto mean_of = [](const std::vector<double>& v) { return (v[0] + v[1] + v[2]) / 3; };
  EXPECT_NEAR(quality[1].metrics[0].difference.value,
              mean_of(quality[1].metrics[0].values) - mean_of(quality[0].metrics[0].values), 1e-12);
}

TEST_F(StudyRecomputed, ScalingModeIsNamed) {
  EXPECT_EQ(series().scaling_mode, ScalingMode::epoch_time);
  EXPECT_EQ(scaling_words(series()),
            "epoch time: strong in total samples, weak in steps (batch per rank constant)");
}

}  // namespace
}  // namespace scalestudy
