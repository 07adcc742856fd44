#include "training/optimizer.hpp"

#include "core/error.hpp"

#include "training/adam.hpp"
#include "training/sgd.hpp"

namespace scalestudy {

Optimizer::~Optimizer() = default;

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings, torch::Tensor values) {
  switch (settings.name) {
    case OptimizerKind::adam:
      return std::make_unique<Adam>(settings, std::move(values));
    case OptimizerKind::sgd:
      return std::make_unique<Sgd>(settings, std::move(values));
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy
