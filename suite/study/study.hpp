#pragma once
/// A study as its author wrote it: one workload, its data and settings, and the axes to vary.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/settings.hpp"
#include "study/workload_descriptor.hpp"

namespace scalestudy {

struct Axes {
  std::vector<std::int64_t> ranks{1};
  std::vector<std::string> scaling_rule{"linear_fixed_samples"};
  std::vector<std::string> reduction{"bucketed_overlap"};
  std::vector<std::string> input{"sharded"};
  std::vector<std::string> precision;      ///< empty: settings.precision
  std::vector<std::string> memory_format;  ///< empty: settings.memory_format
};

struct Study {
  std::int64_t schema = 1;
  std::string name;  ///< file stem
  std::filesystem::path file;
  std::string workload;
  DataSettings data;  ///< paths made absolute against the study file's folder
  CommonSettings settings;
  std::string workload_settings = "{}";  ///< JSON object, every field filled in
  Axes axes;
  std::int64_t repeats = 1;
  std::vector<std::string> control_arms;
  std::string description;
  std::string requested;  ///< the file's JSON after --set, as given (stored as /settings/requested)
};

/// Applies `overrides` ("settings.epochs=3", "data.path=/x.tif"; the value is JSON, or else text)
/// and reads the study. A relative path in an override is relative to the working folder.
/// Errors: BadInput with file and JSON path (syntax, unknown key or name, wrong type, range).
[[nodiscard]] Study read_study(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides,
                               std::span<const WorkloadDescriptor* const> workloads);

/// JSON Schema of a study file; `workloads` contribute their own settings.
[[nodiscard]] nlohmann::json study_schema(std::span<const WorkloadDescriptor* const> workloads);

}  // namespace scalestudy
