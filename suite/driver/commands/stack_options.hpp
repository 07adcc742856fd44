#pragma once
/// Options of commands that look into data themselves, as studies do by data.channel and so on.

#include <optional>

#include "study/settings.hpp"

namespace CLI {
class App;
}

namespace scalestudy {

/// `choice` outlives the parsing.
void add_stack_options(CLI::App& app, StackChoice& choice);

/// Errors: BadInput when something of a stack was chosen, and `source` is no file of several.
void require_no_choice(const StackChoice& choice, const std::string& source);

/// --mask-threshold. `frac` outlives the parsing.
void add_mask_threshold(CLI::App& app, std::optional<double>& frac);

/// Errors: BadInput when it is none.
void require_threshold(std::optional<double> frac);

}  // namespace scalestudy
