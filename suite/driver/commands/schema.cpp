/// scalestudy schema study|environment|profile: the JSON Schema of an input file.

#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "study/environment.hpp"
#include "study/study.hpp"

#include "driver/commands/command.hpp"
#include "launchers/launcher.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/replay/profile.hpp"

namespace scalestudy {
namespace {

nlohmann::json schema_of(const std::string& kind) {
  if (kind == "study") return study_schema(workload_catalogue());
  if (kind == "environment") return environment_schema(launcher_descriptors());
  if (kind == "profile") return replay::profile_schema();
  throw BadInput({cat("There is no schema '", kind, "'"),
                  "schemas describe the files study, environment and profile",
                  did_you_mean(kind, {"study", "environment", "profile"}, "Use one of them")});
}

Action define(CLI::App& app) {
  const auto kind = std::make_shared<std::string>();
  app.add_option("KIND", *kind, "study, environment, profile")->required();
  return [kind](Context& context) {
    context.out << schema_of(*kind).dump(2) << '\n';
    return ExitCode::done;
  };
}

}  // namespace

extern const Command schema_command;
const Command schema_command{"schema",
                             "Print the JSON Schema of a study, environment or profile file",
                             "scalestudy schema study > study.schema.json", define};

}  // namespace scalestudy
