#include "analysis/link_check.hpp"

namespace scalestudy {

double link_excess_frac(const LinkSettings& link,
                        const StepTable& steps,
                        const SteadyWindow& window) {
  if (link.algorithm == LinkAlgorithm::none) return 0;
  double model_s = 0, excess_s = 0;
  for (std::int64_t rank = 0; rank < steps.ranks(); ++rank) {
    for (auto step = window.start; step < window.end; ++step) {
      model_s += steps.at(&StepRow::link_model_s, rank, step);
      excess_s += steps.at(&StepRow::link_excess_s, rank, step);
    }
  }
  return model_s > 0 ? excess_s / model_s : 0;
}

}  // namespace scalestudy
