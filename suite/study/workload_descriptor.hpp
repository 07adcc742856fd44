#pragma once
/// What the driver must know about a workload, without LibTorch. One per folder of workloads/,
/// defined in its descriptor.cpp; the catalogue is generated from the folder listing.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/fields.hpp"
#include "study/network_size.hpp"
#include "study/run_spec.hpp"
#include "study/unused_settings.hpp"

namespace scalestudy {

/// Settings that fit given data and train for minutes, not hours, on two cores.
struct FirstStudy {
  std::string settings;      ///< the JSON object "settings"
  std::string summary;       ///< what was seen and chosen: "patches of 8 x 32 x 32 voxels from …"
  QualityGoal quality;       ///< a metric that these data give, and a margin to begin with
  std::string warning = {};  ///< what is amiss with the data
};

/// The file that a setting names by its path, relative to the study file, or that is shipped under
/// this name. Errors: BadInput with the nearest name.
using FindFile = std::function<std::filesystem::path(const std::string& path_or_name)>;

struct WorkloadDescriptor {
  std::string_view name;
  std::string_view summary;
  bool needs_libtorch = true;
  bool needs_data = true;
  /// Names of the quality metrics it records in /evaluations, best first ("psnr_db").
  std::vector<std::string_view> quality_metrics;

  /// Reads the workload's own part of "settings", fills defaults, returns canonical JSON text.
  /// Errors: BadInput with `json_path`.
  std::string (*complete_settings)(const nlohmann::json& own_settings,
                                   const std::string& json_path);

  /// JSON Schema of its own settings.
  nlohmann::json (*settings_schema)();

  /// Names of its own settings (top level), to tell them from the common ones.
  std::vector<std::string> (*setting_names)();

  /// Samples of one pass over the training set, from a listing of the data (nothing is decoded);
  /// asked only when settings.steps_per_epoch is 0. Errors: BadInput naming the data.
  std::int64_t (*training_sample_count)(const RunSpec& spec);

  /// Checks what can be checked without the data: e.g. patch sides against the network's depth.
  /// Returns a reason to leave the run out, or "".
  std::string (*reason_to_skip)(const RunSpec& spec);

  /// Of the network that the run trains; none where only the data tell.
  std::optional<NetworkSize> (*network_size)(const RunSpec& spec);

  /// For `scalestudy init`; the threshold is that of masks, where one is asked for. Errors:
  /// BadInput naming the data and what does not fit.
  FirstStudy (*first_study)(const DataSettings& data, std::optional<double> mask_threshold_frac);

  /// Whether ranks keep cores busy; null: they do. Ranks that only wait any number of cores holds.
  bool (*needs_cores)(const RunSpec& spec) = nullptr;

  /// What the data themselves will not let anyone learn or conclude, in a sentence each; looks into
  /// them. Run files keep it. Errors: BadInput for data that the ranks refuse as well.
  std::vector<std::string> (*data_warnings)(const RunSpec& spec) = nullptr;

  /// What of the settings will mislead though the run is possible, in a sentence, else "": looks at
  /// no data.
  std::string (*settings_warning)(const RunSpec& spec) = nullptr;

  /// Its completed settings with what stands in the files that they name: a run's specification
  /// holds all that decides its results. Errors: BadInput naming the file.
  std::string (*settings_with_files)(const std::string& settings, const FindFile& find) = nullptr;

  /// Settings, own and common, that act only with others of its own, or never.
  std::span<const SettingReach> reach = {};

  /// Else studies have no scaling rule and no settings of training: what is given of them is
  /// refused (settings_without_training), and no run has steps.
  bool trains = true;
};

/// Whether ranks of this run keep cores busy: those of MPI spin while they wait.
[[nodiscard]] inline bool needs_cores(const WorkloadDescriptor& workload, const RunSpec& spec) {
  return workload.needs_cores == nullptr || workload.needs_cores(spec) ||
         spec.communicator == CommunicatorKind::mpi;
}

}  // namespace scalestudy
