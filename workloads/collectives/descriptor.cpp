#include <algorithm>
#include <set>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/own_settings_json.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/collectives/cases.hpp"

namespace scalestudy {
namespace collectives {
namespace {

/// 112 MB of run file; rank 0 holds no more than a second's rows of them.
constexpr double most_rows = 2e6;

template <class Value>
std::string reason_against_list(const std::vector<Value>& values, std::string_view name) {
  if (values.empty()) return cat("settings.", name, " is empty: nothing would be measured");
  if (std::set<Value>(values.begin(), values.end()).size() == values.size()) return "";
  return cat("settings.", name, " names a value twice: it would be measured once");
}

std::string reason_against_sizes(const Settings& settings) {
  const auto element_bytes = bytes_of(settings.element_type);
  for (const auto size_bytes : settings.sizes_bytes)
    if (size_bytes % element_bytes != 0)
      return cat("settings.sizes_bytes: ", size_bytes, " is no multiple of the ", element_bytes,
                 " bytes of ", to_string(settings.element_type));
  return "";
}

std::string reason_to_skip(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  for (const auto& reason :
       {reason_against_list(settings.operations, "operations"),
        reason_against_list(settings.sizes_bytes, "sizes_bytes"), reason_against_sizes(settings)})
    if (!reason.empty()) return reason;
  if (spec.settings.device != Device::cpu && spec.ranks == 1)
    return "one GPU exchanges nothing: take 2 ranks or more";
  if (spec.settings.device != Device::cpu && spec.settings.link.algorithm != LinkAlgorithm::none)
    return "settings.link emulates a link between processors, not between GPUs";
  // Sums of 0 and 1 are exact up to 2^8 with the 8 bits of precision that bfloat16 has.
  if (settings.check && settings.element_type != ElementType::float32 && spec.ranks > 256)
    return cat(to_string(settings.element_type),
               " holds no sum of so many ranks exactly: set settings.check false");
  const auto rows = static_cast<double>(spec.ranks) * static_cast<double>(settings.iterations) *
                    static_cast<double>(cases_of(settings, spec.ranks).size());
  if (rows > most_rows)
    return cat("ranks, operations, sizes and settings.iterations make more than ", most_rows,
               " rows: take fewer");
  return "";
}

FirstStudy first_study(const DataSettings& data, std::optional<double> /*unused*/) {
  throw BadInput({cat("'", data.path, "' cannot be used"), "collectives read no data",
                  "Take the shipped study collectives-cpu, or copy it and change its sizes"});
}

}  // namespace
}  // namespace collectives

const WorkloadDescriptor& collectives_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "collectives",
      .summary = "No training: time, bandwidth and correctness of collective operations",
      .needs_libtorch = false,
      .needs_data = false,
      .quality_metrics = {},
      .complete_settings = OwnSettings<collectives::Settings>::complete,
      .settings_schema = OwnSettings<collectives::Settings>::schema,
      .setting_names = OwnSettings<collectives::Settings>::names,
      .training_sample_count = [](const RunSpec&) { return std::int64_t{0}; },
      .reason_to_skip = collectives::reason_to_skip,
      .network_size = [](const RunSpec&) { return std::optional<NetworkSize>(); },
      .first_study = collectives::first_study,
      .trains = false,
  };
  return descriptor;
}

}  // namespace scalestudy
