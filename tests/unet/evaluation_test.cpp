/// One model, evaluated on any number of ranks: the same numbers over the same population.

#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <torch/utils.h>

#include "core/error.hpp"

#include "comm/rendezvous.hpp"
#include "data/source/image_source.hpp"

#include "training/device.hpp"

#include "tests/support/thread_ranks.hpp"
#include "tests/unet/specs.hpp"
#include "workloads/unet/samples.hpp"
#include "workloads/unet/task.hpp"

namespace scalestudy::unet {
namespace {

/// 97 samples train, 23 evaluate: 2, 3, 4, 5 and 8 ranks cannot share 23 evenly.
RunSpec nuclei_spec(const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all{"axes.ranks=[1]", "settings.size=[64,64]",
                               "settings.training_frac=0.81", "settings.test_frac=0",
                               "settings.evaluation_batch_size=2"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return runs_of("unet-nuclei", all).runs.front();
}

std::unique_ptr<TrainingTask> make_equal_task(const RunSpec& spec) {
  torch::manual_seed(5);
  auto task = make_task(spec, torch::kCPU);
  task->model().eval();
  return task;
}

std::vector<Evaluation> evaluate_on(std::int64_t ranks, const RunSpec& spec) {
  std::vector<std::unique_ptr<TrainingTask>> tasks;
  for (std::int64_t r = 0; r < ranks; ++r) tasks.push_back(make_equal_task(spec));
  std::vector<Evaluation> evaluations(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](const Communicator& comm) {
    const torch::NoGradGuard no_grad;
    const ThreadCount one(1);
    const auto r = comm.rank().index();
    evaluations[r] = tasks[r]->evaluate(comm, [] {});
  });
  return evaluations;
}

TEST(UNetEvaluation, IsBitEqualAtEveryNumberOfRanks) {
  const auto spec = nuclei_spec();
  const auto alone = evaluate_on(1, spec).front();
  EXPECT_EQ(alone.sample_count, 23);
  EXPECT_GT(alone.iou, 0);
  EXPECT_LT(alone.iou, 1);
  EXPECT_TRUE(std::isfinite(alone.loss));
  for (const std::int64_t ranks : {2, 3, 4, 5, 8}) {
    for (const auto& shared : evaluate_on(ranks, spec)) {
      for (const auto metric :
           {&EvaluationRow::iou, &EvaluationRow::iou_smoothed, &EvaluationRow::dice,
            &EvaluationRow::iou_sample_p05, &EvaluationRow::iou_sample_median,
            &EvaluationRow::iou_sample_p95, &EvaluationRow::all_foreground_iou,
            &EvaluationRow::intersection_count, &EvaluationRow::predicted_count,
            &EvaluationRow::target_count})
        EXPECT_EQ(shared.*metric, alone.*metric) << ranks << column_of(metric).name;
      EXPECT_EQ(shared.loss, alone.loss) << ranks;
      EXPECT_EQ(shared.sample_count, alone.sample_count);
      EXPECT_EQ(shared.evaluation_set_hash, alone.evaluation_set_hash);
    }
  }
}

TEST(UNetEvaluation, PopulationWithoutItsRemainderHasAnotherHash) {
  const auto whole = evaluate_on(2, nuclei_spec());
  const auto spec = nuclei_spec();
  const Samples samples(open_image_mask_set(spec.data.path),
                        settings_from_json_text(spec.workload_settings), 0, {}, "here");
  SetHash complete, dropped, doubled;
  const auto& validation = samples.lists().validation;
  for (const auto sample : validation) complete.add(samples.hash(sample));
  for (std::size_t i = 0; i + 1 < validation.size(); ++i) dropped.add(samples.hash(validation[i]));
  doubled = complete;
  doubled.add(samples.hash(validation.back()));
  EXPECT_EQ(whole[0].evaluation_set_hash, hex64(complete.value()));
  EXPECT_NE(whole[0].evaluation_set_hash, hex64(dropped.value()));
  EXPECT_NE(whole[0].evaluation_set_hash, hex64(doubled.value()));
}

TEST(UNetEvaluation, CallingEveryPixelForegroundFollowsFromTheMasks) {
  const auto spec = nuclei_spec();
  const Samples samples(open_image_mask_set(spec.data.path),
                        settings_from_json_text(spec.workload_settings), 0, {}, "here");
  double foreground = 0, pixels = 0;
  for (const auto sample : samples.lists().validation) {
    const auto read = samples.read(sample);
    for (const auto value : read->mask.bytes) {
      foreground += value == std::byte{255} ? 1 : 0;
      pixels += 1;
    }
  }
  EXPECT_EQ(evaluate_on(1, spec).front().all_foreground_iou, foreground / pixels);
}

TEST(UNetEvaluation, AnotherSplitIsAnotherPopulation) {
  const auto usual = evaluate_on(1, nuclei_spec()).front();
  const auto other = evaluate_on(1, nuclei_spec({"settings.split_seed=7"})).front();
  EXPECT_NE(usual.evaluation_set_hash, other.evaluation_set_hash);
}

/// Ranks that disagree about the batches drop some samples and count others twice.
TEST(EvaluateSamples, CatchesDroppedAndDoubledSamples) {
  const auto problem = [](std::int64_t first_batch, std::int64_t second_batch) {
    const auto comms = make_thread_ranks(WorldSize(2), Seconds(60));
    std::vector<std::string> problems(2);
    const auto work = [&](std::size_t rank, std::int64_t batch_size) {
      try {
        const auto nothing = [](const EvaluationBatch&, std::span<double>) {};
        const auto values = evaluate_samples(comms[rank], 7, batch_size, 1, nothing);
      } catch (const RunFailed& error) {
        problems[rank] = error.what();
      }
    };
    std::thread other(work, 1, second_batch);
    work(0, first_batch);
    other.join();
    return problems;
  };
  EXPECT_THAT(problem(2, 2), testing::Each(""));
  EXPECT_THAT(problem(2, 3), testing::Each(testing::HasSubstr("evaluated 0 times")));
  EXPECT_THAT(problem(3, 2), testing::Each(testing::HasSubstr("evaluated 2 times")));
}

}  // namespace
}  // namespace scalestudy::unet
