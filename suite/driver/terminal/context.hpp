#pragma once
/// What every command works with: the options that all of them understand, and where it writes.

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "core/log.hpp"

namespace scalestudy {

/// Options that every command understands.
struct CommonOptions {
  std::string environment;              ///< name or file; "" is this machine as it is
  std::string launcher;                 ///< "" leaves the environment's choice
  std::vector<std::string> overrides;   ///< --set path.to.key=value
  std::vector<std::string> injections;  ///< --inject FAULT; none leaves the study's
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
  std::istream* in = nullptr;  ///< of somebody who can answer questions; null: nobody

  [[nodiscard]] Verbosity verbosity() const;
  [[nodiscard]] bool color() const;  ///< whether `out` may be coloured
};

}  // namespace scalestudy
