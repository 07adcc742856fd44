#include "driver/driver.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>

#include "core/process_limit.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "study/injection.hpp"
#include "study/study.hpp"

#include "driver/commands/command.hpp"
#include "driver/terminal/help_format.hpp"
#include "driver/terminal/listing.hpp"
#include "driver/terminal/visible_text.hpp"
#include "launchers/launcher.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr const char* common_group = "Common options";

void add_study_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--environment", options.environment, "Where to run: shipped name, or file")
      ->type_name("NAME|FILE")
      ->group(common_group);
  app.add_option("--launcher", options.launcher,
                 cat("What starts the ranks: ", join(names_of(launcher_descriptors()), ", ")))
      ->type_name("NAME")
      ->group(common_group);
  app.add_option("--set", options.overrides, "Changes the study: settings.epochs=3 (repeatable)")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(common_group);
}

void add_injection_option(CLI::App& app, CommonOptions& options) {
  app.add_option("--inject", options.injections,
                 cat("Inject a slowdown or a fault, in place of the study's injections; "
                     "repeatable: ",
                     all_syntaxes(), " (scalestudy list injections)"))
      ->type_name("FAULT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(common_group);
}

void add_common_options(CLI::App& app, const OptionUse& uses, CommonOptions& options) {
  const auto add_flag = [&](const char* name, bool& value, const char* meaning) {
    app.add_flag(name, value, meaning)->group(common_group);
  };
  if (uses.study) add_study_options(app, options);
  if (uses.inject) add_injection_option(app, options);
  add_flag("--json", options.json, "Machine-readable result, or error, on standard output");
  if (uses.quiet) add_flag("--quiet", options.quiet, "Only errors and results");
  if (uses.verbose) add_flag("--verbose", options.verbose, "More about what happens");
  add_flag("--no-color", options.no_color, "No colours (also: NO_COLOR=1)");
}

std::string footer_of(const Command& command) {
  auto text = std::string("Example:\n");
  for (const auto& line : split(command.example, '\n')) text += "  " + line + "\n";
  return text;
}

/// The parser with all commands, and what each of them does.
class CommandLine {
 public:
  explicit CommandLine(CommonOptions& options)
      : app_("Measures how much more ranks speed up training, and why.", "scalestudy") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "scalestudy " + build_id(), "Version, commit and build");
    app_.formatter(std::make_shared<HelpFormat>());
    app_.footer("scalestudy COMMAND --help shows a command's options with an example.");
    for (const auto& command : commands()) {
      auto* const sub =
          app_.add_subcommand(std::string(command.name), std::string(command.summary));
      sub->group("Commands");
      sub->footer(footer_of(command));
      actions_.push_back(command.define(*sub));
      add_common_options(*sub, command.uses, options);
      apps_.push_back(sub);
    }
  }

  /// Errors: CLI::ParseError.
  void parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app_.parse(arguments);
  }

  [[nodiscard]] const Action& chosen_action() const {
    const auto chosen =
        std::find_if(apps_.begin(), apps_.end(), [](const CLI::App* app) { return app->parsed(); });
    SCALESTUDY_EXPECT(chosen != apps_.end());
    return actions_[static_cast<std::size_t>(chosen - apps_.begin())];
  }

  /// Help or version that was asked for instead of an action.
  [[nodiscard]] int answer(const CLI::ParseError& request, std::ostream& out) const {
    return app_.exit(request, out, out);
  }

  /// The command of this name; the program itself for "".
  [[nodiscard]] const CLI::App& app(std::string_view name) const {
    const auto found = std::find_if(apps_.begin(), apps_.end(),
                                    [&](const CLI::App* app) { return app->get_name() == name; });
    return found == apps_.end() ? app_ : **found;
  }

  /// What the chosen command has no use for, in the order given.
  [[nodiscard]] std::vector<std::string> not_expected() const {
    for (const auto* app : apps_)
      if (app->parsed() && app->remaining_size() > 0) return app->remaining();
    return app_.remaining();
  }

 private:
  CLI::App app_;
  std::vector<CLI::App*> apps_;
  std::vector<Action> actions_;
};

constexpr const char* usage_hint = "Add --help to see the usage with an example";

bool looks_like_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' &&
         (argument[1] == '-' || std::isalpha(static_cast<unsigned char>(argument[1])) != 0);
}

void require_known_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const auto& command : commands()) names.emplace_back(command.name);
  const auto known = cat("the commands are ", join(names, ", "));
  if (arguments.empty()) throw BadInput({"No command is given", known, "See scalestudy --help"});
  if (looks_like_option(arguments.front())) return;
  if (std::find(names.begin(), names.end(), arguments.front()) != names.end()) return;
  throw BadInput({cat("There is no command '", arguments.front(), "'"), known,
                  did_you_mean(arguments.front(), names, "See scalestudy --help")});
}

const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  const auto options = app.get_options();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const auto* option) { return option->check_name(name); });
  return found == options.end() ? nullptr : *found;
}

/// "--epochs" is no option, but a setting that --set changes.
std::string setting_hint(const CLI::App& app, const std::string& option) {
  if (option_named(app, "--set") == nullptr) return "";
  std::string name = option.substr(option.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  const auto place = place_of_setting(name, workload_catalogue());
  return place.empty() ? "" : cat("Use --set ", place, "=VALUE");
}

[[noreturn]] void refuse_option(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& known : option->get_lnames()) names.push_back("--" + known);
  const bool before_command = app.get_parent() == nullptr;
  const auto hint = setting_hint(app, name);
  throw BadInput({cat("There is no option ", name), cat("the options here are ", join(names, ", ")),
                  !hint.empty()
                      ? hint
                      : did_you_mean(name, names,
                                     before_command ? "Options stand behind the command, e.g. "
                                                      "scalestudy plan STUDY --json"
                                                    : usage_hint)});
}

/// Before anything else is missed: what is missing may be what the mistyped option was to give.
void require_known_options(const CommandLine& line, const std::vector<std::string>& arguments) {
  const bool has_command = !looks_like_option(arguments.front());
  const auto& app = line.app(has_command ? arguments.front() : "");
  for (std::size_t i = has_command ? 1 : 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!looks_like_option(arguments[i])) continue;
    const auto equals = arguments[i].find('=');
    const auto name = arguments[i].substr(0, equals);
    const auto* const option = option_named(app, name);
    if (option == nullptr) refuse_option(app, name);
    const bool takes_next = equals == std::string::npos && option->get_items_expected_min() > 0;
    if (takes_next) ++i;
    const bool is_empty = takes_next ? i < arguments.size() && arguments[i].empty()
                                     : equals + 1 == arguments[i].size();
    if (is_empty)
      throw BadInput({name + " is given an empty value", "a default would be taken for it",
                      cat("Leave out ", name, ", or give it a value")});
  }
}

/// CLI11's own words; what it did not expect it would name in reverse.
BadInput usage_error(const CommandLine& line, const CLI::ParseError& error) {
  std::string problem = error.what();
  while (!problem.empty() && (problem.back() == '.' || problem.back() == '\n')) problem.pop_back();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    problem = cat("Unexpected: '", join(line.not_expected(), " "), "'");
  return BadInput({problem, "the command line cannot be understood", usage_hint});
}

bool asks_for_version_in_json(const std::vector<std::string>& arguments) {
  return arguments == std::vector<std::string>{"--version", "--json"} ||
         arguments == std::vector<std::string>{"--json", "--version"};
}

/// It may have been deleted since the shell entered it.
void require_working_folder() {
  std::error_code error;
  static_cast<void>(fs::current_path(error));
  if (!error) return;
  throw BadInput({cat("The working folder cannot be used: ", error.message()),
                  "programs are started in it, and relative paths begin there",
                  "Change into another folder"});
}

ExitCode parse_and_act(const std::vector<std::string>& arguments, Context& context) {
  if (asks_for_version_in_json(arguments)) {
    context.out << version_json(build_id());
    return ExitCode::done;
  }
  require_known_command(arguments);
  CommandLine line(context.options);
  require_known_options(line, arguments);
  try {
    line.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw usage_error(line, error);
    return static_cast<ExitCode>(line.answer(error, context.out));
  }
  require_working_folder();
  return line.chosen_action()(context);
}

bool contains(const std::vector<std::string>& arguments, std::string_view option) {
  return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
}

void print_error(Context& context, const std::string& text) {
  const bool color = context.err_is_terminal && !context.options.no_color;
  if (color)
    context.err << terminal_control("\033[1;31m") << "error:" << terminal_control("\033[0m");
  else
    context.err << "error:";
  context.err << ' ' << join(split(text, '\n'), "\n       ") << std::endl;
}

/// How a command ended; `error` is "" when it did what it was asked to.
struct Ending {
  ExitCode code = ExitCode::done;
  std::string error;
};

Ending act(const std::vector<std::string>& arguments, Context& context) {
  try {
    return {parse_and_act(arguments, context), ""};
  } catch (const Error& error) {
    return {error.exit_code(), error.what()};
  } catch (const fs::filesystem_error& error) {
    return {ExitCode::bad_input,
            Message{cat("'", error.path1().string(), "': ", error.code().message()),
                    "the command has to look there", "Check the path and its permissions"}
                .text()};
  } catch (const std::exception& error) {
    if (is_process_limit(error)) return {ExitCode::unavailable, process_limit_reached().what()};
    return {ExitCode::internal,
            cat("Unexpected: ", error.what(),
                " (this is a bug in scalestudy, not in the input). Please report it with the "
                "command that led here.")};
  }
}

/// One JSON document whatever happens: the result, or where there is none the error.
Ending act_in_json(const std::vector<std::string>& arguments, Context& context) {
  std::ostringstream document;
  Context collecting{context.options, context.executable,      document,
                     context.err,     context.out_is_terminal, context.err_is_terminal};
  auto ending = act(arguments, collecting);
  const auto text = document.str();
  if (ending.error.empty())
    context.out << text;
  else
    context.out << (text.empty() ? error_json(ending.error, ending.code)
                                 : with_error(text, ending.error, ending.code));
  return ending;
}

}  // namespace

int run_driver(const std::vector<std::string>& arguments, Context& caller) noexcept {
  VisibleText visible_out(*caller.out.rdbuf());
  VisibleText visible_err(*caller.err.rdbuf());
  std::ostream out(&visible_out);
  std::ostream err(&visible_err);
  Context context{caller.options,         caller.executable,      out,      err,
                  caller.out_is_terminal, caller.err_is_terminal, caller.in};
  const char* const no_color = std::getenv("NO_COLOR");
  context.options.no_color =
      (no_color != nullptr && *no_color != '\0') || contains(arguments, "--no-color");
  const bool in_json = contains(arguments, "--json");
  const auto ending = in_json ? act_in_json(arguments, context) : act(arguments, context);
  if (!ending.error.empty()) print_error(context, ending.error);
  if (context.out.flush()) return static_cast<int>(ending.code);
  print_error(context, "The result could not be written to standard output. Is the disk full?");
  return static_cast<int>(ending.code == ExitCode::done ? ExitCode::run_failed : ending.code);
}

}  // namespace scalestudy
