#include "driver/terminal/help_format.hpp"

#include <utility>

#include "driver/terminal/text_table.hpp"

namespace scalestudy {

HelpFormat::HelpFormat() {
  column_width(34);
  label("SUBCOMMAND", "COMMAND");
}

/// CLI11 puts two empty lines between groups.
std::string HelpFormat::make_help(const CLI::App* app,
                                  std::string name,
                                  CLI::AppFormatMode mode) const {
  return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode),
                                       "\n\n\n", "\n\n");
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), 0, 100 - get_column_width());
}

}  // namespace scalestudy
