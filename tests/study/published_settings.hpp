#pragma once
/// What scaling rules are tested on.

#include <stdexcept>
#include <string>

#include "study/scaling_rules.hpp"

namespace scalestudy {

/// Section 1.1 of the source works' protocols: BiAPoL/blog, Noise2Void on 1 and 4 A100.
inline CommonSettings blog() {
  return {.local_batch_size = 16,
          .epochs = 200,
          .steps_per_epoch = 200,
          .optimizer = {.base_learning_rate = 4e-4}};
}

inline const TimeLikeSetting& time_like(const RulePlan& plan, std::string_view name) {
  for (const auto& setting : plan.time_like)
    if (setting.name == name) return setting;
  throw std::out_of_range(std::string(name));
}

}  // namespace scalestudy
