#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/own_settings_json.hpp"
#include "study/unused_settings.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/replay/settings.hpp"

namespace scalestudy {
namespace replay {
namespace {

constexpr double most_parameters = 4e9;

double total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

std::string reason_against_settings(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto layers = settings.layer_forward_us.size();
  if (layers == 0 || settings.layer_backward_us.size() != layers ||
      settings.layer_parameters.size() != layers)
    return cat("settings.layer_forward_us, layer_backward_us and layer_parameters name ", layers,
               ", ", settings.layer_backward_us.size(), " and ", settings.layer_parameters.size(),
               " layers: give each layer all three");
  if (total(settings.layer_parameters) > most_parameters)
    return cat("settings.layer_parameters add up to more than ", most_parameters,
               ": each rank keeps them all in memory");
  if (!spec.data.path.empty()) return "a replay reads no data: data.path would be ignored";
  if (spec.settings.checkpoint.every_steps > 0)
    return "a replay has no checkpoints: settings.checkpoint.every_steps would be ignored";
  return "";
}

std::string reason_to_skip(const RunSpec& spec) {
  auto reason = reason_against_settings(spec);
  if (!reason.empty()) return reason;
  if (spec.settings.device != Device::cpu) return "a replay computes on no device";
  if (spec.input == InputKind::device) return "a replay keeps no samples on a device";
  return unused_denoising_setting(spec);
}

FirstStudy first_study(const std::filesystem::path& data) {
  throw BadInput({cat("'", data.string(), "' cannot be replayed"), "a replay reads no data",
                  "Copy the shipped study replay-layers and change its layers"});
}

bool needs_cores(const RunSpec& spec) {
  return settings_from_json_text(spec.workload_settings).pass == Pass::spin;
}

std::int64_t training_sample_count(const RunSpec& spec) {
  return settings_from_json_text(spec.workload_settings).training_samples;
}

}  // namespace
}  // namespace replay

const WorkloadDescriptor& replay_descriptor() {
  static const WorkloadDescriptor descriptor{
      .name = "replay",
      .summary = "No learning: waits as long as given layers would compute, real collectives",
      .needs_libtorch = false,
      .needs_data = false,
      .quality_metrics = {"loss"},
      .complete_settings = OwnSettings<replay::Settings>::complete,
      .settings_schema = OwnSettings<replay::Settings>::schema,
      .setting_names = OwnSettings<replay::Settings>::names,
      .training_sample_count = replay::training_sample_count,
      .reason_to_skip = replay::reason_to_skip,
      .network_size = [](const RunSpec&) { return std::optional<NetworkSize>(); },
      .first_study = replay::first_study,
      .needs_cores = replay::needs_cores,
  };
  return descriptor;
}

}  // namespace scalestudy
