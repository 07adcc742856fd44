#include "training/optimizer.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "training/adam.hpp"
#include "training/sgd.hpp"

namespace scalestudy {

Optimizer::~Optimizer() = default;

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          const FlatView& parameters) {
  if (settings.name == "adam") return std::make_unique<Adam>(settings, parameters.values);
  if (settings.name == "sgd") return std::make_unique<Sgd>(settings, parameters.values);
  throw BadInput({cat("unknown optimizer '", settings.name, "'"), "known are adam and sgd",
                  "Use one of them"});
}

}  // namespace scalestudy
