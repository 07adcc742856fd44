/// scalestudy init WORKLOAD --data PATH: a first study file for somebody's own data.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/pack/pack_header.hpp"
#include "data/stack_choice.hpp"

#include "driver/commands/command.hpp"
#include "driver/commands/stack_options.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/terminal/readable_json.hpp"
#include "launchers/launcher.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace init_parts {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct InitOptions {
  std::string workload;
  DataSettings data;
  std::optional<double> mask_threshold_frac;
  std::string out = "study.json";
};

const WorkloadDescriptor& workload_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto* workload : workload_catalogue()) {
    if (workload->name == name) return *workload;
    names.emplace_back(workload->name);
  }
  throw BadInput({cat("There is no workload '", name, "'"),
                  cat("the workloads are ", join(names, ", ")),
                  did_you_mean(name, names, "See scalestudy list workloads")});
}

bool takes(const WorkloadDescriptor& workload, const InitOptions& options) {
  try {
    static_cast<void>(workload.first_study(options.data, options.mask_threshold_frac));
    return true;
  } catch (const StackChoiceNeeded&) {
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

void require_free(const fs::path& file) {
  if (!fs::exists(file)) return;
  throw BadInput({cat("'", file.string(), "' exists"),
                  "it may be a study that somebody still needs", "Choose another name with --out"});
}

/// False when nobody answers. What is no answer leaves the choice open.
bool ask(const StackChoiceNeeded& needed, StackChoice& choice, Context& context) {
  if (context.in == nullptr) return false;
  context.err << needed.what() << "\nNumber from 1 to " << needed.count
              << (needed.may_be_slices ? ", or 'slices': " : ": ") << std::flush;
  std::string answer;
  if (!std::getline(*context.in, answer)) return false;
  choice.frames_are_slices = needed.may_be_slices && answer == "slices";
  std::from_chars(answer.data(), answer.data() + answer.size(), choice.*needed.number);
  return true;
}

/// Asks for what the data leave open. Errors: BadInput, with the workload that takes the data when
/// this one does not.
FirstStudy first_study(const WorkloadDescriptor& chosen, InitOptions& options, Context& context) {
  try {
    return chosen.first_study(options.data, options.mask_threshold_frac);
  } catch (const StackChoiceNeeded& needed) {
    if (!ask(needed, options.data.stack, context)) throw;
    return first_study(chosen, options, context);
  } catch (const BadInput& refusal) {
    for (const auto* other : workload_catalogue()) {
      if (other == &chosen || !takes(*other, options)) continue;
      throw BadInput({cat(chosen.name, " does not train on '", options.data.path, "'"),
                      cat("they are data for ", other->name), cat("Use init ", other->name)});
    }
    throw;
  }
}

ordered_json data_of(const DataSettings& data) {
  ordered_json object{{"path", fs::weakly_canonical(data.path).string()}};
  if (data.stack.channel > 0) object["channel"] = data.stack.channel;
  if (data.stack.time > 0) object["time"] = data.stack.time;
  if (data.stack.frames_are_slices) object["frames_are_slices"] = true;
  return object;
}

/// The rule strong: N ranks share the batches that one has, so that little but the time differs.
ordered_json study_of(const InitOptions& options, const FirstStudy& first) {
  return {{"schema", 1},
          {"description",
           cat(options.workload, " on ", fs::path(options.data.path).filename().string(), ": ",
               first.summary, "; the same batches trained by 1 rank and by 2, three times each. ",
               first.quality.metric, " within ", first.quality.margin,
               " counts as equal: a first guess, set quality.margin to what your use can bear "
               "before the runs")},
          {"workload", options.workload},
          {"data", data_of(options.data)},
          {"settings", ordered_json::parse(first.settings)},
          {"axes", {{"ranks", {1, 2}}, {"scaling_rule", {"strong"}}}},
          {"quality", {{"metric", first.quality.metric}, {"margin", first.quality.margin}}},
          {"fair_base", true},
          {"repeats", 3}};
}

/// Errors: BadInput when the data's path is not UTF-8, which JSON demands.
std::string text_of(const ordered_json& study) {
  try {
    return readable_json(study);
  } catch (const ordered_json::type_error&) {
    throw BadInput({"The path of --data is not UTF-8", "studies and runs are kept as JSON",
                    "Rename it with letters that are UTF-8"});
  }
}

ExitCode init(InitOptions options, Context& context) {
  const auto& workload = workload_named(options.workload);
  const bool to_standard_output = options.out == "-";
  const auto& path = options.data.path;
  if (const auto absence = absence_of(path); !absence.empty())
    throw BadInput({cat("'", path, "' ", absence), "the study trains on it", "Correct --data"});
  refuse_runs(path);
  if (fs::is_directory(path) || is_pack(path)) require_no_choice(options.data.stack, path);
  require_threshold(options.mask_threshold_frac);
  const auto own = workload.setting_names();
  if (options.mask_threshold_frac && std::ranges::find(own, "mask_threshold_frac") == own.end())
    throw BadInput(
        {"--mask-threshold has no effect", cat(workload.name, " reads no masks"), "Leave it out"});
  const auto first = first_study(workload, options, context);
  if (!to_standard_output) require_free(options.out);
  const auto text = text_of(study_of(options, first));
  if (!to_standard_output) replace_file(options.out, text, "the study is described there");
  if (to_standard_output || context.options.json) {
    context.out << text;
    return ExitCode::done;
  }
  // What starts like an option is none behind a folder.
  const auto file = options.out.starts_with('-') ? "./" + options.out : options.out;
  const auto folder = "out/" + fs::path(options.out).stem().string();
  const auto line = [](const std::vector<std::string>& words) {
    return command_line({.argv = words});
  };
  if (!first.warning.empty()) context.err << "warning: " << first.warning << '\n';
  context.out << options.out << ": " << first.summary
              << ".\nNext: " << line({"scalestudy", "plan", file}) << "\n      "
              << line({"scalestudy", "run", file, "--out", folder}) << "\n      "
              << line({"scalestudy", "report", folder}) << '\n';
  return ExitCode::done;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<InitOptions>();
  app.add_option("WORKLOAD", options->workload, "noise2void, unet, resnet50: see list workloads")
      ->required();
  app.add_option("--data", options->data.path,
                 "TIFF stack, folder with images/ and masks/, folder with train/CLASS, or pack")
      ->type_name("PATH")
      ->required();
  app.add_option("--out", options->out,
                 "The study file to write (default: study.json); - is standard output")
      ->type_name("FILE");
  add_stack_options(app, options->data.stack);
  add_mask_threshold(app, options->mask_threshold_frac);
  return [options](Context& context) { return init(*options, context); };
}

}  // namespace init_parts

extern const Command init_command{"init", "Write a first study file that fits your data",
                                  "scalestudy init noise2void --data stack.tif\n"
                                  "scalestudy init unet --data nuclei/ --out nuclei.json",
                                  init_parts::define};

}  // namespace scalestudy
