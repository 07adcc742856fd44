/// scalestudy profile RUN.h5|DIR --out FILE: what the steps of recorded runs take, for a replay.

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "driver/commands/command.hpp"
#include "driver/profile/run_profile.hpp"
#include "launchers/launcher.hpp"

namespace scalestudy {
namespace profile_parts {

struct ProfileOptions {
  std::string runs;
  std::string out;
};

std::string summary(const replay::Profile& profile) {
  const double step_s =
      profile.input_s + profile.forward_s + profile.backward_s + profile.optimizer_s;
  return cat(profile.origin.network, ", ", counted(profile.local_batch_size, "sample"),
             " a step: ", human_duration(step_s), " from ", counted(profile.origin.steps, "step"),
             ", ", counted(profile.gradients.size(), "bucket"), " of gradients");
}

/// What is there is replaced only where it is a profile, too: not a run that nobody can make again.
void require_free_place(const std::string& out) {
  std::error_code none;
  if (!std::filesystem::exists(out, none)) return;
  try {
    (void)replay::read_profile(out);
  } catch (const Error&) {
    throw BadInput({cat("'", out, "' is there and is no profile"), "a profile would replace it",
                    "Name another file with --out"});
  }
}

ExitCode profile(const ProfileOptions& options, Context& context) {
  require_free_place(options.out);
  const auto found = profile_at(options.runs);
  const auto text = replay::to_json_text(found);
  replace_file(options.out, text, "the profile is written there");
  if (context.options.json) {
    context.out << text;
    return ExitCode::done;
  }
  const auto replay = command_line(
      {.argv = {"scalestudy", "run", "replay-profile", "--set", "settings.profile=" + options.out,
                "--set", cat("settings.local_batch_size=", found.local_batch_size), "--out",
                "out/replay"}});
  context.out << options.out << ": " << summary(found) << ".\nNext: " << replay << '\n';
  return ExitCode::done;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ProfileOptions>();
  app.add_option("RUN", options->runs,
                 "run.h5 of one rank, or a study's folder: medians over its runs of one rank")
      ->required();
  app.add_option("--out", options->out, "The profile to write")->type_name("FILE")->required();
  return [options](Context& context) { return profile(*options, context); };
}

}  // namespace profile_parts

extern const Command profile_command{
    "profile", "Write what the steps of recorded runs take, for workload replay",
    "scalestudy profile out/quickstart --out quickstart.profile.json", profile_parts::define};

}  // namespace scalestudy
