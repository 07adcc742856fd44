#include "driver/run/planning.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "study/reduction_reach.hpp"
#include "study/shipped_files.hpp"

#include "data/source/data_hash.hpp"
#include "record/machine/cpu_load.hpp"
#include "record/machine/cpu_quota.hpp"
#include "record/machine/host_environment.hpp"

#include "driver/run/floor_store.hpp"
#include "driver/terminal/work_watch.hpp"
#include "launchers/launcher.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

DataContent content_of(const DataSettings& data, Context& context) {
  WorkWatch watch(context);
  return {hash_of_data(data.path, watch.progress()),
          hash_of_data(data.reference_path, watch.progress())};
}

/// --inject is short for --set injections=[…].
std::vector<std::string> overrides_of(const CommonOptions& options) {
  using nlohmann::json;
  auto overrides = options.overrides;
  if (!options.injections.empty())
    overrides.push_back(
        cat("injections=",
            json(options.injections).dump(-1, ' ', false, json::error_handler_t::replace)));
  return overrides;
}

const WorkloadDescriptor& workload_called(const std::string& name) {
  const auto& all = workload_catalogue();
  const auto found = std::ranges::find(all, name, &WorkloadDescriptor::name);
  SCALESTUDY_EXPECT(found != all.end());  // read_study has seen to it
  return **found;
}

void put_in_files(Study& study, const ShippedFiles& shipped) {
  const auto with_files = workload_called(study.workload).settings_with_files;
  if (with_files == nullptr) return;
  const auto folder = std::filesystem::absolute(study.file).parent_path();
  study.workload_settings = with_files(
      study.workload_settings,
      [&](const std::string& path_or_name) { return shipped.find_profile(path_or_name, folder); });
}

}  // namespace

PlannedStudy plan_study(Context& context, const std::string& study) {
  const ShippedFiles shipped(context.executable);
  const auto& options = context.options;
  PlannedStudy planned;
  auto environment = shipped.find_environment(options.environment, launcher_descriptors());
  if (!options.launcher.empty()) environment.launcher = options.launcher;
  static_cast<void>(launcher(environment.launcher));  // an unknown one is refused here
  planned.study =
      read_study(shipped.find_study(study), overrides_of(options), workload_catalogue());
  put_in_files(planned.study, shipped);
  planned.study.data_content = content_of(planned.study.data, context);
  planned.plan.study = planned.study.name;
  planned.plan.build_id = build_id();
  planned.plan.host = {cpu_model(), host_fingerprint(), core_count_in_quota(), environment.name,
                       environment.variables};
  planned.plan.matrix =
      expand(planned.study, environment, {planned.plan.host.cores, visible_gpu_count()},
             workload_catalogue(), launcher_descriptors());
  auto stored = stored_floor(planned.plan, planned.study.file);
  planned.plan.floor = std::move(stored.floor);
  if (!stored.warning.empty()) context.err << "warning: " << stored.warning << std::endl;
  return planned;
}

void require_runs(const PlannedStudy& planned) {
  const auto& matrix = planned.plan.matrix;
  if (!matrix.runs.empty()) return;
  const auto reason = matrix.skipped.empty() ? "no combination" : matrix.skipped.front().reason;
  throw BadInput({cat("Study ", planned.study.file.string(), " has no run to start"),
                  cat("every combination of its axes is left out: ", reason),
                  "Change what it names; scalestudy plan shows each reason"});
}

std::string load_warning(const StudyMatrix& matrix) {
  constexpr double moment_s = 0.25;
  double threads = 0;
  for (const auto& spec : matrix.runs)
    threads = std::max(threads, static_cast<double>(spec.ranks * spec.settings.threads_per_rank));
  const double busy_cores = busy_cores_during(moment_s);
  const int cores = usable_core_count();
  if (contended_frac(threads, busy_cores, cores) <= notable_contended_frac) return "";
  const bool may_sleep = std::ranges::none_of(matrix.runs, [](const RunSpec& spec) {
    return needs_cores(workload_called(spec.workload), spec);
  });
  return cat(
      fmt::format("Other programs keep {:.1f} of {} cores busy, and ", busy_cores, cores),
      may_sleep ? "ranks that sleep wake up late" : fmt::format("the ranks need {:.0f}", threads),
      ": the times will say little about scaling. Stop those programs (top shows them), or "
      "wait.");
}

namespace {

/// What of a schedule never comes, or never ends, and with which ranks.
void add_schedule_warnings(const std::vector<RunSpec>& runs, std::vector<std::string>& warnings) {
  std::set<std::int64_t> beyond, warming;
  for (const auto& spec : runs) {
    const auto& plan = spec.plan;
    const auto is_beyond = [&](std::int64_t epoch) { return epoch >= plan.epochs; };
    const bool has_steps = spec.settings.schedule.name == ScheduleKind::step;
    if (has_steps && std::ranges::any_of(plan.milestones_epochs, is_beyond))
      beyond.insert(spec.ranks);
    if ((plan.warmup_samples > 0 && plan.warmup_samples >= plan.samples) ||
        (has_steps && is_beyond(spec.settings.schedule.unscaled_epochs)))
      warming.insert(spec.ranks);
  }
  const auto warn = [&](const std::set<std::int64_t>& ranks, const char* what) {
    if (!ranks.empty()) warnings.push_back(cat("With ranks ", join(ranks, ", "), ' ', what));
  };
  warn(beyond,
       "a milestone of settings.schedule lies beyond the training: the learning rate is not "
       "lowered there. Train for more epochs, or set it earlier.");
  warn(warming,
       "the warm-up lasts the whole training: the planned learning rate is reached at its end, or "
       "never. Train for more epochs, or take another rule.");
}

}  // namespace

std::vector<std::string> plan_warnings(const StudyPlan& plan) {
  const auto& runs = plan.matrix.runs;
  std::vector<std::string> warnings;
  if (const double quota = CpuQuota().cores(); !std::isnan(quota))
    warnings.push_back(fmt::format(
        "A CPU quota of {:.4g} cores is in force here: ranks and threads beyond it are kept still "
        "part of the time. Raise it (docker --cpus, limits.cpu of Kubernetes), or plan within it.",
        quota));
  if (runs.empty() || !runs.front().trains()) return warnings;
  if (!has_base(plan.matrix))
    warnings.emplace_back(
        "No run has one rank: a report on this study alone will have nothing to compare with. Add "
        "1 to axes.ranks, or report it beside a folder that has such runs.");
  add_schedule_warnings(runs, warnings);
  const auto of_settings = workload_called(runs.front().workload).settings_warning;
  for (const auto& spec : runs) {
    if (of_settings != nullptr) add_unique(warnings, of_settings(spec));
    add_unique(warnings, reduction_warning(spec));
  }
  std::erase(warnings, "");
  return warnings;
}

bool has_base(const StudyMatrix& matrix) {
  return std::ranges::any_of(matrix.runs, [](const RunSpec& spec) { return spec.ranks == 1; });
}

bool needs_libtorch(const Study& study) {
  return workload_called(study.workload).needs_libtorch;
}

void require_data(const Study& study) {
  if (!workload_called(study.workload).needs_data) return;
  if (study.data.path.empty())
    throw BadInput({cat(study.file.string(), ": data.path is empty"),
                    "this study brings no data of its own", "Give --set data.path=FILE"});
  for (const auto& [key, path] : {std::pair{"data.path", study.data.path},
                                  std::pair{"data.reference_path", study.data.reference_path}}) {
    const auto absence = path.empty() ? "" : absence_of(path);
    if (absence.empty()) continue;
    throw BadInput({cat(study.file.string(), ": ", key, ": ", path, " ", absence),
                    "the ranks train on it", cat("Correct it, or give --set ", key, "=FILE")});
  }
}

std::optional<std::int64_t> estimated_device_memory_bytes(const RunSpec& spec) {
  if (spec.settings.device == Device::cpu) return {};
  const auto network = workload_called(spec.workload).network_size(spec);
  if (!network) return {};
  return estimated_device_memory_bytes(spec, *network);
}

std::vector<std::string> data_warnings(const PlannedStudy& planned) {
  const auto& runs = planned.plan.matrix.runs;
  if (runs.empty()) return {};
  const auto& workload = workload_called(runs.front().workload);
  if (workload.data_warnings == nullptr) return {};
  try {
    return workload.data_warnings(runs.front());
  } catch (const BadInput&) {
    return {};
  }
}

}  // namespace scalestudy
