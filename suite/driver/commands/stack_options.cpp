#include "driver/commands/stack_options.hpp"

#include <CLI/CLI.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

void add_stack_options(CLI::App& app, StackChoice& choice) {
  auto number = CLI::Range(1, 1'000'000'000);
  number.description("");
  app.add_option("--channel", choice.channel, "Channel of a TIFF stack, from 1 (data.channel)")
      ->type_name("N")
      ->check(number);
  app.add_option("--time", choice.time, "Time point of a TIFF stack, from 1 (data.time)")
      ->type_name("N")
      ->check(number);
  app.add_flag("--frames-are-slices", choice.frames_are_slices,
               "The frames or channels of a TIFF stack are its slices (data.frames_are_slices)");
}

void require_no_choice(const StackChoice& choice, const std::string& source) {
  if (choice == StackChoice()) return;
  throw BadInput({cat("'", source, "' is no TIFF stack"),
                  "only these have channels and time points",
                  "Leave --channel, --time and --frames-are-slices out"});
}

void add_mask_threshold(CLI::App& app, std::optional<double>& frac) {
  app.add_option("--mask-threshold", frac,
                 "Mask values above this share of the largest possible one are foreground "
                 "(default: decided from all masks; see data inspect)")
      ->type_name("FRACTION");
}

void require_threshold(std::optional<double> frac) {
  if (frac && !(*frac >= 0 && *frac < 1))
    throw BadInput({cat("--mask-threshold ", *frac, " is no share of the largest value"),
                    "it takes a number from 0 to below 1", "Write e.g. --mask-threshold 0.5"});
}

}  // namespace scalestudy
