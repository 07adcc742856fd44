#include "study/study_matrix.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "core/shuffle.hpp"
#include "core/text.hpp"

#include "study/injection_reach.hpp"
#include "study/link_model.hpp"
#include "study/reduction_reach.hpp"
#include "study/unused_settings.hpp"

namespace scalestudy {
namespace {

/// A run whose axes are filled in but not yet what follows from them. All repeats differ in their
/// seed only.
using Combination = RunSpec;

std::string text_of(const Combination& combination, bool trains = true) {
  auto text = cat("ranks=", combination.ranks);
  if (!trains) return text;
  const Axes axes;
  for_each_axis(axes, [&](const AxisInfo& axis, const auto&, const auto& place) {
    text += cat(", ", axis.name, "=", place(combination));
  });
  if (combination.control_arm) text += cat(", control_arm=", *combination.control_arm);
  return text;
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

/// The study proper.
std::vector<Combination> proper_combinations(const Axes& axes, const RunSpec& common) {
  std::vector<Combination> combinations{common};
  for_each_axis(axes, [&](const AxisInfo&, const auto& values, const auto& place) {
    vary(combinations, values, place);
  });
  vary(
      combinations, axes.ranks, [](auto& spec) -> auto& { return spec.ranks; });
  return combinations;
}

bool is_of_several_ranks(const Study& study) {
  return std::ranges::any_of(study.axes.ranks, [](auto ranks) { return ranks > 1; });
}

/// Those asked for as they are at this number of ranks.
std::set<ControlArm> arms_at(std::int64_t ranks, const Study& study) {
  std::set<ControlArm> arms;
  for (const auto arm : study.control_arms) {
    const auto partner = partner_at_one_rank(arm);
    if (ranks > 1 && arm != ControlArm::no_distributed_path) arms.insert(arm);
    // Where there is nothing to compare it with, it is nobody's partner.
    if (ranks == 1 && (arm == partner || is_of_several_ranks(study))) arms.insert(partner);
  }
  return arms;
}

std::vector<Combination> control_combinations(const Study& study,
                                              const std::vector<Combination>& proper) {
  std::vector<Combination> combinations;
  std::set<std::string> seen;
  for (const auto& combination : proper) {
    for (const auto arm : arms_at(combination.ranks, study)) {
      auto control = without(combination, arm);
      if (seen.insert(text_of(control)).second) combinations.push_back(std::move(control));
    }
  }
  return combinations;
}

/// An arm asked for that no rank count of the study can have.
std::vector<SkippedRun> arms_without_ranks(const Study& study) {
  const auto& ranks = study.axes.ranks;
  const bool has_one = std::find(ranks.begin(), ranks.end(), 1) != ranks.end();
  std::vector<SkippedRun> skipped;
  for (const auto arm : study.control_arms) {
    if (arm == ControlArm::no_distributed_path && !has_one)
      skipped.push_back(
          {cat("control_arm=", arm), "it repeats N = 1, which axes.ranks does not list"});
    if (arm != partner_at_one_rank(arm) && !is_of_several_ranks(study))
      skipped.push_back(
          {cat("control_arm=", arm), "it repeats N > 1, of which axes.ranks lists none"});
  }
  return skipped;
}

std::vector<std::int64_t> place_in_lists(const RunSpec& spec) {
  std::vector<std::int64_t> place{
      spec.control_arm ? 1 + static_cast<std::int64_t>(*spec.control_arm) : 0};
  const Axes axes;
  for_each_axis(axes, [&](const AxisInfo&, const auto&, const auto& value) {
    place.push_back(static_cast<std::int64_t>(value(spec)));
  });
  place.insert(place.end(), {spec.ranks, spec.repeat});
  return place;
}

/// Of one rank, beside those that compute and while they do: one that exchanges gradients, those
/// that make batches ahead.
std::int64_t helping_threads_per_rank(const RunSpec& spec) {
  if (!spec.trains()) return 0;
  const std::int64_t communicating =
      spec.ranks > 1 && properties_of(spec.reduction).overlaps ? 1 : 0;
  switch (spec.input) {
    case InputKind::sharded:
      return communicating + spec.settings.input.worker_threads;
    case InputKind::serial:
      return communicating + 1;
    case InputKind::device:
    case InputKind::synthetic:
      break;
  }
  return communicating;
}

/// In which step settings.cuda_graph records: the last batch of an epoch may have another shape,
/// and is not counted.
std::int64_t step_of_graph(const RulePlan& plan) {
  const auto steps = plan.steps_per_epoch;
  const bool has_rest = steps > 1 && plan.samples_per_epoch % plan.global_batch_size != 0;
  const auto whole = has_rest ? steps - 1 : steps;
  return whole <= 0 ? batches_before_graph
                    : batches_before_graph / whole * steps + batches_before_graph % whole;
}

/// Why a setting cannot hold on the run's device; else "".
std::string unusable_on_device(const RunSpec& spec) {
  const auto& settings = spec.settings;
  const auto precision = settings.precision;
  if (settings.device != Device::cuda) {
    if (precision == Precision::tf32 || precision == Precision::fp16)
      return cat("precision ", precision, " needs device cuda");
    if (settings.cuda_graph) return "settings.cuda_graph needs device cuda";
    return "";
  }
  if (settings.cuda_graph && settings.warmup_steps <= step_of_graph(spec.plan))
    return cat("settings.cuda_graph records its graph in step ", step_of_graph(spec.plan),
               ", behind ", batches_before_graph, " whole batches: with settings.warmup_steps ",
               settings.warmup_steps, " that step would count");
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
            const UsableMachine& machine,
            const WorkloadDescriptor& workload,
            const LauncherDescriptor& launcher)
      : study_(study),
        environment_(environment),
        machine_(machine),
        workload_(workload),
        launcher_(launcher) {}

  StudyMatrix expand() {
    const auto proper = proper_combinations(study_.axes, common_spec());
    std::vector<RunSpec> specs;
    std::vector<Combination> kept;
    const auto add = [&](const Combination& combination) {
      auto spec = resolve(combination);
      if (!spec) return;
      specs.push_back(std::move(*spec));
      kept.push_back(combination);
    };
    std::ranges::for_each(proper, add);
    if (study_.fair_base) std::ranges::for_each(fair_bases(kept), add);
    std::ranges::for_each(control_combinations(study_, proper), add);
    const auto missing = arms_without_ranks(study_);
    matrix_.skipped.insert(matrix_.skipped.end(), missing.begin(), missing.end());
    if (!specs.empty()) require_settings_act(study_.given_settings, workload_.reach, combined_);
    add_blocks(specs);
    return std::move(matrix_);
  }

 private:
  /// One rank with the cores that the most ranks have, for each curve of the study proper.
  std::vector<Combination> fair_bases(const std::vector<Combination>& proper) {
    std::int64_t most = 1;
    std::set<std::string> planned;
    for (const auto& one : proper) {
      most = std::max(most, one.ranks);
      planned.insert(text_of(one));
    }
    std::vector<Combination> bases;
    for (auto one : proper) {
      if (one.ranks != most) continue;
      auto& threads = one.settings.threads_per_rank;
      threads = std::max(threads, std::min(most * threads, machine_.cores));
      one.ranks = 1;
      if (planned.insert(text_of(one)).second) bases.push_back(std::move(one));
    }
    auto reason = why_no_fair_base();
    if (reason.empty() && bases.empty()) reason = "one rank has as many threads already";
    if (reason.empty()) return bases;
    matrix_.skipped.push_back({"fair_base", reason});
    return {};
  }

  [[nodiscard]] std::string why_no_fair_base() const {
    if (!is_of_several_ranks(study_)) return "axes.ranks lists no more than one rank";
    if (std::ranges::count(study_.axes.ranks, 1) == 0) return "axes.ranks does not list 1";
    if (workload_.needs_cores != nullptr)
      return cat("threads do not share the work of ", workload_.name);
    return common_spec().settings.device == Device::cpu ? "" : "GPUs compute, not the threads";
  }

  std::optional<RunSpec> resolve(const Combination& combination) {
    try {
      auto spec = spec_of(combination);
      combined_.push_back(spec);
      auto reason = reason_to_skip(spec);
      if (reason.empty()) reason = too_long_for_run_file(spec);
      if (reason.empty()) return spec;
      matrix_.skipped.push_back({text_of(combination, workload_.trains), reason});
    } catch (const BadInput& error) {
      matrix_.skipped.push_back({text_of(combination, workload_.trains), error.what()});
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
    spec.data_content = study_.data_content;
    spec.comparison = study_.comparison;
    spec.quality = study_.quality;
    spec.settings = study_.settings;
    spec.injections = study_.injections;
    if (environment_.device) spec.settings.device = *environment_.device;
    spec.workload_settings = study_.workload_settings;
    return spec;
  }

  [[nodiscard]] RunSpec spec_of(RunSpec spec) const {
    spec.communicator = spec.ranks == 1 ? CommunicatorKind::local : launcher_.joins_ranks;
    const auto compute_threads = spec.settings.threads_per_rank;
    if (spec.settings.evaluation_threads == 0) spec.settings.evaluation_threads = compute_threads;
    spec.plan = plan_of(spec);
    if (needs_cores(workload_, spec)) {
      spec.oversubscribed = spec.ranks * compute_threads > machine_.cores;
      spec.no_spare_core =
          !spec.oversubscribed &&
          spec.ranks * (compute_threads + helping_threads_per_rank(spec)) > machine_.cores;
    }
    return spec;
  }

  [[nodiscard]] RulePlan plan_of(const RunSpec& spec) const {
    if (!workload_.trains) return plan_without_training(spec.ranks);
    const auto samples =
        spec.settings.steps_per_epoch == 0 ? workload_.training_sample_count(spec) : 0;
    return apply(spec.scaling_rule, {spec.settings, spec.ranks, samples});
  }

  [[nodiscard]] std::string reason_to_skip(const RunSpec& spec) const {
    if (spec.communicator == CommunicatorKind::threads && workload_.needs_libtorch)
      return cat("launcher ", launcher_.name,
                 " holds all ranks in one process, but LibTorch has "
                 "threads and seeds for one rank in each: take another launcher");
    if (launcher_.joins_ranks != CommunicatorKind::mpi)
      if (auto reason = too_few_gpus(spec, machine_.gpus); !reason.empty()) return reason;
    if (!spec.trains()) return workload_.reason_to_skip(spec);
    if (auto reason = by_product(spec); !reason.empty()) return reason;
    if (properties_of(spec.reduction).is_of_pytorch && !workload_.needs_libtorch) {
      return cat("reduction ", spec.reduction, " is PyTorch's, which trains no ", spec.workload);
    }
    if (spec.input == InputKind::synthetic && !spec.control_arm) {
      return "input synthetic trains on one batch only; use control arm synthetic_input";
    }
    if (spec.settings.evaluation.every_samples > 0 &&
        spec.settings.schedule.name == ScheduleKind::reduce_on_plateau) {
      return "schedule reduce_on_plateau (the default) looks at the validation loss of each epoch, "
             "which settings.evaluation.every_samples leaves out: take another, e.g. --set "
             "settings.schedule.name=constant";
    }
    for (const auto unusable : {unusable_reduction, unusable_on_device}) {
      auto reason = unusable(spec);
      if (!reason.empty()) return reason;
    }
    if (spec.settings.input.sample_cost_s > 0 && spec.input == InputKind::device) {
      return "settings.input.sample_cost_s has no meaning for input device: no sample is made";
    }
    if (auto reason = unusable_link(spec, workload_.needs_libtorch); !reason.empty()) return reason;
    if (auto reason = unusable_own_core(spec, machine_.cores); !reason.empty()) return reason;
    if (auto reason = workload_.reason_to_skip(spec); !reason.empty()) return reason;
    const auto network = workload_.network_size(spec);
    return network ? unusable_link_speed(spec, static_cast<double>(network->parameter_count)) : "";
  }

  /// Of several numbers of threads the larger ones are meant for fewer ranks.
  [[nodiscard]] std::string by_product(const RunSpec& spec) const {
    const auto& threads = study_.axes.threads_per_rank;
    const auto own = spec.settings.threads_per_rank;
    if (!spec.oversubscribed || threads.size() < 2 || own == *std::ranges::min_element(threads))
      return "";
    return cat(counted(spec.ranks, "rank"), " of ", counted(own, "thread"), " would share ",
               counted(machine_.cores, "core"),
               ": to run it all the same, ask for it alone, "
               "axes.threads_per_rank=[",
               own, "]");
  }

  void add_blocks(const std::vector<RunSpec>& specs) {
    constexpr double most_runs = 20'000;
    const auto runs = static_cast<double>(specs.size()) * static_cast<double>(study_.repeats);
    if (static_cast<double>(matrix_.runs.size()) + runs > most_runs)
      throw BadInput({cat(study_.file.string(), ": axes and repeats make more than 20 000 runs"),
                      "nobody would see the end of it", "Take fewer repeats"});
    auto block = common_spec();
    for (block.repeat = 0; block.repeat < study_.repeats; ++block.repeat) {
      std::int64_t position = 0;
      for (const auto index : shuffled_order(specs.size(), block.repeat_seed())) {
        auto& run = matrix_.runs.emplace_back(specs[index]);
        run.repeat = block.repeat;
        run.block_position = position++;
      }
    }
  }

  const Study& study_;
  const Environment& environment_;
  UsableMachine machine_;
  const WorkloadDescriptor& workload_;
  const LauncherDescriptor& launcher_;
  std::vector<RunSpec> combined_;  ///< with those that are left out
  StudyMatrix matrix_;
};

}  // namespace

bool stands_before(const RunSpec& one, const RunSpec& other) {
  return place_in_lists(one) < place_in_lists(other);
}

RunSpec without(RunSpec spec, ControlArm arm) {
  spec.control_arm = arm;
  switch (arm) {
    case ControlArm::barrier_only:
      spec.reduction = Reduction::barrier_only;
      break;
    case ControlArm::synthetic_input_no_communication:
      spec.input = InputKind::synthetic;
      spec.reduction = Reduction::none;
      break;
    case ControlArm::synthetic_input:
      spec.input = InputKind::synthetic;
      break;
    case ControlArm::no_communication:
    case ControlArm::no_distributed_path:
      spec.reduction = Reduction::none;
      break;
  }
  if (!properties_of(spec.reduction).can_compress)
    spec.settings.compression = Compression::none;  // there is nothing to compress
  return spec;
}

namespace {

/// Of equal axes but for the number of ranks, both of the study proper.
bool is_of_one_curve(const RunSpec& one, const RunSpec& other) {
  auto moved = one;
  moved.ranks = other.ranks;
  moved.repeat = other.repeat;
  return place_in_lists(moved) == place_in_lists(other);
}

/// The first with one rank and the like with the most, which may be the same one.
std::vector<RunSpec> ends_of_first_curve(const StudyMatrix& matrix) {
  const RunSpec* first = nullptr;
  for (const auto& spec : matrix.runs)
    if (!spec.control_arm && spec.ranks == 1 && (first == nullptr || stands_before(spec, *first)))
      first = &spec;
  if (first == nullptr) return {};
  const RunSpec* most = first;
  for (const auto& spec : matrix.runs)
    if (is_of_one_curve(spec, *first) && spec.ranks > most->ranks) most = &spec;
  if (most == first) return {*first};
  return {*first, *most};
}

}  // namespace

StudyMatrix twin_matrix(const StudyMatrix& matrix, std::int64_t pairs) {
  const auto specs = ends_of_first_curve(matrix);
  StudyMatrix twins;
  if (specs.empty()) return twins;
  auto block = specs.front();
  for (block.repeat = 0; block.repeat < pairs; ++block.repeat) {
    std::int64_t position = 0;
    for (const auto index : shuffled_order(2 * specs.size(), block.repeat_seed())) {
      auto& run = twins.runs.emplace_back(specs[index / 2]);
      run.twin = static_cast<std::int64_t>(index % 2);
      run.repeat = block.repeat;
      run.block_position = position++;
    }
  }
  return twins;
}

StudyMatrix expand(const Study& study,
                   const Environment& environment,
                   const UsableMachine& machine,
                   std::span<const WorkloadDescriptor* const> workloads,
                   LauncherDescriptors launchers) {
  const auto& launcher = find_launcher(launchers, environment.launcher,
                                       cat("environment ", environment.name, ": launcher"));
  const auto found = std::ranges::find(workloads, study.workload, &WorkloadDescriptor::name);
  SCALESTUDY_EXPECT(found != workloads.end());  // read_study has seen to it
  auto matrix = Expansion(study, environment, machine, **found, launcher).expand();
  require_effect(study.injections, matrix.runs);
  return matrix;
}

}  // namespace scalestudy
