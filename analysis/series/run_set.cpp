#include "analysis/series/run_set.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/link_model.hpp"
#include "study/study_matrix.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "analysis/series/copies.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

void require_folder(const fs::path& folder) {
  if (fs::is_directory(folder)) return;
  throw BadInput(
      {cat("'", folder.string(), is_there(folder) ? "' is no folder" : "' does not exist"),
       "runs are read from a study folder, with runs/<id>/run.h5",
       "Give the folder that `scalestudy run --out` wrote; logs and tables of others are read by "
       "`scalestudy import`"});
}

/// Why a run has no result file: "not started", or how it ended.
std::string reason_for_absence(const StudyFolder& folder, const std::string& run_id) {
  const auto launch = folder.read_launch(run_id);
  if (!launch)
    return is_there(folder.run_folder(run_id)) ? "its folder holds no run file" : "not started";
  if (launch->status.empty()) return "started, nothing recorded yet";
  const auto status = find_choice<RunStatus>(launch->status);
  if (status == RunStatus::complete || status == RunStatus::diverged)
    return cat(launch->status, ", but its run.h5 is gone");
  return launch->reason.empty() ? launch->status : cat(launch->status, ": ", launch->reason);
}

void add_if_absent(const StudyFolder& folder, const std::string& id, RunSet& set) {
  if (!folder.result_file(id)) set.without_file.push_back({id, reason_for_absence(folder, id)});
}

/// What the plan names and no file shows.
void add_absent_runs(const StudyFolder& folder, const StudyPlan& plan, RunSet& set) {
  const StudyMatrix& matrix = plan.matrix;
  if (plan.floor) set.floors.emplace(folder.path(), *plan.floor);
  if (!matrix.runs.empty()) set.goals.emplace(folder.path(), matrix.runs.front().quality);
  for (const RunSpec& spec : matrix.runs) add_if_absent(folder, spec.run_id(), set);
  for (const SkippedRun& run : matrix.skipped) set.skipped.push_back({run.combination, run.reason});
}

/// A collection of run files has no plan, a study has one. Without it only folders tell of runs.
void add_absent_runs(const StudyFolder& folder, RunSet& set) {
  if (fs::exists(folder.plan_file())) {
    try {
      return add_absent_runs(folder, folder.read_plan(), set);
    } catch (const BadInput& error) {
      set.damaged_plans.push_back({folder.plan_file().string(), error.what()});
    }
  } else if (fs::exists(folder.study_file())) {
    set.without_plan.push_back(folder.path());
  }
  for (const auto& id : folder.run_ids()) add_if_absent(folder, id, set);
}

/// What cannot be done with a file is listed, not fatal.
template <class Action>
void attempt(const fs::path& file, RunSet& set, Action action) {
  try {
    action();
  } catch (const Unavailable&) {
    throw;  // says nothing about the file
  } catch (const Error& error) {
    set.unreadable.push_back({file.string(), error.what()});
  }
}

/// What its study declares now; without a plan what it declared when the run was made.
QualityGoal goal_of(const Run& run, const RunSet& set) {
  const auto found = set.goals.find(folder_of(run.record));
  return found == set.goals.end() ? run.spec.quality : found->second;
}

void add_run(const RunRecord& record, const fs::path& folder, RunSet& set) {
  set.runs.push_back(judge_run(record));
  set.origins[folder].push_back(set.runs.back().origin);
}

void load_folder(const fs::path& path, RunSet& set) {
  require_folder(path);
  const StudyFolder folder(path);
  const auto files = folder.result_files();
  RunFileReader reader;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool has_next = i + 1 < files.size() && is_inside(folder.path(), files[i + 1]);
    attempt(files[i], set, [&] {
      require_inside(folder.path(), files[i]);
      add_run(reader.read(files[i], has_next ? files[i + 1] : fs::path()), folder.path(), set);
    });
  }
  add_absent_runs(folder, set);
}

RunSet without_copies_and_strays(RunSet set) {
  set_copies_aside(set);
  for (const Run& run : set.runs)
    attempt(run.record.file, set, [&] { require_own_folder(run.record); });
  std::erase_if(set.runs, [](const Run& run) { return !is_in_own_folder(run.record); });
  return set;
}

/// What all runs of a series share; the rest of the spec follows from ranks and repeat.
RunSpec without_scale(RunSpec spec) {
  const RunSpec neutral;
  spec.study = neutral.study;
  spec.ranks = neutral.ranks;
  spec.repeat = neutral.repeat;
  spec.plan = neutral.plan;
  spec.communicator = neutral.communicator;
  return spec;
}

std::string series_name(const RunSpec& spec, bool emulated_input) {
  std::string name = spec.workload;
  if (spec.trains())
    name += cat(", ", spec.scaling_rule, ", ", spec.reduction, ", ", spec.input, " input");
  if (!spec.launcher.empty()) name += cat(", launcher ", spec.launcher);
  if (spec.control_arm) name += cat(", control arm ", *spec.control_arm);
  if (!spec.injections.empty()) name += ", injected " + join(texts_of(spec.injections), " and ");
  const auto& link = spec.settings.link;
  if (link.algorithm != LinkAlgorithm::none) name += cat(", emulated link ", to_text(link));
  return emulated_input ? name + ", emulated input" : name;
}

/// Part of file names.
std::string slug_of(const std::string& name) {
  constexpr std::size_t longest = 120;  // names of files have at most 255 bytes
  std::string slug;
  for (const char c : name.substr(0, longest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      slug += c;
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  if (slug.empty()) return "series";
  return name.size() <= longest ? slug : slug + "-" + hex64(fnv1a(name));
}

/// Settings that would put two runs into one series if they were of one origin.
std::string comparison_key(const Run& run) {
  const bool emulated_input = run.has_label(RunLabel::emulated_input);
  auto spec = without_scale(run.spec);
  spec.data_content = {};  // part of the origin
  return cat(series_name(run.spec, emulated_input), ' ', hex64(spec.content_hash()));
}

/// See Series::is_fair_base.
bool is_fair_base_of(const Series& one, const Series& proper) {
  const auto threads = one.spec.settings.threads_per_rank;
  const auto each = proper.spec.settings.threads_per_rank;
  return !one.is_control_arm() && !one.has_several_ranks() && proper.has_several_ranks() &&
         threads > each && threads <= proper.by_ranks.rbegin()->first * each &&
         computes_on_cores(proper) && differs_in_threads_only(one, proper);
}

/// Paths of settings in which one of the series differs from the first. Evaluation has the threads
/// of training where nothing else was asked for.
std::set<std::string> differing_settings(const std::vector<Series*>& series) {
  std::set<std::string> paths;
  for (const Series* one : series) {
    const auto differences = SpecDiff(series[0]->spec, one->spec).without_scale();
    for (const auto& difference : differences.all()) paths.insert(difference.path);
  }
  if (paths.contains("settings.threads_per_rank")) paths.erase("settings.evaluation_threads");
  return paths;
}

/// Series that read the same say the settings in which they differ, where these are few.
void name_settings(std::vector<Series>& series) {
  constexpr std::size_t most_named = 3;
  constexpr std::string_view settings = "settings.";
  std::map<std::string, std::vector<Series*>> by_name;
  for (Series& one : series) by_name[one.name].push_back(&one);
  for (const auto& [name, alike] : by_name) {
    const auto paths = differing_settings(alike);
    if (paths.size() > most_named) continue;
    for (Series* one : alike) {
      const auto values = flatten_json(to_json_text(one->spec));
      for (auto path : paths) {
        const auto shown = path.starts_with(settings) ? path.substr(settings.size()) : path;
        std::ranges::replace(path, '.', '/');
        const auto value = values.find("/" + path);
        one->name += cat(", ", shown, ' ', value == values.end() ? "none" : value->second);
      }
    }
  }
}

/// Series that read the same still get a number. A study's only series needs no
/// long name for its files.
void name_apart(std::vector<Series>& series) {
  for (Series& s : series)
    if (s.is_fair_base)
      s.name += cat(", one rank of ", counted(s.spec.settings.threads_per_rank, "thread"));
  name_settings(series);
  const auto is_study = [](const Series& s) { return !s.is_control_arm() && !s.is_fair_base; };
  const auto studies = std::ranges::count_if(series, is_study);
  std::map<std::string, int> seen;
  std::set<std::string> slugs;
  for (Series& s : series) {
    if (const int count = ++seen[s.name]; count > 1) s.name += cat(" (settings ", count, ")");
    const auto slug = slug_of(studies == 1 && is_study(s) ? s.spec.workload : s.name);
    s.slug = slug;
    for (int count = 2; !slugs.insert(s.slug).second; ++count) s.slug = cat(slug, "-", count);
  }
}

std::set<std::string> values_of(const RunSet& set, const OriginPart& part) {
  std::set<std::string> values;
  for (const auto& [folder, origins] : set.origins)
    for (const Origin& origin : origins) values.insert(origin.*part.value);
  for (const Run& run : set.runs) values.insert(run.origin.*part.value);
  values.erase("");
  return values;
}

}  // namespace

RunSet load_runs(const std::vector<fs::path>& folders) {
  RunSet set;
  set.folders = folders;
  for (const fs::path& folder : folders) load_folder(folder, set);
  return without_copies_and_strays(std::move(set));
}

RunSet runs_of(std::vector<RunRecord> records) {
  RunSet set;
  for (const RunRecord& record : records)
    if (const auto folder = folder_of(record); std::ranges::count(set.folders, folder) == 0)
      set.folders.push_back(folder);
  std::ranges::sort(records, {}, [&](const RunRecord& record) {
    return std::pair(std::ranges::find(set.folders, folder_of(record)), record.file);
  });
  for (const RunRecord& record : records)
    attempt(record.file, set, [&] { add_run(record, folder_of(record), set); });
  return without_copies_and_strays(std::move(set));
}

std::vector<const Run*> Series::all_runs() const {
  std::vector<const Run*> all;
  for (const auto& [ranks, runs] : by_ranks) all.insert(all.end(), runs.begin(), runs.end());
  return all;
}

RunGroup Series::group(std::int64_t ranks) const {
  const auto found = by_ranks.find(ranks);
  return {found == by_ranks.end() ? std::vector<const Run*>() : found->second, spec.comparison};
}

bool Series::has_label(RunLabel label) const {
  return std::ranges::any_of(all_runs(), [&](const Run* run) { return run->has_label(label); });
}

std::vector<std::string> folders_of(const Series& series, const RunSet& set) {
  std::set<fs::path> own;
  for (const Run* run : series.all_runs()) own.insert(folder_of(run->record));
  std::vector<std::string> given;
  for (const auto& folder : set.folders)
    if (own.contains(folder) || (!folder.empty() && own.contains(StudyFolder(folder).path())))
      given.push_back(folder.string());
  return given;
}

fs::path folder_of(const RunFacts& run) {
  return run.file.parent_path().parent_path().parent_path();
}

bool is_arm_of(const Series& arm, const Series& proper) {
  if (!arm.is_control_arm()) return false;
  // Both ways through without(): which setting an arm leaves out of what is said there only.
  const auto rest = [&](const Series& series) {
    return without(series.spec, *arm.spec.control_arm);
  };
  return SpecDiff(rest(arm), rest(proper)).without_scale().empty() &&
         arm.origin() == proper.origin() &&
         arm.has_label(RunLabel::emulated_input) == proper.has_label(RunLabel::emulated_input);
}

bool differs_in_threads_only(const Series& one, const Series& other) {
  // Evaluation threads follow from those of training where nothing else was asked for.
  return one.origin() == other.origin() &&
         SpecDiff(one.spec, other.spec)
             .of_times()
             .without({"settings.threads_per_rank", "settings.evaluation_threads"})
             .empty() &&
         one.has_label(RunLabel::emulated_input) == other.has_label(RunLabel::emulated_input);
}

std::int64_t most_timed_ranks(const Series& series) {
  for (auto group = series.by_ranks.rbegin(); group != series.by_ranks.rend(); ++group)
    if (!series.group(group->first).timed().empty()) return group->first;
  return 1;
}

bool computes_on_cores(const Series& series) {
  return series.spec.settings.device == Device::cpu &&
         !series.has_label(RunLabel::emulated_compute);
}

std::vector<Series> group_series(const RunSet& set) {
  std::map<std::string, std::map<Origin, Series>> by_key;
  for (const Run& run : set.runs) {
    if (!run.is_data()) continue;
    const auto key = comparison_key(run);
    Series& series = by_key[key][run.origin];
    const auto goal = goal_of(run, set);
    if (!series.by_ranks.empty() && series.spec.quality != goal) series.has_changed_goal = true;
    if (run.spec.quality != goal && !goal.metric.empty()) series.has_late_goal = true;
    series.name = series_name(run.spec, run.has_label(RunLabel::emulated_input));
    series.spec = run.spec;
    series.spec.quality = goal;
    series.by_ranks[run.spec.ranks].push_back(&run);
  }
  std::vector<Series> all;
  for (auto& [key, by_origin] : by_key) {
    std::vector<Origin> origins;
    for (const auto& [origin, series] : by_origin) origins.push_back(origin);
    for (auto& [origin, series] : by_origin) {
      if (series.has_changed_goal) series.spec.quality = {};
      const auto what = distinction(origin, origins);
      if (!what.empty()) series.name += ", " + what;
      all.push_back(std::move(series));
    }
  }
  for (Series& one : all)
    one.is_fair_base =
        std::ranges::any_of(all, [&](const Series& other) { return is_fair_base_of(one, other); });
  name_apart(all);
  return all;
}

std::vector<std::string> build_ids(const RunSet& set) {
  std::set<std::string> ids;
  for (const Run& run : set.runs) ids.insert(run.origin.build);
  return {ids.begin(), ids.end()};
}

std::vector<std::string> mixed_values(const RunSet& set, const OriginPart& part) {
  // The usual case, without a look at what the runs did.
  if (values_of(set, part).size() < 2) return {};
  std::map<std::string, std::set<std::string>> by_place;
  const auto add = [&](const std::string& place, const Origin& origin) {
    if (const auto& value = origin.*part.value; !value.empty()) by_place[place].insert(value);
  };
  for (const auto& [folder, origins] : set.origins)
    for (const Origin& origin : origins) add("folder " + folder.string(), origin);
  for (const Run& run : set.runs) {
    if (!run.is_data()) continue;
    // Other data under another path are other work.
    const auto key = comparison_key(run);
    add(cat("data ", run.origin.data, ' ', key), run.origin);
    add(cat("path ", run.spec.data.path, ' ', key), run.origin);
  }
  std::set<std::string> mixed;
  for (const auto& [place, values] : by_place)
    if (values.size() > 1) mixed.insert(values.begin(), values.end());
  return {mixed.begin(), mixed.end()};
}

}  // namespace scalestudy
