#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/environment.hpp"
#include "study/fields.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

void visit_environment(FieldVisitor& v, Environment& environment) {
  v.field("name", environment.name, {.unit = "1", .description = "Name, as its folder"});
  v.field("description", environment.description, {.unit = "1", .description = "In words"});
  v.field("launcher", environment.launcher, {.unit = "1", .description = "How ranks are started"});
  v.field("device", environment.device,
          {.unit = "1", .description = "What computes; empty leaves the study's choice"});
}

// Names of variables are free, so they are no fields.
void read_variables(Environment& environment, const json& object, const std::string& path) {
  const auto refuse = [&](const std::string& place) {
    throw BadInput({cat(place, " is not a text"), "variables are exported to every rank",
                    "Write {\"NAME\": \"value\"}"});
  };
  if (!object.is_object()) refuse(path);
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) refuse(json_path_of(path, name));
    if (name.empty() || name.find('=') != std::string::npos) {
      throw BadInput({cat(path, ": '", name, "' is no name of a variable"),
                      "it would not reach the ranks", "Use letters, digits and _"});
    }
    if (is_set_by_launchers(name)) {
      throw BadInput({cat(json_path_of(path, name), " is set by the launcher of every run"),
                      "two values would contradict each other",
                      "Remove it; axes.ranks and settings.threads_per_rank decide"});
    }
    environment.variables[name] = value.get<std::string>();
  }
}

}  // namespace

Environment read_environment(const std::filesystem::path& file, LauncherDescriptors launchers) {
  auto object = read_json_file(file);
  const auto root = file.filename().string() + ": ";
  Environment environment;
  if (object.is_object() && object.contains("variables")) {
    read_variables(environment, object["variables"], root + "variables");
    object["variables"] = json::object();
  }
  read_fields(object, root, [&](FieldVisitor& v) {
    visit_environment(v, environment);
    v.group("variables", "", [](FieldVisitor&) {});
  });
  static_cast<void>(find_launcher(launchers, environment.launcher, root + "launcher"));
  return environment;
}

json environment_schema(LauncherDescriptors launchers) {
  Environment environment;
  auto schema = schema_of_fields([&](FieldVisitor& v) { visit_environment(v, environment); });
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "scalestudy environment";
  schema["properties"]["launcher"]["enum"] = names_of(launchers);
  schema["properties"]["variables"] = {{"type", "object"},
                                       {"additionalProperties", {{"type", "string"}}},
                                       {"default", json::object()},
                                       {"unit", "1"},
                                       {"description", "Exported to every rank"}};
  return schema;
}

}  // namespace scalestudy
