#pragma once
/// What a command of `scalestudy` is. To add one: write commands/<name>.cpp with one Command, and
/// add its row to command_table.cpp. It is offered
/// only the options that act on it.

#include <functional>
#include <span>
#include <string_view>

#include "core/error.hpp"

#include "driver/terminal/context.hpp"

namespace CLI {
class App;
}

namespace scalestudy {

using Action = std::function<ExitCode(Context&)>;

/// Common options that act on a command, besides those that act on all.
struct OptionUse {
  bool study = false;    ///< --environment, --launcher, --set
  bool inject = false;   ///< --inject
  bool quiet = false;    ///< it shows progress
  bool verbose = false;  ///< it can say more about what happens
};

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< shown by --help, one command line per line
  /// Adds the command's own options to `app`; the action owns the values.
  Action (*define)(CLI::App& app);
  OptionUse uses{};
};

/// In the order of the help text.
[[nodiscard]] std::span<const Command> commands();

}  // namespace scalestudy
