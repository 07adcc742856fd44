#pragma once
/// Settings of the replay: how long each layer takes and how large it is, and what else a training
/// does. Light: no LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "study/choices.hpp"
#include "study/fields.hpp"

namespace scalestudy::replay {

/// How time passes that a real network would compute in.
enum class Pass { sleep, spin };

}  // namespace scalestudy::replay

namespace scalestudy {

template <>
inline constexpr auto choices<replay::Pass> =
    std::array{Choice{replay::Pass::sleep, "sleep",
                      "the core is free meanwhile: any number of "
                      "ranks on a few cores"},
               Choice{replay::Pass::spin, "spin",
                      "by the thread's CPU time: ranks that share a core take longer, as with a "
                      "real network"}};

}  // namespace scalestudy

namespace scalestudy::replay {

/// An hour: longer than anything here takes.
inline constexpr double most_us = 3600e6;
inline constexpr double most_layer_parameters = 1e9;
inline constexpr double most_noise_frac = 1;

struct Settings {
  std::string profile;  ///< a file, or the name of a shipped one: says the rest; empty: none
  /// Of the whole pass where it has one entry only.
  std::vector<std::int64_t> layer_forward_us{2000, 2000, 2000};
  std::vector<std::int64_t> layer_backward_us{4000, 4000, 4000};
  std::vector<std::int64_t> layer_parameters{100'000, 100'000, 100'000};
  std::int64_t timed_batch_size = 0;  ///< samples that the times are for; 0: local_batch_size
  Pass pass = Pass::sleep;
  std::int64_t optimizer_us = 500;
  std::int64_t input_us = 0;
  std::int64_t sample_bytes = 4096;
  std::int64_t training_samples = 1024;
  std::int64_t evaluation_us = 20'000;
  std::int64_t checkpoint_us = 0;
  std::int64_t first_step_us = 0;
  double noise_frac = 0;
  double drift_frac = 0;
  double burst_frac = 0;
  double burst_factor = 1;
  std::int64_t samples_to_quality = 0;  ///< 0: the loss stays 1
  double seed_spread_frac = 0;
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::replay
