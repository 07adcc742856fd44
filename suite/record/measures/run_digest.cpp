#include "record/measures/run_digest.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "core/hash.hpp"
#include "core/statistics.hpp"

namespace scalestudy {
namespace {

bool is_whole(const Panel& panel) {
  return panel.width_px > 0 && panel.height_px > 0 &&
         panel.pixels.size() == static_cast<std::size_t>(panel.width_px * panel.height_px);
}

/// Of an even number of steps the shorter one in the middle: a step that was.
std::int64_t median_step(const StepTable& table, const SteadyWindow& window) {
  const auto step_s = table.max_over_ranks(&StepRow::step_s);
  std::vector<std::int64_t> steps(static_cast<std::size_t>(window.steps()));
  std::iota(steps.begin(), steps.end(), window.start);
  const auto middle = steps.begin() + (std::ssize(steps) - 1) / 2;
  std::nth_element(steps.begin(), middle, steps.end(), [&](std::int64_t a, std::int64_t b) {
    return step_s[static_cast<std::size_t>(a)] < step_s[static_cast<std::size_t>(b)];
  });
  return *middle;
}

std::optional<BucketStep> typical_step(const RunRecord& record, const SteadyWindow& window) {
  const StepTable& steps = record.steps;
  if (steps.ranks() == 1 || window.empty() || record.buckets.empty()) return std::nullopt;
  BucketStep typical{.step = median_step(steps, window)};
  typical.link_model_s = steps.at(&StepRow::link_model_s, 0, typical.step);
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    typical.start_s.push_back(steps.at(&StepRow::start_s, rank, typical.step));
    typical.step_s.push_back(steps.at(&StepRow::step_s, rank, typical.step));
  }
  std::ranges::copy_if(record.buckets, std::back_inserter(typical.buckets),
                       [&](const BucketRow& bucket) { return bucket.step == typical.step; });
  return typical;
}

void digest_panels(const std::vector<Panel>& panels, RunDigest& digest) {
  for (const Panel& panel : panels)
    if (is_whole(panel)) digest.panel_names.push_back(panel.name);
  if (const Panel* confusion = whole_panel_named(panels, "confusion"); confusion != nullptr)
    digest.confusion = *confusion;
}

}  // namespace

const Panel* whole_panel_named(const std::vector<Panel>& panels, std::string_view name) {
  const auto found = std::ranges::find_if(
      panels, [&](const Panel& panel) { return panel.name == name && is_whole(panel); });
  return found == panels.end() ? nullptr : &*found;
}

RunDigest digest_of(const RunRecord& record, const RunMeasures& measures) {
  const StepTable& steps = record.steps;
  const SteadyWindow& window = measures.steady_window();
  RunDigest digest;
  digest.step_count = steps.steps();
  digest_panels(record.panels, digest);
  digest.launch_times = launch_times(record);
  digest.collectives = collective_times(record.collectives, steps.ranks());
  if (steps.steps() == 0) return digest;
  digest.step_times_hash = hash_bytes(std::as_bytes(std::span(steps.values(&StepRow::step_s))));
  digest.losses = step_losses(steps);
  digest.weight_per_step = mean(steps.sum_over_ranks(&StepRow::loss_weight));
  digest.mean_step = mean_step(record, measures);
  digest.path_step = path_step(steps, window);
  digest.checked_steps = checked_steps(record, window);
  digest.gradient_noise = gradient_noise(steps, window);
  digest.typical_step = typical_step(record, window);
  digest.exchange = exchange_of(record, window);
  return digest;
}

}  // namespace scalestudy
