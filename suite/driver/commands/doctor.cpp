/// scalestudy doctor: what this machine can run, what is missing, the command that gets it.

#include <memory>

#include <CLI/CLI.hpp>

#include "driver/commands/command.hpp"
#include "driver/doctor/machine_checks.hpp"
#include "driver/run/all_reduce_check.hpp"
#include "driver/terminal/listing.hpp"
#include "driver/terminal/visible_text.hpp"

namespace scalestudy {
namespace doctor_parts {

Listing listing_of(const std::vector<MachineCheck>& checks) {
  Listing listing{"checks", {"subject", "result", "finding", "remedy"}, {}, ""};
  for (const auto& check : checks) {
    listing.rows.push_back(
        {check.subject, std::string(to_string(check.result)), check.finding, check.remedy});
  }
  return listing;
}

std::string_view color_of(CheckResult result) {
  switch (result) {
    case CheckResult::ok:
      return "\033[32m";
    case CheckResult::missing:
      return "\033[1;31m";
    case CheckResult::note:
      return "\033[33m";
  }
  return "";
}

void print_check(const MachineCheck& check, const Context& context) {
  constexpr std::size_t result_width = 9;
  constexpr std::size_t subject_width = 18;
  const std::string result(to_string(check.result));
  const std::string gap(result_width - result.size(), ' ');
  auto subject = check.subject;
  subject.resize(std::max(subject.size() + 1, subject_width), ' ');
  if (context.color()) {
    context.out << terminal_control(color_of(check.result)) << result << terminal_control("\033[0m")
                << gap;
  } else {
    context.out << result << gap;
  }
  context.out << subject << check.finding << '\n';
  if (!check.remedy.empty()) {
    context.out << std::string(result_width + subject_width, ' ') << check.remedy << '\n';
  }
}

struct DoctorOptions {
  bool clear = false;
  std::string all_reduce_folder;  ///< "": not measured
};

ExitCode examine(Context& context, const DoctorOptions& options) {
  const auto cleared = options.clear ? clear_leftovers(leftover_places()) : std::vector<Leftover>();
  const auto facts = find_machine_facts(ShippedFiles(context.executable));
  auto checks = check_machine(facts);
  if (options.clear) checks.push_back({"cleared", CheckResult::ok, to_text(cleared), ""});
  const bool ready = can_train(facts);
  auto code = ready ? ExitCode::done : ExitCode::unavailable;
  if (!options.all_reduce_folder.empty()) {
    checks.push_back(check_all_reduce(context, facts, options.all_reduce_folder));
    if (checks.back().result == CheckResult::missing) code = ExitCode::run_failed;
  }
  if (context.options.json) {
    show(listing_of(checks), context);
    return code;
  }
  for (const auto& check : checks) print_check(check, context);
  context.out << (ready ? "\nReady to train. Try: scalestudy run n2v-quickstart --out quickstart\n"
                        : "\nNothing can be trained here; plan, report and inspect work.\n");
  return code;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  app.add_flag("--clear", options->clear,
               "Remove what killed jobs of yours left in the shared memory and in the temporary "
               "folder");
  app.add_option("--all-reduce", options->all_reduce_folder,
                 "Measure all-reduce between all GPUs, else between the cores, 8 at most; under a "
                 "minute, kept in DIR")
      ->type_name("DIR");
  return [options](Context& context) { return examine(context, *options); };
}

}  // namespace doctor_parts

extern const Command doctor_command{
    "doctor", "Check what this machine can run and what is missing",
    "scalestudy doctor\nscalestudy doctor --all-reduce out/exchange", doctor_parts::define};

}  // namespace scalestudy
