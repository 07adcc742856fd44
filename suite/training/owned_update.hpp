#pragma once
/// The update of the parameters that a rank owns; who owns the rest gives it to this one.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "engine/reduction.hpp"

#include "training/flat_parameters.hpp"
#include "training/optimizer.hpp"

namespace scalestudy {

class OwnedUpdate {
 public:
  /// Both outlive this.
  OwnedUpdate(const OptimizerSettings& settings,
              FlatParameters& parameters,
              ReductionStrategy& reduction);

  /// Updates what is owned of the first `summed_count` parameters, as far as the pieces lie there,
  /// before the step() of the others. Local.
  void step_early(std::int64_t summed_count,
                  double learning_rate,
                  const torch::Tensor& gradients,
                  const torch::Tensor& divisor);

  /// As Optimizer::step() of what is owned and was not updated early; afterwards all ranks have all
  /// parameters. `gradients`: (n), of which the owned ones are sums. Returns when they were given
  /// to the others, if they were. Collective.
  StartedCollective step(double learning_rate,
                         const torch::Tensor& gradients,
                         const torch::Tensor& divisor,
                         const torch::Tensor& found_inf);

  /// Updates asked for so far.
  [[nodiscard]] std::int64_t steps() const { return parts_.front().optimizer->steps(); }
  void set_steps(std::int64_t steps);

  /// What is carried from step to step beside that: one value per parameter each, (n), or a count
  /// of steps, (). Values of parameters that this rank does not own are 0. Local.
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> state();
  /// The same with everybody's values. Collective.
  [[nodiscard]] std::vector<std::pair<std::string, torch::Tensor>> state_of_all_ranks();
  /// Takes what this rank owns. Local.
  void set_state(const std::vector<std::pair<std::string, torch::Tensor>>& state);

 private:
  /// The parts that end at `end` or before, those not yet updated in this step.
  void update_up_to(std::int64_t end,
                    double learning_rate,
                    const torch::Tensor& gradients,
                    const torch::Tensor& divisor,
                    const torch::Tensor& found_inf);

  struct Part {
    Piece piece;
    std::unique_ptr<Optimizer> optimizer;
  };

  FlatParameters& parameters_;
  ReductionStrategy& reduction_;
  std::vector<Part> parts_;
  std::size_t next_part_ = 0;  ///< those before it are updated in this step
};

}  // namespace scalestudy
