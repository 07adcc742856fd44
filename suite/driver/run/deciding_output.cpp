#include "driver/run/deciding_output.hpp"

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "analysis/study/deciding_runs.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/run/session.hpp"
#include "driver/terminal/progress.hpp"

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
  if (question.repeats) ways.push_back(cat("about ", *question.repeats, " repeats"));
  return ways.empty() ? "no runs of this study would: its looks part, or scatter too much"
                      : join(ways, ", or ");
}

std::string command_for(const Context& context,
                        const std::string& study,
                        const std::filesystem::path& folder,
                        const DecidingRuns& runs) {
  std::vector<std::string> own{"run",           study,   "--out",
                               folder.string(), "--set", cat("repeats=", runs.repeats)};
  if (!runs.arms.empty())
    own.insert(own.end(), {"--set", cat("control_arms=", json(names_of(runs.arms)).dump())});
  return command_again(context, std::move(own), {});
}

void print(const Answer& answer, std::ostream& out) {
  out << answer.series << ", " << answer.runs.ranks << " ranks; open:\n";
  for (const auto& question : answer.runs.open)
    out << "  " << question_text(question) << ": " << ways_text(question) << '\n';
  if (answer.runs.launches == 0) return;
  out << counted(answer.runs.launches, "further run")
      << " should decide it in four of five studies, about "
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

}  // namespace

ExitCode show_deciding_runs(Context& context,
                            const std::string& study,
                            const std::filesystem::path& folder) {
  require_study_folder(folder);
  const StudyAnalysis analysis(load_runs({folder}));
  std::vector<Answer> answers;
  bool has_causes = false;
  for (const auto& one : analysis.studies()) {
    has_causes = has_causes || !one.causes.empty();
    if (auto runs = deciding_runs(analysis, one))
      answers.push_back({one.series.name, *runs, command_for(context, study, folder, *runs)});
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
