/// The real rank program under the real driver: what a study of real training leaves in its files.

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "record/measures/measures.hpp"
#include "record/run_file/run_file.hpp"

#include "tests/e2e/real_study.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/noisy_volume.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Each value is told from those of the same type beside it.
void expect_consistent_ranks(const RunRecord& run) {
  std::set<std::int64_t> process_ids;
  for (const auto& rank : run.ranks) {
    process_ids.insert(rank.process_id);
    EXPECT_NE(rank.host, "cpu");
    EXPECT_EQ(rank.device, "cpu");
    EXPECT_LT(rank.threads, rank.process_id);
    EXPECT_GT(rank.peak_memory_bytes, 1 << 24);
    EXPECT_GT(rank.cpu_time_s, 0);
    EXPECT_GT(rank.initialisation_s, 0);
    EXPECT_GT(rank.clocked_cpu_time_s, 0);
    EXPECT_LT(rank.clocked_cpu_time_s, rank.cpu_time_s);
    EXPECT_LT(rank.clocked_s + rank.initialisation_s, run.summary.launch_wall_time_s);
    EXPECT_GT(rank.clocked_s, run.summary.training_time_s);
    EXPECT_GT(rank.clocked_core_busy_s, 0);
    EXPECT_GT(rank.core_count, 0);
    EXPECT_LE(rank.initialisation_s + run.summary.training_time_s, run.summary.launch_wall_time_s);
  }
  EXPECT_EQ(process_ids.size(), run.ranks.size());
  for (const auto& evaluation : run.evaluations) {
    EXPECT_GT(evaluation.weight_sum, 0);
    EXPECT_EQ(evaluation.weight_sum, std::floor(evaluation.weight_sum)) << "masked voxels";
    EXPECT_NE(evaluation.loss, std::floor(evaluation.loss));
  }
}

void expect_consistent(const RunRecord& run, std::int64_t ranks) {
  EXPECT_EQ(run.header.status, RunStatus::complete);
  EXPECT_TRUE(run.header.validity_codes.empty());
  EXPECT_EQ(run.steps.ranks(), ranks);
  EXPECT_EQ(run.ranks.size(), static_cast<std::size_t>(ranks));
  expect_consistent_ranks(run);
  const auto& step_s = run.steps.values(&StepRow::step_s);
  const auto& other_s = run.steps.values(&StepRow::other_s);
  for (std::size_t i = 0; i < step_s.size(); ++i) {
    EXPECT_GE(other_s[i], -1e-9);
    EXPECT_LE(other_s[i], step_s[i]);
  }
  for (const double loss : run.steps.global_loss()) EXPECT_TRUE(std::isfinite(loss));
}

TEST(Training, TheArmWithoutCommunicationSaysThatItSynchronisedNothing) {
  const Workplace place;
  write_real_study(place, R"("ranks": [2])", 1, 2);
  const auto finished =
      place.run({}, {"--set", "settings.batch_norm=synchronised", "--set",
                     R"(control_arms=["no_communication"])", "--set", "settings.epochs=2"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const auto records = records_of(place);
  ASSERT_EQ(records.size(), 2U);
  for (const auto& run : records) {
    const auto resolved = nlohmann::json::parse(run.resolved_settings);
    const auto effective = nlohmann::json::parse(run.effective_settings);
    const bool is_arm = resolved.at("control_arm") == "no_communication";
    EXPECT_EQ(effective.at("settings").at("batch_norm"), is_arm ? "local" : "synchronised");
  }
}

/// Losses and hashes that any world size must agree on; every summary value from its raw columns.
TEST(Training, RunsOfEveryLauncherAndReductionAreConsistent) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1, 3], "scaling_rule": ["strong"],
                             "reduction": ["bucketed_overlap", "flat_after_backward"])",
                   1, 4);
  std::set<std::string> hashes;
  std::vector<std::string> launchers{"local"};
  if (std::string(MPIEXEC_PROGRAM) != "") launchers.emplace_back("mpirun");
  for (const auto& launcher : launchers) {
    const auto out = place.path() / launcher;
    const auto finished = place.call(
        {"run", place.study_file().string(), "--out", out.string(), "--launcher", launcher},
        {{"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}});
    ASSERT_EQ(finished.code, 0) << finished.err;
    for (const auto& entry : fs::directory_iterator(out / "runs")) {
      const auto run = read_run_file(entry.path() / "run.h5");
      expect_consistent(run, run.steps.ranks());
      for (const auto& hash : values_of(run.evaluations, &EvaluationRow::evaluation_set_hash))
        hashes.insert(hash);
      EXPECT_EQ(run.steps.steps(), 16);
      const auto samples = run.steps.sum_over_ranks(&StepRow::sample_count);
      EXPECT_TRUE(
          std::all_of(samples.begin(), samples.end(), [](double count) { return count == 4; }));
    }
  }
  EXPECT_EQ(hashes.size(), 1U)
      << "the evaluation set must not depend on ranks, reduction or launcher";
}

/// Whatever brings the batches, they are the same: so are, bit for bit, losses and weights.
TEST(Training, EveryInputTrainsOnTheSameBatches) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1, 2], "scaling_rule": ["strong"],
                             "input": ["sharded", "serial", "device"])",
                   1, 3);
  const auto finished = place.run({}, {"--set", "settings.input.worker_threads=2", "--set",
                                       R"(control_arms=["synthetic_input"])"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  std::map<std::int64_t, std::set<double>> losses;  // by ranks
  std::size_t arms = 0, runs = 0;
  for (const auto& run : records_of(place)) {
    expect_consistent(run, run.steps.ranks());
    if (run.header.run_id.find("synthetic_input") != std::string::npos)
      ++arms;
    else {
      losses[run.steps.ranks()].insert(run.evaluations.back().loss);
      ++runs;
    }
  }
  EXPECT_EQ(arms, 2U);
  EXPECT_EQ(runs, 6U);
  for (const auto& [ranks, found] : losses) EXPECT_EQ(found.size(), 1U) << ranks << " ranks";
}

TEST(Training, PrecisionBatchNormAndEmulatedInputAreInForceAndRecorded) {
  const Workplace place;
  write_real_study(place, R"("ranks": [2], "scaling_rule": ["strong"], "input": ["serial"],
                             "precision": ["fp32", "bf16"])",
                   1, 2);
  const auto finished =
      place.run({}, {"--set", "settings.batch_norm=synchronised", "--set",
                     "settings.input.sample_cost_s=0.005", "--set", "settings.patch=[12,16,16]"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  std::set<double> losses;
  for (const auto& run : records_of(place)) {
    EXPECT_TRUE(run.header.has_label(RunLabel::emulated_input));
    EXPECT_EQ(nlohmann::json::parse(run.effective_settings)["settings"]["batch_norm"],
              "synchronised");
    losses.insert(run.evaluations.back().loss);
  }
  EXPECT_EQ(losses.size(), 2U) << "bf16 must change the result";
}

TEST(Training, MaskedVoxelsAreTheSameAtEveryWorldSize) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1, 2, 4], "scaling_rule": ["strong"])", 1, 2);
  ASSERT_EQ(place.run().code, 0);
  const auto runs = records_of(place);
  ASSERT_EQ(runs.size(), 3U);
  for (const auto& run : runs) {
    // The first step's samples, masks and weights are those of one rank, but for the batch that
    // batch norm sees; the masked-voxel count is exactly equal.
    EXPECT_EQ(run.steps.sum_over_ranks(&StepRow::loss_weight),
              runs.front().steps.sum_over_ranks(&StepRow::loss_weight));
  }
}

TEST(Training, EverySummaryValueFollowsFromTheRawColumns) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1, 2])", 1, 8);
  ASSERT_EQ(place.run().code, 0);
  for (const auto& run : records_of(place)) {
    const auto steps = run.steps.max_over_ranks(&StepRow::step_s);
    const auto start = static_cast<std::size_t>(*run.summary_value(&SummaryRow::steady_start_step));
    ASSERT_LT(start, steps.size());
    EXPECT_EQ(start, 5U);
    // Per epoch from the last rank's start of its first counted step to the last one's end.
    const auto samples = run.steps.sum_over_ranks(&StepRow::sample_count);
    double time_s = 0, count = 0;
    for (std::int64_t step = 5; step < run.steps.steps(); ++step) {
      const auto epoch_at = [&](std::int64_t at) { return run.steps.row(0, at).epoch; };
      const bool is_first = step == 5 || epoch_at(step - 1) != epoch_at(step);
      const bool is_last = step + 1 == run.steps.steps() || epoch_at(step + 1) != epoch_at(step);
      double start_s = 0, end_s = 0;
      for (std::int64_t rank = 0; rank < run.steps.ranks(); ++rank) {
        const auto row = run.steps.row(rank, step);
        start_s = std::max(start_s, row.start_s);
        end_s = std::max(end_s, row.start_s + row.step_s);
      }
      time_s += (is_last ? end_s : 0) - (is_first ? start_s : 0);
      count += samples[static_cast<std::size_t>(step)];
    }
    EXPECT_NEAR(*run.summary_value(&SummaryRow::samples_per_s) * time_s / count, 1.0, 1e-9);

    double exposed = 0, total = 0;
    for (std::int64_t rank = 0; rank < run.steps.ranks(); ++rank)
      for (auto step = static_cast<std::int64_t>(start); step < run.steps.steps(); ++step) {
        exposed += run.steps.at(&StepRow::exposed_communication_s, rank, step);
        total += run.steps.at(&StepRow::step_s, rank, step);
      }
    EXPECT_NEAR(*run.summary_value(&SummaryRow::communication_overhead_frac), exposed / total,
                1e-9);

    const auto losses = values_of(run.epochs, &EpochRow::training_loss);
    EXPECT_EQ(*run.summary_value(&SummaryRow::final_loss), losses.back());
    const auto validation = values_of(run.epochs, &EpochRow::validation_loss);
    EXPECT_EQ(*run.summary_value(&SummaryRow::best_validation_loss),
              *std::min_element(validation.begin(), validation.end()));
    const auto cpu = values_of(run.ranks, &RankRow::cpu_time_s);
    EXPECT_NEAR(*run.summary_value(&SummaryRow::cpu_time_s),
                std::accumulate(cpu.begin(), cpu.end(), 0.0), 1e-9);
    EXPECT_LT(*run.summary_value(&SummaryRow::training_time_s),
              *run.summary_value(&SummaryRow::launch_wall_time_s));
    EXPECT_GT(*run.summary_value(&SummaryRow::timeline_cost_s), 0);
    // The remaining ones are compared with the same functions on the file as read back.
    const auto expected = summarise(run, {5});
    for (const auto& column : columns_of<SummaryRow>)
      EXPECT_EQ(run.summary_value(column), known_value(expected, column)) << column.name;
  }
}

TEST(Training, TheSameSeedGivesTheSameLossesOnTheSameRanks) {
  const Workplace first, second;
  std::vector<std::vector<double>> losses;
  for (const auto* place : {&first, &second}) {
    write_real_study(*place, R"("ranks": [2])", 1, 4);
    ASSERT_EQ(place->run().code, 0);
    losses.push_back(records_of(*place).front().steps.global_loss());
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Training, BadDataEndsTheRunWithTheReason) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1])", 1, 2);
  const auto run_with = [&](const std::vector<std::string>& overrides) {
    std::vector<std::string> arguments;
    for (const auto& override_text : overrides)
      arguments.insert(arguments.end(), {"--set", override_text});
    return place.run({}, arguments);
  };
  auto finished = run_with({"settings.patch=[64,64,64]"});
  EXPECT_EQ(finished.code, 2) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("40 voxels along Z"));
  fs::remove_all(place.out());
  finished = run_with({"settings.local_batch_size=100000"});
  EXPECT_EQ(finished.code, 2) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("fewer than the global batch"));
}

TEST(Training, BadDataUnderMpiKeepsItsExitCode) {
  SCALESTUDY_NEEDS("mpi", std::string(MPIEXEC_PROGRAM) != "");
  const Workplace place;
  write_real_study(place, R"("ranks": [2])", 1, 2);
  const auto finished =
      place.run({}, {"--set", "settings.patch=[64,64,64]", "--launcher", "mpirun"});
  EXPECT_EQ(finished.code, 2) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("40 voxels along Z"));
}

TEST(Training, AddedNoiseGivesAPsnrThatFollowsFromTheReference) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1, 2])", 1, 4);
  ASSERT_EQ(place.run({}, {"--set", "data.added_noise_std=8"}).code, 0);
  std::set<double> input_psnrs, constant_losses;
  for (const auto& run : records_of(place)) {
    const auto panel = [&](const std::string& name) {
      const auto found = std::find_if(run.panels.begin(), run.panels.end(),
                                      [&](const Panel& each) { return each.name == name; });
      EXPECT_NE(found, run.panels.end()) << name;
      return found->pixels;
    };
    const auto rms = [](const std::vector<float>& a, const std::vector<float>& b) {
      double squares = 0;
      for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(a[i] - b[i], 2);
      return std::sqrt(squares / static_cast<double>(a.size()));
    };
    EXPECT_NEAR(rms(panel("input"), panel("reference")), 8.0, 0.8);
    // The stack's grey values span 35 … 237; the panel is a part of what the PSNR is about.
    const double expected =
        20.0 * std::log10((237.0 - 35.0) / rms(panel("prediction"), panel("reference")));
    EXPECT_NEAR(*run.summary_value(&SummaryRow::psnr_db), expected, 6.0);
    EXPECT_EQ(*run.summary_value(&SummaryRow::psnr_db), run.evaluations.back().psnr_db);
    EXPECT_NEAR(run.evaluations.back().input_psnr_db, 20.0 * std::log10((237.0 - 35.0) / 8), 0.05);
    EXPECT_TRUE(std::isnan(run.evaluations.front().input_psnr_db)) << "known at the end only";
    input_psnrs.insert(run.evaluations.back().input_psnr_db);
    for (const auto& evaluation : run.evaluations) constant_losses.insert(evaluation.constant_loss);
  }
  EXPECT_EQ(input_psnrs.size(), 1U) << "the same input at one rank and at two";
  EXPECT_EQ(constant_losses.size(), 1U);
}

/// The same words before training and in the run's file, from where the report has them.
TEST(Training, CorrelatedNoiseIsSaidAndRecorded) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1])", 1, 4);
  const auto volume = place.path() / "volume.h5";
  test::write_noisy_volume(volume, {8, 64, 64}, 0.5);
  const auto finished = place.run({}, {"--set", cat("data.path=", volume.string())});
  ASSERT_EQ(finished.code, 0) << finished.err;
  const auto warning = records_of(place).front().header.data_warnings.at(0);
  EXPECT_THAT(warning, HasSubstr("correlated along x (+0."));
  const auto at = finished.err.find("warning: " + warning);
  ASSERT_NE(at, std::string::npos) << finished.err;
  EXPECT_LT(at, finished.err.find("runs complete"));
}

TEST(Training, IndependentNoiseIsNoWord) {
  const Workplace place;
  write_real_study(place, R"("ranks": [1])", 1, 2);
  const auto volume = place.path() / "volume.h5";
  test::write_noisy_volume(volume, {8, 96, 96}, 0);
  const auto finished = place.run({}, {"--set", cat("data.path=", volume.string()), "--set",
                                       "settings.epochs=1", "--set", "settings.masked_frac=0.01"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, testing::Not(HasSubstr("correlated")));
  EXPECT_TRUE(records_of(place).front().header.data_warnings.empty());
}

}  // namespace
}  // namespace scalestudy
