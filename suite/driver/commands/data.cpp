/// scalestudy data prepare|inspect: packs of pictures and volumes, and what data look like before
/// anyone trains on them.

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "core/text.hpp"

#include "data/pack/pack_bytes.hpp"

#include "driver/commands/command.hpp"
#include "driver/commands/stack_options.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/inspect/set_report.hpp"
#include "driver/inspect/volume_report.hpp"
#include "driver/terminal/listing.hpp"
#include "driver/terminal/work_watch.hpp"

namespace scalestudy {
namespace data_parts {

struct DataOptions {
  std::string action;
  std::string source;
  StackChoice stack;
  std::string patch;
  bool verify = false;
  std::string out;
  bool force = false;
  bool keep_encoded = false;
  std::string size;
  std::string fit;
  std::optional<double> mask_threshold_frac;
};

PictureSize size_in(const std::string& text) {
  PictureSize size;
  const auto* const end = text.data() + text.size();
  const auto [cross, first_error] = std::from_chars(text.data(), end, size.height_px);
  if (first_error == std::errc() && cross != end && *cross == 'x') {
    const auto [rest, error] = std::from_chars(cross + 1, end, size.width_px);
    const auto fits = [](std::int64_t side) { return side >= 1 && side <= max_side_px; };
    if (error == std::errc() && rest == end && fits(size.height_px) && fits(size.width_px))
      return size;
  }
  throw BadInput({cat("--size ", text, " is no size"),
                  cat("it takes height and width in pixels, 1 to ", max_side_px),
                  "Write e.g. --size 256x256"});
}

PrepareOptions prepare_options(const DataOptions& options) {
  if (options.out.empty())
    throw BadInput(
        {"data prepare needs --out", "the pack has no name", "Write e.g. --out pack.h5"});
  PrepareOptions chosen;
  chosen.out = options.out;
  chosen.stack = options.stack;
  chosen.existing = options.force ? Existing::replace : Existing::refuse;
  chosen.keep_encoded = options.keep_encoded;
  if (!options.size.empty()) chosen.size = size_in(options.size);
  if (!options.fit.empty()) chosen.fit = choice_from<Fit>(options.fit, "--fit");
  chosen.mask_threshold_frac = options.mask_threshold_frac;
  return chosen;
}

ExitCode prepare(const DataOptions& options, Context& context) {
  const auto chosen = prepare_options(options);
  WorkWatch watch(context);
  const auto summary = prepare_pack(options.source, chosen, watch.progress());
  if (context.options.json) {
    context.out << prepared_json(options.out, summary);
  } else {
    print_prepared(options.out, summary, context.out);
  }
  return ExitCode::done;
}

/// What `source` is: a pack says so itself.
PackKind kind_to_inspect(const std::string& source) {
  return is_pack(source) ? PackBytes(source).description().kind : kind_of_source(source);
}

void show_volume(const DataOptions& options, Context& context) {
  if (options.mask_threshold_frac)
    throw BadInput(
        {"--mask-threshold has no effect here", "a volume has no masks", "Leave it out"});
  if (options.verify && !is_pack(options.source))
    throw BadInput({cat("'", options.source, "' has no checksums to verify"),
                    "only packs hold them", "Leave --verify out"});
  const auto found = inspect_volume(options.source, options.stack, patch_in(options.patch));
  if (context.options.json) {
    context.out << volume_json(found);
  } else {
    print_volume(found, context.out);
  }
}

void show_set(const DataOptions& options, PackKind kind, Context& context) {
  require_no_choice(options.stack, options.source);
  if (!options.patch.empty())
    throw BadInput(
        {"--patch has no effect here", "only volumes are cut into patches", "Leave --patch out"});
  WorkWatch watch(context);
  const auto found = inspect_set(options.source, kind, options.verify ? Verify::yes : Verify::no,
                                 watch.progress(), options.mask_threshold_frac);
  if (context.options.json) {
    context.out << set_json(options.source, found);
  } else {
    print_set(options.source, found, context.out);
  }
}

ExitCode inspect(const DataOptions& options, Context& context) {
  const auto kind = kind_to_inspect(options.source);
  kind == PackKind::volume ? show_volume(options, context) : show_set(options, kind, context);
  return ExitCode::done;
}

[[noreturn]] void refuse_action(const std::string& action) {
  const auto given = "data " + action;
  throw BadInput(
      {cat("There is no command '", given, "'"), "data can be prepared and inspected",
       did_you_mean(given, {"data inspect", "data prepare"}, "Use scalestudy data inspect PATH")});
}

/// An option of the other action would be ignored.
void require_own_options(const CLI::App& app, const std::string& action) {
  for (const auto* option : app.get_options()) {
    const auto group = option->get_group();
    if (option->count() > 0 && group.starts_with("data ") && group != "data " + action)
      throw BadInput({cat("data ", action, " has no option ", option->get_name()),
                      cat("it belongs to ", group), "Leave it out"});
  }
}

void add_inspect_options(CLI::App& app, DataOptions& options) {
  const auto* const group = "data inspect";
  app.add_option("--patch", options.patch, "Count a volume's grid patches of this size, in voxels")
      ->type_name("Z,Y,X")
      ->group(group);
  app.add_flag("--verify", options.verify, "Compare everything in a pack with its checksums")
      ->group(group);
}

std::string fit_help() {
  return cat("How they come to that size. ", explained(named_choices<Fit>()),
             ". Default, as in training: ", usual_fit_with_masks, " with masks, ",
             usual_fit_in_classes, " in class folders");
}

void add_prepare_options(CLI::App& app, DataOptions& options) {
  const auto* const group = "data prepare";
  app.add_option("--out", options.out, "The pack to write")->type_name("FILE")->group(group);
  app.add_flag("--force", options.force, "Replace an existing pack")->group(group);
  app.add_flag("--keep-encoded", options.keep_encoded,
               "Keep the pictures' files as they are: smaller, but decoded at each read")
      ->group(group);
  app.add_option("--size", options.size, "Bring all pictures and masks to this size, in pixels")
      ->type_name("HxW")
      ->group(group);
  app.add_option("--fit", options.fit, fit_help())->type_name("NAME")->group(group);
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<DataOptions>();
  app.add_option("ACTION", options->action, "prepare or inspect")->required();
  app.add_option("PATH", options->source,
                 "Folder with images/ and masks/, folder with train/CLASS, TIFF volume, or pack")
      ->required();
  add_stack_options(app, options->stack);
  add_mask_threshold(app, options->mask_threshold_frac);
  add_inspect_options(app, *options);
  add_prepare_options(app, *options);
  return [options, &app](Context& context) {
    if (options->action != "prepare" && options->action != "inspect")
      refuse_action(options->action);
    require_own_options(app, options->action);
    require_threshold(options->mask_threshold_frac);
    refuse_runs(options->source);
    return options->action == "prepare" ? prepare(*options, context) : inspect(*options, context);
  };
}

}  // namespace data_parts

extern const Command data_command{"data",
                                  "Pack folders of pictures and volumes, or describe them",
                                  "scalestudy data inspect stack.tif --patch 16,64,64\n"
                                  "scalestudy data prepare nuclei/ --out nuclei.h5 --size 128x128",
                                  data_parts::define,
                                  {.quiet = true}};

}  // namespace scalestudy
