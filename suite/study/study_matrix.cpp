#include "study/study_matrix.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// A run whose axes are filled in but not yet what follows from them. All repeats differ in their
/// seed only.
using Combination = RunSpec;

std::string text_of(const Combination& combination) {
  auto text = cat("ranks=", combination.ranks);
  const Axes axes;
  for_each_axis(axes, [&](const AxisInfo& axis, const auto&, const auto& place) {
    text += cat(", ", axis.name, "=", place(combination));
  });
  if (combination.control_arm) text += cat(", control_arm=", *combination.control_arm);
  return text;
}

bool has_arm(const Study& study, ControlArm arm) {
  const auto& arms = study.control_arms;
  return std::find(arms.begin(), arms.end(), arm) != arms.end();
}

/// Every value of an axis in every combination; the study's setting stays where it has none.
template <class Value, class Place>
void vary(std::vector<Combination>& combinations,
          const std::vector<Value>& values,
          const Place& place) {
  if (values.empty()) return;
  std::vector<Combination> varied;
  for (const auto& combination : combinations)
    for (const auto& value : values) place(varied.emplace_back(combination)) = value;
  combinations = std::move(varied);
}

/// The study proper, rank counts innermost, so that neighbours in time are what is compared.
std::vector<Combination> proper_combinations(const Axes& axes, const RunSpec& common) {
  std::vector<Combination> combinations{common};
  for_each_axis(axes, [&](const AxisInfo&, const auto& values, const auto& place) {
    vary(combinations, values, place);
  });
  vary(
      combinations, axes.ranks, [](auto& spec) -> auto& { return spec.ranks; });
  return combinations;
}

/// Arms replace one axis: those of communication the reduction, that of input the input. Two proper
/// combinations that differ in that axis only share their arm.
std::vector<Combination> control_combinations(const Study& study,
                                              const std::vector<Combination>& proper) {
  std::vector<Combination> combinations;
  const auto add = [&](Combination combination, ControlArm arm) {
    if (!has_arm(study, arm)) return;
    combination.control_arm = arm;
    const auto same = [text = text_of(combination)](const Combination& other) {
      return text_of(other) == text;
    };
    if (std::none_of(combinations.begin(), combinations.end(), same))
      combinations.push_back(std::move(combination));
  };
  for (const auto& combination : proper) {
    auto without_reduction = combination;
    without_reduction.reduction = Reduction::none;
    add(without_reduction,
        combination.ranks > 1 ? ControlArm::no_communication : ControlArm::no_distributed_path);
    auto without_input = combination;
    without_input.input = InputKind::synthetic;
    add(without_input, ControlArm::synthetic_input);
  }
  return combinations;
}

/// An arm asked for that no rank count of the study can have.
std::vector<SkippedRun> arms_without_ranks(const Study& study) {
  const auto& ranks = study.axes.ranks;
  const bool has_one = std::find(ranks.begin(), ranks.end(), 1) != ranks.end();
  const bool has_many = std::any_of(ranks.begin(), ranks.end(), [](auto n) { return n > 1; });
  std::vector<SkippedRun> skipped;
  if (has_arm(study, ControlArm::no_distributed_path) && !has_one) {
    skipped.push_back({cat("control_arm=", ControlArm::no_distributed_path),
                       "it repeats N = 1, which axes.ranks does not list"});
  }
  if (has_arm(study, ControlArm::no_communication) && !has_many) {
    skipped.push_back({cat("control_arm=", ControlArm::no_communication),
                       "it repeats N > 1, of which axes.ranks lists none"});
  }
  return skipped;
}

/// Why a setting cannot hold on the run's device; else "".
std::string unusable_on_device(const RunSpec& spec) {
  const auto& settings = spec.settings;
  const auto precision = settings.precision;
  if (settings.device != Device::cuda) {
    if (precision == Precision::tf32 || precision == Precision::fp16)
      return cat("precision ", precision, " needs device cuda");
    if (settings.cuda_graph) return "settings.cuda_graph needs device cuda";
    if (settings.cudnn != Cudnn::trial)
      return cat("settings.cudnn ", settings.cudnn, " has no meaning without device cuda");
    return "";
  }
  if (settings.cuda_graph && settings.warmup_steps < 4)
    return "settings.cuda_graph records its graph in the fourth step: settings.warmup_steps below "
           "4 "
           "would let that count";
  if (settings.cuda_graph && spec.input == InputKind::device)
    return "settings.cuda_graph needs batches from the host: input device makes new ones on the "
           "GPU";
  if (settings.cuda_graph && settings.batch_norm == BatchNormPolicy::synchronised)
    return "settings.cuda_graph cannot hold synchronised batch norm: the host takes part in it";
  return "";
}

class Expansion {
 public:
  Expansion(const Study& study,
            const Environment& environment,
            std::int64_t cores,
            const WorkloadDescriptor& workload,
            const LauncherDescriptor& launcher)
      : study_(study),
        environment_(environment),
        cores_(cores),
        workload_(workload),
        launcher_(launcher) {}

  StudyMatrix expand() {
    auto combinations = proper_combinations(study_.axes, common_spec());
    const auto control = control_combinations(study_, combinations);
    combinations.insert(combinations.end(), control.begin(), control.end());
    std::vector<RunSpec> specs;
    for (const auto& combination : combinations) {
      if (auto spec = resolve(combination)) specs.push_back(std::move(*spec));
    }
    const auto missing = arms_without_ranks(study_);
    matrix_.skipped.insert(matrix_.skipped.end(), missing.begin(), missing.end());
    repeat(std::move(specs));
    return std::move(matrix_);
  }

 private:
  std::optional<RunSpec> resolve(const Combination& combination) {
    try {
      auto spec = spec_of(combination);
      const auto reason = reason_to_skip(spec);
      if (reason.empty()) return spec;
      matrix_.skipped.push_back({text_of(combination), reason});
    } catch (const BadInput& error) {
      matrix_.skipped.push_back({text_of(combination), error.what()});
    }
    return std::nullopt;
  }

  /// What all runs share.
  [[nodiscard]] RunSpec common_spec() const {
    RunSpec spec;
    spec.study = study_.name;
    spec.workload = study_.workload;
    spec.launcher = launcher_.name;
    spec.data = study_.data;
    spec.settings = study_.settings;
    if (environment_.device) spec.settings.device = *environment_.device;
    if (spec.settings.evaluation_threads == 0)
      spec.settings.evaluation_threads = spec.settings.threads_per_rank;
    spec.workload_settings = study_.workload_settings;
    return spec;
  }

  [[nodiscard]] RunSpec spec_of(RunSpec spec) const {
    spec.communicator = spec.ranks == 1 ? CommunicatorKind::local : launcher_.joins_ranks;
    spec.oversubscribed = spec.ranks * spec.settings.threads_per_rank > cores_;
    const auto samples =
        spec.settings.steps_per_epoch == 0 ? workload_.training_sample_count(spec) : 0;
    spec.plan = apply(spec.scaling_rule, {spec.settings, spec.ranks, samples});
    return spec;
  }

  std::string reason_to_skip(const RunSpec& spec) const {
    if (spec.settings.device == Device::cuda && spec.ranks > 1) {
      return "device cuda takes one rank in this version: there is no communicator between GPUs";
    }
    if (spec.reduction == Reduction::none && spec.ranks > 1 && !spec.control_arm) {
      return "reduction none lets the replicas drift apart; use control arm no_communication";
    }
    if (spec.input == InputKind::synthetic && !spec.control_arm) {
      return "input synthetic trains on one batch only; use control arm synthetic_input";
    }
    auto unusable = unusable_on_device(spec);
    if (!unusable.empty()) return unusable;
    if (spec.settings.input.sample_cost_s > 0 && spec.input == InputKind::device) {
      return "settings.input.sample_cost_s has no meaning for input device: no sample is made";
    }
    return workload_.reason_to_skip(spec);
  }

  void repeat(std::vector<RunSpec> specs) {
    constexpr double most_runs = 20'000;
    const auto runs = static_cast<double>(specs.size()) * static_cast<double>(study_.repeats);
    if (static_cast<double>(matrix_.runs.size()) + runs > most_runs)
      throw BadInput({cat(study_.file.string(), ": axes and repeats make more than 20 000 runs"),
                      "nobody would see the end of it", "Take fewer repeats"});
    std::int64_t window = 1;
    for (const auto& spec : specs) window = std::max(window, spec.plan.global_batch_size);
    for (std::int64_t repeat = 0; repeat < study_.repeats; ++repeat) {
      for (auto& spec : specs) {
        spec.repeat = repeat;
        spec.smoothness_window_samples = window;
        matrix_.runs.push_back(spec);
      }
    }
  }

  const Study& study_;
  const Environment& environment_;
  std::int64_t cores_;
  const WorkloadDescriptor& workload_;
  const LauncherDescriptor& launcher_;
  StudyMatrix matrix_;
};

}  // namespace

StudyMatrix expand(const Study& study,
                   const Environment& environment,
                   std::int64_t cores,
                   std::span<const WorkloadDescriptor* const> workloads,
                   LauncherDescriptors launchers) {
  const auto& launcher = find_launcher(launchers, environment.launcher,
                                       cat("environment ", environment.name, ": launcher"));
  const auto found = std::find_if(workloads.begin(), workloads.end(), [&](const auto* workload) {
    return workload->name == study.workload;
  });
  SCALESTUDY_EXPECT(found != workloads.end());  // read_study has seen to it
  return Expansion(study, environment, cores, **found, launcher).expand();
}

}  // namespace scalestudy
