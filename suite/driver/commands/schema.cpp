/// scalestudy schema study|environment|profile|claim|published|summary: the JSON Schema of a file.

#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "study/environment.hpp"
#include "study/study.hpp"

#include "analysis/claims/claim.hpp"
#include "analysis/published/published.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "driver/commands/command.hpp"
#include "launchers/launcher.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/replay/profile.hpp"

namespace scalestudy {
namespace schema_parts {

nlohmann::json schema_of(const std::string& kind) {
  if (kind == "study") return study_schema(workload_catalogue());
  if (kind == "environment") return environment_schema(launcher_descriptors());
  if (kind == "profile") return replay::profile_schema();
  if (kind == "claim") return claim_schema(workload_catalogue());
  if (kind == "published") return published_schema();
  if (kind == "summary") return summary_schema();
  throw BadInput(
      {cat("There is no schema '", kind, "'"),
       "schemas describe the files study, environment, profile, claim, published and summary",
       did_you_mean(kind, {"study", "environment", "profile", "claim", "published", "summary"},
                    "Use one of them")});
}

Action define(CLI::App& app) {
  const auto kind = std::make_shared<std::string>();
  app.add_option("KIND", *kind, "study, environment, profile, claim, published, summary")
      ->required();
  return [kind](Context& context) {
    context.out << schema_of(*kind).dump(2) << '\n';
    return ExitCode::done;
  };
}

}  // namespace schema_parts

extern const Command schema_command{"schema", "Print the JSON Schema of a kind of file",
                                    "scalestudy schema study > study.schema.json",
                                    schema_parts::define};

}  // namespace scalestudy
