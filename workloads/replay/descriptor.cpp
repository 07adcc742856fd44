#include <array>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/own_settings_json.hpp"
#include "study/unused_settings.hpp"

#include "workloads/catalogue.hpp"
#include "workloads/replay/profile.hpp"
#include "workloads/replay/settings.hpp"

namespace scalestudy {
namespace replay {
namespace {

constexpr double most_parameters = 4e9;

double total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

std::string reason_against_layers(const RunSpec& spec, const Settings& settings) {
  const auto layers = settings.layer_backward_us.size();
  const auto forward = settings.layer_forward_us.size();
  const auto parameters = settings.layer_parameters.size();
  if (!settings.profile.empty() && parameters == 0)
    return cat("settings.profile: nobody has read '", settings.profile, "'");
  if (layers == 0 || parameters != layers || (forward != layers && forward != 1))
    return cat("settings.layer_forward_us, layer_backward_us and layer_parameters name ", forward,
               ", ", layers, " and ", parameters, " layers: give each layer all three");
  if (total(settings.layer_parameters) > most_parameters)
    return cat("settings.layer_parameters add up to more than ", most_parameters,
               ": each rank keeps them all in memory");
  if (forward != layers && spec.settings.batch_norm == BatchNormPolicy::synchronised)
    return "settings.batch_norm synchronised is a collective in each layer of both passes: "
           "settings.layer_forward_us does not tell them apart";
  return "";
}

std::string reason_against_settings(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  if (auto reason = reason_against_layers(spec, settings); !reason.empty()) return reason;
  if (!spec.data.path.empty()) return "a replay reads no data: data.path would be ignored";
  if ((settings.burst_frac > 0) != (settings.burst_factor > 1))
    return "settings.burst_frac and burst_factor say together what bursts are: give both";
  if (settings.sample_bytes % 4 != 0)
    return cat("settings.sample_bytes ", settings.sample_bytes, " is no multiple of 4");
  if (settings.seed_spread_frac > 0 && settings.samples_to_quality == 0)
    return "settings.seed_spread_frac scatters samples_to_quality, which is 0";
  return "";
}

bool makes_checkpoints(const RunSpec& spec) {
  return !spec.settings.checkpoint.is_off();
}

/// That none are made is in force, too.
bool follows_checkpoints(const RunSpec& spec) {
  return !makes_checkpoints(spec) ||
         settings_from_json_text(spec.workload_settings).checkpoint_us > 0;
}

constexpr std::string_view computing = "a workload that computes";

constexpr std::array reach{
    SettingReach{"checkpoint", follows_checkpoints,
                 "settings.checkpoint_us above 0: a replay writes no checkpoints, it only passes "
                 "their time"},
    SettingReach{"checkpoint_us", makes_checkpoints, "settings.checkpoint"},
    SettingReach{"input.worker_threads",
                 [](const RunSpec& spec) { return spec.input == InputKind::sharded; },
                 "input sharded"},
    SettingReach{"optimizer.momentum", acts_never, computing},
    SettingReach{"optimizer.weight_decay", acts_never, computing},
    SettingReach{"optimizer.beta1", acts_never, computing},
    SettingReach{"optimizer.beta2", acts_never, computing},
    SettingReach{"optimizer.epsilon", acts_never, computing},
    SettingReach{"optimizer.epsilon_rule", acts_never, computing},
    SettingReach{"optimizer.trust_coefficient", acts_never, computing},
    SettingReach{"precision", acts_never, computing},
    SettingReach{"memory_format", acts_never, computing},
    SettingReach{"onednn_pointwise", acts_never, computing},
    SettingReach{"evaluation_threads", acts_never, computing},
    SettingReach{"evaluation_batch_size", acts_never, computing},
    SettingReach{"gradients.accumulated", acts_never, computing},
    SettingReach{"input.cache_bytes", acts_never, computing},
    SettingReach{"input.cache_shared", acts_never, computing}};

/// Nothing computes, so that no activation is kept.
std::optional<NetworkSize> network_size(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  return NetworkSize{.parameter_count =
                         static_cast<std::int64_t>(total(settings.layer_parameters))};
}

std::string reason_to_skip(const RunSpec& spec) {
  auto reason = reason_against_settings(spec);
  if (!reason.empty()) return reason;
  if (spec.settings.device != Device::cpu) return "a replay computes on no device";
  if (spec.input == InputKind::device) return "a replay keeps no samples on a device";
  return unused_volume_setting(spec);
}

FirstStudy first_study(const DataSettings& data, std::optional<double> /*unused*/) {
  throw BadInput(
      {cat("'", data.path, "' cannot be replayed"), "a replay reads no data",
       "Record a profile of the network (workloads/replay/README.md) and run replay-profile"});
}

bool needs_cores(const RunSpec& spec) {
  return settings_from_json_text(spec.workload_settings).pass == Pass::spin;
}

/// Passes are scaled by the batch; what a step costs whatever its batch is not known.
std::string settings_warning(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto given = spec.settings.local_batch_size;
  const auto recorded = settings.timed_batch_size;
  if (settings.profile.empty() || recorded == given) return "";
  return cat("settings.local_batch_size is ", given, ", the profile was recorded with ", recorded,
             ": its times are taken in proportion, as no network's are. Give --set "
             "settings.local_batch_size=",
             recorded, ".");
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
      .complete_settings = replay::complete_settings,
      .settings_schema = OwnSettings<replay::Settings>::schema,
      .setting_names = OwnSettings<replay::Settings>::names,
      .training_sample_count = replay::training_sample_count,
      .reason_to_skip = replay::reason_to_skip,
      .network_size = replay::network_size,
      .first_study = replay::first_study,
      .needs_cores = replay::needs_cores,
      .settings_warning = replay::settings_warning,
      .settings_with_files = replay::settings_with_profile,
      .reach = replay::reach,
  };
  return descriptor;
}

}  // namespace scalestudy
