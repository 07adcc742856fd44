#include "driver/profile/run_profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

#include "record/measures/run_summary.hpp"
#include "record/measures/validity.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "analysis/series/settings_json.hpp"
#include "driver/inspect/kind_of_input.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using replay::Profile;
using replay::ProfiledGradient;

constexpr const char* advice =
    "Run the study with axes.ranks [1] and reduction bucketed_overlap, and name that run";
constexpr std::int64_t fewest_steps = 3;
/// Gradients are of so many bytes an element, whatever the passes compute in.
constexpr std::int64_t element_bytes = 4;
/// Of specifications; in runs before it the loss weight travelled behind the last gradient.
constexpr std::int64_t first_schema_with_early_updates = 7;

/// Why its times are no profile; else "".
std::string reason_against(const RunRecord& run, const RunSpec& spec) {
  if (run.header.status != RunStatus::complete) return "it is not complete";
  if (run.header.has_label(RunLabel::resumed)) return "it went on from a checkpoint";
  if (run.header.has_label(RunLabel::injected)) return "something was injected into it";
  if (spec.ranks != 1) return cat("it has ", spec.ranks, " ranks, which wait for each other");
  if (spec.control_arm) return cat("it is of control arm ", *spec.control_arm);
  if (spec.reduction != Reduction::bucketed_overlap)
    return cat("its reduction is ", spec.reduction, ", which does not say when buckets are ready");
  if (spec.settings.cuda_graph) return "settings.cuda_graph makes one phase of both passes";
  if (!validity_codes_of(run).empty()) return "it is invalid";
  return "";
}

/// Whether the loss weight is a bucket before those of the gradients; else it is the last element
/// of the last one.
bool is_weight_first(const RunSpec& spec) {
  return spec.schema >= first_schema_with_early_updates && spec.settings.gradients.updated_early;
}

void leave_out_weight(std::vector<ProfiledGradient>& buckets, bool is_first) {
  if (buckets.empty()) return;
  if (is_first)
    buckets.erase(buckets.begin());
  else
    --buckets.back().element_count;
}

/// The times of full batches in the steady window of a run of one rank.
class SteadySteps {
 public:
  SteadySteps(const RunRecord& run, const RunSpec& spec)
      : run_(run), is_weight_first_(is_weight_first(spec)) {
    const auto window = steady_window_of(run.steps, spec.settings.warmup_steps);
    const auto full_batch = static_cast<double>(spec.plan.global_batch_size);
    for (auto step = window.start; step < window.end; ++step)
      if (run.steps.at(&StepRow::sample_count, 0, step) == full_batch) steps_.push_back(step);
  }

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(steps_.size()); }

  /// What `value(row)` has; NaN where no step recorded it.
  template <class Value>
  [[nodiscard]] std::vector<double> values(const Value& value) const {
    std::vector<double> found;
    for (const auto step : steps_)
      if (const double one = value(run_.steps.row(0, step)); std::isfinite(one))
        found.push_back(one);
    return found;
  }
  [[nodiscard]] double median_of(double StepRow::*column) const {
    return median(values([&](const StepRow& row) { return row.*column; }));
  }

  /// In launch order, which is that of becoming ready, of buckets that are named after it.
  [[nodiscard]] std::vector<ProfiledGradient> gradients() const {
    std::map<std::int64_t, std::vector<double>> ready_s;
    std::map<std::int64_t, std::int64_t> size_bytes;
    const std::set<std::int64_t> counted(steps_.begin(), steps_.end());
    for (const auto& bucket : run_.buckets) {
      if (!counted.contains(bucket.step)) continue;
      ready_s[bucket.bucket].push_back(bucket.ready_s - backward_begin_s(bucket.step));
      size_bytes[bucket.bucket] = bucket.size_bytes;
    }
    std::vector<ProfiledGradient> gradients;
    double before_s = 0;
    for (auto& [bucket, times_s] : ready_s) {
      before_s = std::max(before_s, median(std::move(times_s)));
      gradients.push_back({"", size_bytes[bucket] / element_bytes, before_s});
    }
    leave_out_weight(gradients, is_weight_first_);
    for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i].name = cat("bucket ", i);
    return gradients;
  }

 private:
  /// After the step's begin: the phases before it follow each other at once.
  [[nodiscard]] double backward_begin_s(std::int64_t step) const {
    const auto row = run_.steps.row(0, step);
    return row.input_wait_s + row.host_to_device_s + row.forward_s;
  }

  const RunRecord& run_;
  bool is_weight_first_;
  std::vector<std::int64_t> steps_;
};

double or_zero(double value) {
  return std::isfinite(value) ? std::max(value, 0.0) : 0;
}

/// Standard deviation of a normal distribution with the same median absolute deviation, ÷ median.
double noise_frac(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  return 1.4826 * median(std::move(deviations)) / middle;
}

double evaluation_s(const RunRecord& run) {
  double total_s = 0;
  for (const auto& epoch : run.epochs) total_s += or_zero(epoch.evaluation_s);
  const auto evaluations =
      std::ranges::count(run.evaluations, std::string(current_weights), &EvaluationRow::weights);
  return evaluations == 0 ? 0 : total_s / static_cast<double>(evaluations);
}

double checkpoint_s(const RunRecord& run) {
  std::vector<double> times_s;
  for (const auto& epoch : run.epochs) times_s.push_back(or_zero(epoch.checkpoint_s));
  return or_zero(median(std::move(times_s)));
}

replay::ProfileOrigin origin_of(const RunRecord& run, const RunSpec& spec, std::int64_t steps) {
  const auto effective = flatten_json(run.effective_settings);
  const auto environment = flatten_json(run.environment);
  const auto libtorch = value_named(effective, "libtorch_version");
  return {.network = spec.workload,
          .recorded_by = cat("scalestudy profile, study ", spec.study),
          .library = libtorch.empty() ? "" : cat("LibTorch ", libtorch),
          .device = spec.settings.device == Device::cpu ? value_named(environment, "model")
                                                        : value_named(effective, "device_name"),
          .threads = spec.settings.threads_per_rank,
          .precision = cat(spec.settings.precision),
          .memory_format = cat(spec.settings.memory_format),
          .steps = steps,
          .date = value_named(environment, "recorded_at").substr(0, 10)};
}

[[noreturn]] void refuse(const fs::path& place, const std::string& reason) {
  throw BadInput({cat(place.string(), " gives no profile"), reason, advice});
}

RunSpec resolved_spec(const RunRecord& run) {
  return run_spec_from_json_text(run.resolved_settings,
                                 cat(run.file.string(), ": /settings/resolved"));
}

/// The numbers of a profile, for taking medians of each.
template <class Visit>
void for_each_number(Profile& profile, const Visit& visit) {
  for (const auto number : {&Profile::forward_s, &Profile::backward_s, &Profile::optimizer_s,
                            &Profile::input_s, &Profile::evaluation_s, &Profile::checkpoint_s,
                            &Profile::first_step_s, &Profile::step_noise_frac})
    visit(profile.*number);
  for (auto& gradient : profile.gradients) visit(gradient.ready_s);
}

bool has_same_gradients(const Profile& one, const Profile& other) {
  return std::ranges::equal(one.gradients, other.gradients, {}, &ProfiledGradient::element_count,
                            &ProfiledGradient::element_count);
}

}  // namespace

Profile profile_of(const RunRecord& run) {
  const auto spec = resolved_spec(run);
  if (const auto reason = reason_against(run, spec); !reason.empty()) refuse(run.file, reason);
  const SteadySteps steps(run, spec);
  const auto gradients = steps.gradients();
  if (steps.count() < fewest_steps || gradients.empty())
    refuse(run.file, cat("it has ", counted(steps.count(), "steady step"), " with buckets"));
  const double step_s = steps.median_of(&StepRow::step_s);
  const double batch_make_s = steps.median_of(&StepRow::batch_make_s);
  const auto passes = [](const StepRow& row) { return row.forward_s + row.backward_s; };
  Profile profile;
  profile.origin = origin_of(run, spec, steps.count());
  profile.local_batch_size = spec.plan.global_batch_size;
  profile.element_bytes = element_bytes;
  profile.forward_s =
      steps.median_of(&StepRow::forward_s) + or_zero(steps.median_of(&StepRow::host_to_device_s));
  profile.gradients = gradients;
  profile.backward_s = std::max(steps.median_of(&StepRow::backward_s), gradients.back().ready_s);
  profile.optimizer_s = steps.median_of(&StepRow::optimizer_s);
  profile.input_s =
      std::isfinite(batch_make_s) ? batch_make_s : or_zero(steps.median_of(&StepRow::input_wait_s));
  profile.evaluation_s = evaluation_s(run);
  profile.checkpoint_s = checkpoint_s(run);
  profile.first_step_s = or_zero(run.steps.at(&StepRow::step_s, 0, 0) - step_s);
  profile.step_noise_frac = noise_frac(steps.values(passes));
  return profile;
}

Profile median_of(std::span<const Profile> profiles) {
  SCALESTUDY_EXPECT(!profiles.empty());
  std::vector<std::vector<double>> values;
  Profile result = profiles.front();
  result.origin.steps = 0;
  for (auto profile : profiles) {
    if (!has_same_gradients(profile, result))
      throw BadInput({"The runs have different gradients", "there is no median of them", advice});
    std::size_t index = 0;
    for_each_number(profile, [&](double number) {
      if (values.size() <= index) values.emplace_back();
      values[index++].push_back(number);
    });
    result.origin.steps += profile.origin.steps;
  }
  std::size_t index = 0;
  for_each_number(result, [&](double& number) { number = median(values[index++]); });
  return result;
}

Profile profile_at(const fs::path& run_or_folder) {
  refuse_data(run_or_folder);
  if (!fs::is_directory(run_or_folder)) return profile_of(read_run_file(run_or_folder));
  if (const auto file = run_file_in(run_or_folder)) return profile_of(read_run_file(*file));
  require_study_folder(run_or_folder);
  std::vector<std::pair<RunSpec, RunRecord>> found;
  std::set<std::int64_t> threads_of_several;  // of runs with more ranks
  std::string last_reason;
  for (const auto& file : StudyFolder(run_or_folder).result_files()) {
    require_inside(run_or_folder, file);
    auto run = read_run_file(file);
    const auto spec = resolved_spec(run);
    if (spec.ranks > 1) threads_of_several.insert(spec.settings.threads_per_rank);
    if (auto reason = reason_against(run, spec); !reason.empty())
      last_reason = std::move(reason);
    else
      found.emplace_back(spec, std::move(run));
  }
  // A fair base has the threads of all ranks.
  if (!threads_of_several.empty())
    std::erase_if(found, [&](const auto& one) {
      return !threads_of_several.contains(one.first.settings.threads_per_rank);
    });
  std::vector<Profile> profiles;
  std::set<std::uint64_t> kinds;
  for (const auto& [spec, run] : found) {
    kinds.insert(spec.timing_hash());
    profiles.push_back(profile_of(run));
  }
  if (profiles.empty())
    refuse(run_or_folder, last_reason.empty()
                              ? "there is no run in it"
                              : cat("none of its runs does: of the last ", last_reason));
  if (kinds.size() > 1) refuse(run_or_folder, "its runs of one rank have different settings");
  return median_of(profiles);
}

}  // namespace scalestudy
