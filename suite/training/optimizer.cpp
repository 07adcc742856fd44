#include "training/optimizer.hpp"

#include "core/error.hpp"

#include "training/adam.hpp"
#include "training/lars.hpp"
#include "training/sgd.hpp"

namespace scalestudy {

Optimizer::~Optimizer() = default;

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          const FlatView& parameters) {
  switch (settings.name) {
    case OptimizerKind::adam:
      return std::make_unique<Adam>(settings, parameters.values);
    case OptimizerKind::sgd:
      return std::make_unique<Sgd>(settings, parameters.values);
    case OptimizerKind::lars:
      return std::make_unique<Lars>(settings, parameters);
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy
