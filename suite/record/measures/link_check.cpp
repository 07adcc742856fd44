#include "record/measures/link_check.hpp"

namespace scalestudy {

LinkExcess link_excess(const LinkSettings& link,
                       const StepTable& steps,
                       const SteadyWindow& window) {
  if (link.algorithm == LinkAlgorithm::none) return {};
  double model_s = 0, excess_s = 0, step_s = 0;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    for (auto step = window.start; step < window.end; ++step) {
      model_s += steps.at(&StepRow::link_model_s, rank, step);
      excess_s += steps.at(&StepRow::link_excess_s, rank, step);
      step_s += steps.at(&StepRow::step_s, rank, step);
    }
  }
  if (!(model_s > 0 && step_s > 0)) return {};
  return {.model_frac = excess_s / model_s, .step_frac = excess_s / step_s};
}

}  // namespace scalestudy
