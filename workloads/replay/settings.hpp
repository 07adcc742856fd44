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

struct Settings {
  std::vector<std::int64_t> layer_forward_us{2000, 2000, 2000};
  std::vector<std::int64_t> layer_backward_us{4000, 4000, 4000};
  std::vector<std::int64_t> layer_parameters{100'000, 100'000, 100'000};
  Pass pass = Pass::sleep;
  std::int64_t optimizer_us = 500;
  std::int64_t sample_bytes = 4096;
  std::int64_t training_samples = 1024;
  std::int64_t evaluation_us = 20'000;
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::replay
