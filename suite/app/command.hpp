#pragma once
/// What a command of `scalestudy` is. To add one: write commands/<name>.cpp with one Command, and
/// add its row to command_table.cpp.

#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/log.hpp"

namespace CLI {
class App;
}

namespace scalestudy {

/// Options that every command understands.
struct CommonOptions {
  std::string environment;             ///< name or file; "" is this machine as it is
  std::string launcher;                ///< "" leaves the environment's choice
  std::vector<std::string> overrides;  ///< --set path.to.key=value
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool no_color = false;  ///< also by the variable NO_COLOR
};

/// What a command works with.
struct Context {
  CommonOptions options;
  std::filesystem::path executable;  ///< of the running driver
  std::ostream& out;                 ///< results
  std::ostream& err;                 ///< progress and messages
  bool out_is_terminal = false;
  bool err_is_terminal = false;

  [[nodiscard]] Verbosity verbosity() const;
  [[nodiscard]] bool color() const;  ///< whether `out` may be coloured
};

using Action = std::function<ExitCode(Context&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< shown by --help, one command line per line
  /// Adds the command's own options to `app`; the action owns the values.
  Action (*define)(CLI::App& app);
};

/// In the order of the help text.
[[nodiscard]] std::span<const Command> commands();

/// The whole driver: parses, acts, prints errors. `arguments` without the program's name.
/// Never throws. Returns the exit code.
[[nodiscard]] int run_driver(const std::vector<std::string>& arguments, Context& context) noexcept;

}  // namespace scalestudy
