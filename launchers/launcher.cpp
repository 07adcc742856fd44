#include "launchers/launcher.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

bool is_plain(char character) {
  constexpr std::string_view plain = "-_./=:,+@%";
  return is_letter(character) || is_digit(character) ||
         plain.find(character) != std::string_view::npos;
}

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string text = "'";
  for (const char character : word) {
    if (character == '\'') {
      text += "'\\''";
    } else {
      text += character;
    }
  }
  return text + "'";
}

}  // namespace

Launcher::~Launcher() = default;

LauncherDescriptors launcher_descriptors() {
  static const auto descriptors = [] {
    std::vector<const LauncherDescriptor*> list;
    for (const Launcher* each : all_launchers()) list.push_back(&each->descriptor());
    return list;
  }();
  return descriptors;
}

const Launcher& launcher(std::string_view name) {
  for (const Launcher* candidate : all_launchers())
    if (candidate->name() == name) return *candidate;
  const auto names = names_of(launcher_descriptors());
  throw BadInput({cat("There is no launcher '", name, "'"), "a launcher starts the ranks of a run",
                  did_you_mean(name, names, cat("Use one of: ", join(names, ", ")))});
}

std::vector<std::string> rank_arguments(const LaunchRequest& request) {
  return {request.rank_program.string(), "--spec", (request.run_folder / "spec.json").string(),
          "--run-folder", request.run_folder.string()};
}

std::map<std::string, std::string> rank_variables(const LaunchRequest& request) {
  auto variables = request.variables;
  variables[rank_variable::threads] = cat(request.threads_per_rank);
  variables[rank_variable::job_key] = request.job_key;
  return variables;
}

std::string command_line(const ProcessPlan& process) {
  std::vector<std::string> words;
  if (!process.variables.empty() || !process.removed_variables.empty()) words.emplace_back("env");
  for (const auto& name : process.removed_variables) words.push_back("-u " + shell_quoted(name));
  for (const auto& [name, value] : process.variables) {
    words.push_back(name + "=" + (value.empty() ? "" : shell_quoted(value)));
  }
  for (const auto& argument : process.argv) words.push_back(shell_quoted(argument));
  return join(words, " ");
}

}  // namespace scalestudy
