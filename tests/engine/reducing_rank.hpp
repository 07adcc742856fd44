#pragma once
/// A rank with a few gradients, for the tests of reductions.

#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/text.hpp"

#include "engine/reduction.hpp"

namespace scalestudy {

inline const std::vector<std::int64_t> counts{3, 1, 4, 1, 5};
inline constexpr std::size_t total = 14;

/// What the strategy is made with; small limits, so that five parameters make three buckets.
inline CommonSettings small_settings() {
  CommonSettings settings;
  settings.buckets = {12, 20};
  return settings;
}

struct StrategyCase {
  Reduction reduction = Reduction::bucketed_overlap;
  CommonSettings settings = small_settings();
  std::string name = cat(reduction);
};

inline std::ostream& operator<<(std::ostream& out, const StrategyCase& strategy) {
  return out << strategy.name;
}

/// A rank and its gradients, as a training step would have them.
class RankAtWork {
 public:
  RankAtWork(const StrategyCase& strategy,
             const Communicator& comm,
             std::optional<int> communication_core = std::nullopt,
             const std::vector<std::int64_t>& element_counts = counts)
      : flat(std::accumulate(element_counts.begin(), element_counts.end(), std::size_t{1})),
        tensors(element_counts.size()),
        reduction(make_reduction(strategy.reduction,
                                 {comm, element_counts, view_of(std::span(flat)), clock,
                                  strategy.settings, communication_core})) {}

  void make_all_ready() {
    for (std::size_t tensor = 0; tensor < tensors; ++tensor) reduction->gradient_ready(tensor);
  }
  void step() {
    reduction->begin_step();
    make_all_ready();
    reduction->finish();
    // Sums in the place of parameters: who has those of a part gives them to the others.
    const auto parameters = std::ssize(flat) - 1;
    reduction->share(part_of(view_of(std::span(flat)), 0, parameters));
  }

  HostClock clock;
  std::vector<float> flat;  ///< with the loss weight behind all gradients
  std::size_t tensors;
  std::unique_ptr<ReductionStrategy> reduction;
};

}  // namespace scalestudy
