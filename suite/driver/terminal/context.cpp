#include "driver/terminal/context.hpp"

namespace scalestudy {

Verbosity Context::verbosity() const {
  if (options.quiet) return Verbosity::quiet;
  return options.verbose ? Verbosity::verbose : Verbosity::normal;
}

bool Context::color() const {
  return out_is_terminal && !options.no_color;
}

}  // namespace scalestudy
