#pragma once
/// A study as its author wrote it: one workload, its data and settings, and the axes to vary.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/injection.hpp"
#include "study/settings.hpp"
#include "study/workload_descriptor.hpp"

namespace scalestudy {

/// What is varied: every combination is run. Each axis but `ranks` has a row in for_each_axis().
struct Axes {
  std::vector<std::int64_t> ranks{1};
  std::vector<ScalingRule> scaling_rule{ScalingRule::linear_fixed_samples};
  std::vector<Reduction> reduction{Reduction::bucketed_overlap};
  std::vector<InputKind> input{InputKind::sharded};
  std::vector<Precision> precision;            ///< empty: settings.precision
  std::vector<MemoryFormat> memory_format;     ///< empty: settings.memory_format
  std::vector<std::int64_t> threads_per_rank;  ///< empty: settings.threads_per_rank
};

struct AxisInfo {
  std::string_view name;  ///< key in the study file's "axes"
  std::string_view description;
  bool may_be_empty = false;  ///< then the value of "settings" holds
  std::string_view unit = "1";
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
};

/// The table of axes beside `ranks`, the one that varies slowest first. Calls
/// `visit(info, values, place)` for each; `place(spec)` is where a run keeps its value.
template <class AnyAxes, class Visit>
void for_each_axis(AnyAxes& axes, const Visit& visit) {
  visit(
      AxisInfo{"scaling_rule", "What N ranks do to batch, learning rate and epochs"},
      axes.scaling_rule, [](auto& spec) -> auto& { return spec.scaling_rule; });
  visit(
      AxisInfo{"reduction", "How gradients are averaged over the ranks"}, axes.reduction,
      [](auto& spec) -> auto& { return spec.reduction; });
  visit(
      AxisInfo{"input", "How samples reach the ranks"}, axes.input,
      [](auto& spec) -> auto& { return spec.input; });
  visit(
      AxisInfo{"precision", "Arithmetic, in place of settings.precision", true}, axes.precision,
      [](auto& spec) -> auto& { return spec.settings.precision; });
  visit(
      AxisInfo{"memory_format", "Layout of image tensors, in place of settings.memory_format",
               true},
      axes.memory_format, [](auto& spec) -> auto& { return spec.settings.memory_format; });
  visit(
      AxisInfo{"threads_per_rank",
               "Compute threads of each rank, in place of settings.threads_per_rank", true,
               "threads", 1, most_threads_per_rank},
      axes.threads_per_rank, [](auto& spec) -> auto& { return spec.settings.threads_per_rank; });
}

struct Study {
  std::int64_t schema = 1;
  std::string name;  ///< file stem
  std::filesystem::path file;
  std::string workload;
  DataSettings data;         ///< paths made absolute against the study file's folder
  DataContent data_content;  ///< for who has looked at the data
  CommonSettings settings;
  std::string workload_settings = "{}";     ///< JSON object, every field filled in
  std::vector<std::string> given_settings;  ///< "schedule.factor": those that the file or --set has
  std::vector<Injection> injections;        ///< of all runs
  Axes axes;
  std::int64_t repeats = 3;  ///< the fewest that give an interval
  Comparison comparison = Comparison::paired;
  QualityGoal quality;
  std::vector<ControlArm> control_arms;
  bool fair_base = false;  ///< one rank on the cores of the most ranks, too
  std::string description;
  std::string requested;  ///< the file's JSON after --set, as given (stored as /settings/requested)
};

/// Applies `overrides` ("settings.epochs=3", "data.path=/x.tif"; the value is JSON, or else text,
/// an object sets what it names, and null takes out what the file has) and reads the study. A
/// relative path in an override is relative to the working folder. Errors: BadInput with file and
/// JSON path (syntax, unknown key or name, wrong type, range).
[[nodiscard]] Study read_study(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides,
                               std::span<const WorkloadDescriptor* const> workloads);

/// Where a study file has what is called `name`: "epochs" -> "settings.epochs", "ranks" ->
/// "axes.ranks"; "" where it has no such thing, or has it at its top.
[[nodiscard]] std::string place_of_setting(const std::string& name,
                                           std::span<const WorkloadDescriptor* const> workloads);

/// What the workloads' own settings are called for people.
[[nodiscard]] WorkloadWords words_of_workloads(
    std::span<const WorkloadDescriptor* const> workloads);

/// JSON Schema of a study file; `workloads` contribute their own settings.
[[nodiscard]] nlohmann::json study_schema(std::span<const WorkloadDescriptor* const> workloads);

}  // namespace scalestudy
