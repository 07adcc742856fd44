#pragma once
/// Options of commands that look into a TIFF themselves, as studies do by data.channel and so on.

#include "study/settings.hpp"

namespace CLI {
class App;
}

namespace scalestudy {

/// `choice` outlives the parsing.
void add_stack_options(CLI::App& app, StackChoice& choice);

/// Errors: BadInput when something of a stack was chosen, and `source` is no file of several.
void require_no_choice(const StackChoice& choice, const std::string& source);

}  // namespace scalestudy
