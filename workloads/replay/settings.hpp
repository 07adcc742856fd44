#pragma once
/// Settings of the replay: how long each layer takes and how large it is. Light: no LibTorch.

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
               Choice{replay::Pass::spin, "spin", "the core is busy, as with a real network"}};

}  // namespace scalestudy

namespace scalestudy::replay {

/// A cause of lost time, put there on purpose: what measures and analyses must find it.
struct Planted {
  std::int64_t rank = -1;            ///< the slow one; −1: none
  std::int64_t slower_us = 0;        ///< its forward pass, per step
  std::int64_t input_slower_us = 0;  ///< its input, per batch
  std::int64_t hold_us = 0;  ///< each collective of the reduction, after all ranks have come
};

struct Settings {
  std::vector<std::int64_t> layer_forward_us{2000, 2000, 2000};
  std::vector<std::int64_t> layer_backward_us{4000, 4000, 4000};
  std::vector<std::int64_t> layer_parameters{100'000, 100'000, 100'000};
  Pass pass = Pass::sleep;
  std::int64_t optimizer_us = 500;
  std::int64_t sample_bytes = 4096;
  std::int64_t training_samples = 1024;
  std::int64_t evaluation_us = 20'000;
  Planted planted;
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::replay
