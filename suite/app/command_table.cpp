#include <array>

#include "app/command.hpp"

namespace scalestudy {

extern const Command plan_command;
extern const Command report_command;
extern const Command run_command;
extern const Command status_command;

std::span<const Command> commands() {
  static const std::array table{plan_command, run_command, status_command, report_command};
  return table;
}

}  // namespace scalestudy
