#include "study/study_matrix.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/catalogues.hpp"

namespace scalestudy {
namespace {

constexpr std::string_view no_communication = "no_communication";
constexpr std::string_view synthetic_input = "synthetic_input";
constexpr std::string_view no_distributed_path = "no_distributed_path";

/// One point of the axes; in it all repeats differ in their seed only.
struct Combination {
  std::int64_t ranks = 1;
  std::string scaling_rule, reduction, input, precision, memory_format;
  std::string control_arm = {};

  [[nodiscard]] std::string text() const {
    const auto arm = control_arm.empty() ? "" : cat(", control_arm=", control_arm);
    return cat("ranks=", ranks, ", scaling_rule=", scaling_rule, ", reduction=", reduction,
               ", input=", input, ", precision=", precision, ", memory_format=", memory_format,
               arm);
  }
};

bool has_arm(const Study& study, std::string_view arm) {
  const auto& arms = study.control_arms;
  return std::find(arms.begin(), arms.end(), arm) != arms.end();
}

std::vector<std::string> or_setting(const std::vector<std::string>& axis,
                                    const std::string& setting) {
  return axis.empty() ? std::vector<std::string>{setting} : axis;
}

/// The study proper, rank counts innermost, so that neighbours in time are what is compared.
std::vector<Combination> proper_combinations(const Study& study) {
  const auto& axes = study.axes;
  const auto formats = or_setting(axes.memory_format, study.settings.memory_format);
  std::vector<Combination> combinations;
  for (const auto& rule : axes.scaling_rule)
    for (const auto& reduction : axes.reduction)
      for (const auto& input : axes.input)
        for (const auto& precision : or_setting(axes.precision, study.settings.precision))
          for (const auto& format : formats)
            for (const auto ranks : axes.ranks)
              combinations.push_back({ranks, rule, reduction, input, precision, format});
  return combinations;
}

/// Arms replace one axis: those of communication the reduction, that of input the input. Two proper
/// combinations that differ in that axis only share their arm.
std::vector<Combination> control_combinations(const Study& study,
                                              const std::vector<Combination>& proper) {
  std::vector<Combination> combinations;
  const auto add = [&](Combination arm, std::string_view name) {
    if (!has_arm(study, name)) return;
    arm.control_arm = name;
    const auto same = [&](const Combination& other) { return other.text() == arm.text(); };
    if (std::none_of(combinations.begin(), combinations.end(), same))
      combinations.push_back(std::move(arm));
  };
  for (const auto& combination : proper) {
    auto without_reduction = combination;
    without_reduction.reduction = "none";
    add(without_reduction, combination.ranks > 1 ? no_communication : no_distributed_path);
    auto without_input = combination;
    without_input.input = "synthetic";
    add(without_input, synthetic_input);
  }
  return combinations;
}

/// An arm asked for that no rank count of the study can have.
std::vector<SkippedRun> arms_without_ranks(const Study& study) {
  const auto& ranks = study.axes.ranks;
  const bool has_one = std::find(ranks.begin(), ranks.end(), 1) != ranks.end();
  const bool has_many = std::any_of(ranks.begin(), ranks.end(), [](auto n) { return n > 1; });
  std::vector<SkippedRun> skipped;
  if (has_arm(study, no_distributed_path) && !has_one) {
    skipped.push_back({cat("control_arm=", no_distributed_path),
                       "it repeats N = 1, which axes.ranks does not list"});
  }
  if (has_arm(study, no_communication) && !has_many) {
    skipped.push_back({cat("control_arm=", no_communication),
                       "it repeats N > 1, of which axes.ranks lists none"});
  }
  return skipped;
}

std::string communicator_of(std::int64_t ranks, std::string_view launcher) {
  if (ranks == 1) return "local";
  return launcher == "mpirun" ? "mpi" : "shm";
}

class Expansion {
 public:
  Expansion(const Study& study,
            const Environment& environment,
            std::int64_t cores,
            const WorkloadDescriptor& workload)
      : study_(study), environment_(environment), cores_(cores), workload_(workload) {}

  StudyMatrix expand() {
    auto combinations = proper_combinations(study_);
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
      matrix_.skipped.push_back({combination.text(), reason});
    } catch (const BadInput& error) {
      matrix_.skipped.push_back({combination.text(), error.what()});
    }
    return std::nullopt;
  }

  RunSpec spec_of(const Combination& combination) const {
    RunSpec spec;
    spec.study = study_.name;
    spec.workload = study_.workload;
    spec.ranks = combination.ranks;
    spec.scaling_rule = combination.scaling_rule;
    spec.reduction = combination.reduction;
    spec.input = combination.input;
    spec.control_arm = combination.control_arm;
    spec.launcher = environment_.launcher;
    spec.communicator = communicator_of(spec.ranks, spec.launcher);
    spec.data = study_.data;
    spec.settings = study_.settings;
    if (!environment_.device.empty()) spec.settings.device = environment_.device;
    spec.settings.precision = combination.precision;
    spec.settings.memory_format = combination.memory_format;
    if (spec.settings.evaluation_threads == 0)
      spec.settings.evaluation_threads = spec.settings.threads_per_rank;
    spec.oversubscribed = spec.ranks * spec.settings.threads_per_rank > cores_;
    spec.workload_settings = study_.workload_settings;
    const auto samples =
        spec.settings.steps_per_epoch == 0 ? workload_.training_sample_count(spec) : 0;
    spec.plan = scaling_rule(spec.scaling_rule).apply({spec.settings, spec.ranks, samples});
    return spec;
  }

  std::string reason_to_skip(const RunSpec& spec) const {
    if (spec.settings.device == "cuda" && spec.ranks > 1) {
      return "device cuda takes one rank in this version: there is no communicator between GPUs";
    }
    if (spec.reduction == "none" && spec.ranks > 1 && spec.control_arm.empty()) {
      return "reduction none lets the replicas drift apart; use control arm no_communication";
    }
    if (spec.input == "synthetic" && spec.control_arm.empty()) {
      return "input synthetic trains on one batch only; use control arm synthetic_input";
    }
    const auto& precision = spec.settings.precision;
    if ((precision == "tf32" || precision == "fp16") && spec.settings.device != "cuda") {
      return cat("precision ", precision, " needs device cuda");
    }
    if (spec.settings.input.sample_cost_s > 0 && spec.input == "device") {
      return "settings.input.sample_cost_s has no meaning for input device: no sample is made";
    }
    return workload_.reason_to_skip(spec);
  }

  void repeat(std::vector<RunSpec> specs) {
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
  StudyMatrix matrix_;
};

}  // namespace

StudyMatrix expand(const Study& study,
                   const Environment& environment,
                   std::int64_t cores,
                   std::span<const WorkloadDescriptor* const> workloads) {
  expect_known(launchers(), environment.launcher,
               cat("environment ", environment.name, ": launcher"));
  const auto found = std::find_if(workloads.begin(), workloads.end(), [&](const auto* workload) {
    return workload->name == study.workload;
  });
  SCALESTUDY_EXPECT(found != workloads.end());  // read_study has seen to it
  return Expansion(study, environment, cores, **found).expand();
}

}  // namespace scalestudy
