/// What `scalestudy plan` does with a study of 10,000 runs, half of what one may have.

#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/error.hpp"

#include "study/study_matrix.hpp"

#include "record/study_folder/study_folder.hpp"

#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t run_count = 10'000;

/// 10 rank counts × 5 strategies × 2 thread counts × 100 repeats.
Study large_study() {
  const std::vector<std::string> axes{
      "axes.ranks=[1,2,3,4,5,6,7,8,9,10]",
      R"(axes.reduction=["bucketed_overlap","flat_after_backward","packs","fusion","tower"])",
      "axes.threads_per_rank=[1,2]",
      "repeats=100",
      "control_arms=[]",
      "settings.epochs=10"};
  return read_study(SCALESTUDY_SOURCE_DIR "/workloads/noise2void/studies/n2v-quickstart.json", axes,
                    workload_catalogue());
}

StudyMatrix expanded(const Study& study) {
  static constexpr LauncherDescriptor local{"local", "for benchmarks", CommunicatorKind::shm};
  static constexpr std::array launchers{&local};
  return expand(study, Environment{}, /*cores=*/32, workload_catalogue(), launchers);
}

/// The axes multiplied, each run resolved, the blocks drawn.
void expand_study(benchmark::State& state) {
  const auto study = large_study();
  for (auto _ : state) SCALESTUDY_EXPECT(expanded(study).runs.size() == run_count);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(run_count));
}
BENCHMARK(expand_study)->Unit(benchmark::kMillisecond);

/// The name of each run's folder, which ends in its content's hash.
void hash_runs(benchmark::State& state) {
  const auto matrix = expanded(large_study());
  for (auto _ : state)
    for (const auto& run : matrix.runs) benchmark::DoNotOptimize(run.run_id());
  state.SetItemsProcessed(state.iterations() * std::ssize(matrix.runs));
}
BENCHMARK(hash_runs)->Unit(benchmark::kMillisecond);

/// The text of plan.json.
void write_plan(benchmark::State& state) {
  StudyPlan plan;
  plan.matrix = expanded(large_study());
  std::int64_t bytes = 0;
  for (auto _ : state) bytes += std::ssize(to_json_text(plan));
  state.SetItemsProcessed(state.iterations() * std::ssize(plan.matrix.runs));
  state.SetBytesProcessed(bytes);
}
BENCHMARK(write_plan)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scalestudy
