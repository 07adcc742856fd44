#pragma once
/// Settings of the measurement of collective operations. Light: no LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "study/collective_operation.hpp"
#include "study/fields.hpp"

namespace scalestudy::collectives {

/// What is added up and moved.
enum class ElementType { float32, float16, bfloat16 };

}  // namespace scalestudy::collectives

namespace scalestudy {

template <>
inline constexpr auto choices<collectives::ElementType> =
    std::array{Choice{collectives::ElementType::float32, "float32", "4 bytes"},
               Choice{collectives::ElementType::float16, "float16", "2 bytes"},
               Choice{collectives::ElementType::bfloat16, "bfloat16", "2 bytes"}};

}  // namespace scalestudy

namespace scalestudy::collectives {

[[nodiscard]] constexpr std::int64_t bytes_of(ElementType type) {
  return type == ElementType::float32 ? 4 : 2;
}

struct Settings {
  std::vector<CollectiveOperation> operations{
      CollectiveOperation::all_reduce, CollectiveOperation::broadcast,
      CollectiveOperation::all_gather, CollectiveOperation::reduce_scatter,
      CollectiveOperation::barrier};
  /// Powers of 4 from 8 B, and 64 MiB.
  std::vector<std::int64_t> sizes_bytes{8,      32,     128,     512,     2048,     8192,    32768,
                                        131072, 524288, 2097152, 8388608, 33554432, 67108864};
  ElementType element_type = ElementType::float32;
  std::int64_t iterations = 100;  ///< fewer than 100 have no 99th percentile
  std::int64_t warmup_iterations = 5;
  double time_limit_s = 2;  ///< of one operation and size
  bool check = true;
};

void visit(FieldVisitor& visitor, Settings& settings);

/// From the JSON object in RunSpec::workload_settings.
[[nodiscard]] Settings settings_from_json_text(const std::string& text);

}  // namespace scalestudy::collectives
