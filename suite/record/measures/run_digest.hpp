#pragma once
/// What the analysis needs of the columns of one run. They are digested and dropped before the next
/// file is read, so that memory grows by this alone: some numbers, and a few for each step, however
/// many ranks and buckets a step had. Formulas stay where they are used. Local, pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/measures/checked_steps.hpp"
#include "record/measures/collective_times.hpp"
#include "record/measures/exchange.hpp"
#include "record/measures/gradient_noise.hpp"
#include "record/measures/launch_parts.hpp"
#include "record/measures/mean_step.hpp"
#include "record/measures/measures.hpp"
#include "record/measures/path_step.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// The buckets of one step.
struct BucketStep {
  std::int64_t step = 0;
  std::vector<double> start_s;  ///< of each rank, on the training clock
  std::vector<double> step_s;   ///< of each rank
  std::vector<BucketRow> buckets;
  double link_model_s = 0;  ///< of its collectives over an emulated link
};

struct RunDigest {
  std::int64_t step_count = 0;
  std::uint64_t step_times_hash = 0;      ///< no two executions have equal step times
  double weight_per_step = not_recorded;  ///< loss weight of all ranks, over all steps
  std::vector<StepLoss> losses;
  MeanStep mean_step;
  std::optional<PathStep> path_step;
  std::optional<LaunchTimes> launch_times;
  CheckedSteps checked_steps;
  GradientNoise gradient_noise;
  /// The median one of the steady steps; none with one rank, nor where no bucket was recorded.
  std::optional<BucketStep> typical_step;
  std::optional<Exchange> exchange;
  std::vector<CollectiveTimesOfRun> collectives;  ///< empty where a network was trained
  std::vector<std::string> panel_names;           ///< of those that have all of their pixels
  std::optional<Panel> confusion;                 ///< the one panel that is added up over runs
};

[[nodiscard]] RunDigest digest_of(const RunRecord& record, const RunMeasures& measures);

/// Null when there is none of this name, or none with all of its pixels.
[[nodiscard]] const Panel* whole_panel_named(const std::vector<Panel>& panels,
                                             std::string_view name);

}  // namespace scalestudy
