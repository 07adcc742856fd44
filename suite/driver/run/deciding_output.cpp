#include "driver/run/deciding_output.hpp"

#include <nlohmann/json.hpp>

#include "core/file_content.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"
#include "study/shipped_files.hpp"

#include "record/study_folder/study_folder.hpp"

#include "analysis/report/text/evidence.hpp"
#include "analysis/statistics/decision.hpp"
#include "analysis/study/deciding_runs.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/run/session.hpp"
#include "driver/terminal/progress.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

struct Answer {
  std::string series;
  DecidingRuns runs;
  std::string command;
};

std::vector<std::string> names_of(const std::vector<ControlArm>& arms) {
  std::vector<std::string> names;
  for (const auto arm : arms) names.emplace_back(to_string(arm));
  return names;
}

std::string name_of(const OpenQuestion& question) {
  return question.cause ? std::string(to_string(*question.cause)) : "loss";
}

std::string question_text(const OpenQuestion& question) {
  return question.cause ? name_of(question) : "whether more than the margin is lost at all";
}

std::string ways_text(const OpenQuestion& question) {
  std::vector<std::string> ways;
  if (!question.arms.empty()) ways.push_back("the arms " + join(names_of(question.arms), ", "));
  if (question.repeats)
    ways.push_back(*question.repeats > max_worthwhile_launches
                       ? cat(repeats_text(*question.repeats), ", which are not worth it")
                       : cat("about ", repeats_text(*question.repeats)));
  return ways.empty() ? "no runs of this study would: its looks part, or scatter too much"
                      : join(ways, ", or ");
}

/// The study as it was run into the folder, whatever was typed now, with the further runs.
std::string command_for(const Context& context,
                        const std::string& study,
                        const StudyFolder& folder,
                        const DecidingRuns& runs,
                        const std::string& launcher) {
  const ShippedFiles shipped(context.executable);
  Context as_it_was = context;
  as_it_was.options = {};
  auto environment = shipped.find_environment("", launcher_descriptors());
  const auto name = is_there(folder.plan_file()) ? folder.read_plan().host.environment : "";
  if (!name.empty() && name != environment.name) {
    try {
      environment = shipped.find_environment(name, launcher_descriptors());
      as_it_was.options.environment = name;
    } catch (const BadInput&) {  // a file of their own, whose path was not kept
      as_it_was.options.environment = "FILE of environment " + name;
    }
  }
  if (launcher != environment.launcher) as_it_was.options.launcher = launcher;
  auto& sets = as_it_was.options.overrides;
  if (is_there(folder.study_file()))
    sets = changes_between(read_json_file(shipped.find_study(study)),
                           read_json_file(folder.study_file()));
  std::erase_if(sets, [](const std::string& set) {
    return set.starts_with("repeats=") || set.starts_with("control_arms=");
  });
  sets.push_back(cat("repeats=", runs.repeats));
  if (!runs.arms.empty()) sets.push_back(cat("control_arms=", json(names_of(runs.arms)).dump()));
  ResumePolicy policy;
  if (is_there(folder.plan_file()))
    policy.redo_busy =
        std::ranges::any_of(states_of_runs(folder, folder.read_plan()), is_disturbed);
  return command_again(as_it_was, {"run", study, "--out", folder.path().string()}, policy);
}

void print(const Answer& answer, std::ostream& out) {
  out << answer.series << ", " << answer.runs.ranks << " ranks; open:\n";
  for (const auto& question : answer.runs.open)
    out << "  " << question_text(question) << ": " << ways_text(question) << '\n';
  if (answer.runs.launches == 0) return;
  out << counted(answer.runs.launches, "further run")
      << " should decide these questions in four of five studies, about "
      << rough_duration(answer.runs.wall_time_s) << " on that machine:\n  " << answer.command
      << '\n';
}

json to_json(const Answer& answer) {
  json open = json::array();
  for (const auto& question : answer.runs.open)
    open.push_back({{"cause", name_of(question)},
                    {"arms", names_of(question.arms)},
                    {"repeats", question.repeats ? json(*question.repeats) : json()}});
  return {{"series", answer.series},
          {"ranks", answer.runs.ranks},
          {"open", open},
          {"control_arms", names_of(answer.runs.arms)},
          {"repeats", answer.runs.repeats},
          {"launches", answer.runs.launches},
          {"wall_time_s", answer.runs.wall_time_s},
          {"command", answer.command}};
}

void add_changes(const json& from,
                 const json& to,
                 const std::string& place,
                 std::vector<std::string>& changes) {
  const auto path_of = [&](const std::string& key) {
    return place.empty() ? key : cat(place, ".", key);
  };
  for (const auto& [key, value] : to.items()) {
    const auto path = path_of(key);
    const auto found = from.find(key);
    if (path == "description" || (found != from.end() && *found == value)) continue;
    if (value.is_object() && found != from.end() && found->is_object())
      add_changes(*found, value, path, changes);
    else
      changes.push_back(
          cat(path, "=", value.is_string() ? value.get<std::string>() : value.dump()));
  }
  for (const auto& [key, value] : from.items())
    if (const auto path = path_of(key); path != "description" && !to.contains(key))
      changes.push_back(cat(path, "=null"));
}

}  // namespace

std::vector<std::string> changes_between(const json& from, const json& to) {
  std::vector<std::string> changes;
  if (from.is_object() && to.is_object()) add_changes(from, to, "", changes);
  return changes;
}

ExitCode show_deciding_runs(Context& context,
                            const std::string& study,
                            const std::filesystem::path& folder) {
  const auto& typed = context.options;
  if (!typed.overrides.empty() || !typed.injections.empty() || !typed.environment.empty() ||
      !typed.launcher.empty())
    throw BadInput({"Settings have no effect beside --decide",
                    "the folder says how its runs were made", "Leave them out"});
  require_study_folder(folder);
  const StudyAnalysis analysis(load_runs({folder}));
  std::vector<Answer> answers;
  bool has_causes = false;
  for (const auto& one : analysis.studies()) {
    has_causes = has_causes || !one.causes.empty();
    if (auto runs = deciding_runs(analysis, one))
      answers.push_back(
          {one.series.name, *runs,
           command_for(context, study, StudyFolder(folder), *runs, one.series.spec.launcher)});
  }
  if (context.options.json) {
    json all = json::array();
    for (const auto& answer : answers) all.push_back(to_json(answer));
    context.out << all.dump(2) << '\n';
  } else {
    for (const auto& answer : answers) print(answer, context.out);
    if (answers.empty())
      context.out << (has_causes ? "Nothing is open: every cause is supported or refuted.\n"
                                 : "No causes to decide about: that takes three runs with one rank "
                                   "and with more.\n");
  }
  return has_causes ? ExitCode::done : ExitCode::undecided;
}

}  // namespace scalestudy
