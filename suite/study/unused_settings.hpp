#pragma once
/// Settings that only some workloads or other settings let have an effect: else they are refused.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/run_spec.hpp"

namespace scalestudy {

/// A setting that does nothing by itself.
struct SettingReach {
  std::string_view path;  ///< in "settings"; what lies below it is meant, too
  bool (*acts)(const RunSpec& spec);
  std::string_view needs;  ///< as ends "acts only with": "settings.schedule.name step"
};

/// Of a workload that has nothing which the setting could change.
inline bool acts_never(const RunSpec&) {
  return false;
}

/// `given`: paths in "settings" that the author wrote; `own`: what the workload adds to the common
/// ones; `specs`: all that the study combines. Errors: BadInput for one that acts in none of them.
void require_settings_act(std::span<const std::string> given,
                          std::span<const SettingReach> own,
                          std::span<const RunSpec> specs);

/// For workloads that denoise no volume: why a run that has one of the settings of `data` for these
/// is left out, or "".
[[nodiscard]] std::string unused_volume_setting(const RunSpec& spec);

}  // namespace scalestudy
