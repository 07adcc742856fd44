#include <array>

#include "driver/commands/command.hpp"

namespace scalestudy {

extern const Command init_command;
extern const Command plan_command;
extern const Command floor_command;
extern const Command run_command;
extern const Command status_command;
extern const Command report_command;
extern const Command verify_command;
extern const Command predict_command;
extern const Command export_command;
extern const Command import_command;
extern const Command inspect_command;
extern const Command profile_command;
extern const Command data_command;
extern const Command list_command;
extern const Command schema_command;
extern const Command doctor_command;

std::span<const Command> commands() {
  static const std::array table{init_command,   plan_command,   floor_command,   run_command,
                                status_command, report_command, verify_command,  predict_command,
                                export_command, import_command, inspect_command, profile_command,
                                data_command,   list_command,   schema_command,  doctor_command};
  return table;
}

}  // namespace scalestudy
