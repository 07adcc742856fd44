#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/study.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using Workloads = std::span<const WorkloadDescriptor* const>;

void visit_axes(FieldVisitor& v, Axes& axes) {
  v.field("ranks", axes.ranks,
          {.unit = "ranks",
           .description = "Numbers of ranks to train with; all are compared with 1",
           .minimum = 1,
           .maximum = max_ranks});
  for_each_axis(axes, [&](const AxisInfo& axis, auto& values, const auto&) {
    v.field(axis.name, values,
            {.unit = axis.unit,
             .description = axis.description,
             .minimum = axis.minimum,
             .maximum = axis.maximum});
  });
}

/// Everything of a study file but "settings", which the workload shares.
void visit_study(FieldVisitor& v, Study& study) {
  v.field("schema", study.schema,
          {.unit = "1", .description = "Version of the study format", .minimum = 1, .maximum = 1});
  v.field("workload", study.workload, {.unit = "1", .description = "What is trained"});
  v.field("description", study.description, {.unit = "1", .description = "In words, for reports"});
  v.group("data", "Training data", [&](FieldVisitor& w) { visit(w, study.data); });
  visit(v, study.injections);
  v.group("axes", "What is varied; every combination is run",
          [&](FieldVisitor& w) { visit_axes(w, study.axes); });
  v.field("repeats", study.repeats,
          {.unit = "runs",
           .description = "Runs of every combination, each with its own seed; one of each is a "
                          "block, done in random order",
           .minimum = 1,
           .maximum = max_ranks});
  v.field("comparison", study.comparison,
          {.unit = "1",
           .description = "How runs of two rank counts, or with and without a control arm's "
                          "cause, are compared: decides the intervals"});
  v.group("quality", "What is asked of the models, declared before any is trained",
          [&](FieldVisitor& w) { visit(w, study.quality); });
  v.field(
      "control_arms", study.control_arms,
      {.unit = "1",
       .description = "Further runs, for their times only, each without one cause of lost time"});
  v.field(
      "fair_base", study.fair_base,
      {.unit = "1",
       .description = "Further runs of one rank with as many compute threads as the most ranks "
                      "have together, at most one a core: what the same cores do in one process"});
}

/// What is no JSON is a text: names and paths need no quotes.
json parse_value(const std::string& path, const std::string& text) {
  if (nesting_of_json(text) > most_json_nesting) return text;
  try {
    return json::parse(text);
  } catch (const json::parse_error&) {
    return text;
  } catch (const json::out_of_range& error) {
    throw BadInput({cat("--set ", path, ": ", shortened(words_of(error), 80)),
                    "no number is as large", "Give a smaller one"});
  }
}

/// Names and paths may hold any bytes, JSON may not.
void require_utf8(const std::string& text, const std::string& place) {
  const auto valid = json(text).dump(-1, ' ', false, json::error_handler_t::ignore);
  if (json::parse(valid) == text) return;
  throw BadInput({cat(place, ": '", text, "' is not UTF-8"), "studies and runs are kept as JSON",
                  "Rename it with letters that are UTF-8"});
}

// A path typed at the prompt is meant from where the user stands; a profile may be a name, too.
json from_working_folder(const std::string& path, const json& value) {
  const bool is_profile = path == "settings.profile";
  if (path != "data.path" && path != "data.reference_path" && !is_profile) return value;
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return value;
  if (is_profile && !std::filesystem::is_regular_file(value.get_ref<const std::string&>()))
    return value;
  const auto whole = std::filesystem::absolute(value.get<std::string>()).lexically_normal();
  require_utf8(whole.string(), path);
  return whole.string();
}

/// An object sets what it names and leaves the rest of the study's.
void set_value(json& place, const std::string& path, const json& value) {
  if (!value.is_object()) {
    place = from_working_folder(path, value);
    return;
  }
  if (!place.is_object()) place = json::object();
  for (const auto& [key, inner] : value.items()) set_value(place[key], cat(path, ".", key), inner);
}

void apply_override(json& object, const std::string& assignment) {
  require_utf8(assignment, "--set");
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw BadInput({cat("--set ", assignment, ": no value"), "a path and a value are needed",
                    "Write --set settings.epochs=3"});
  }
  const auto path = assignment.substr(0, equals);
  json *place = &object, *holder = nullptr;
  const auto keys = split(path, '.');
  for (const auto& key : keys) {
    if (place->is_null()) *place = json::object();
    if (!place->is_object() || key.empty()) {
      throw BadInput({cat("--set ", assignment, ": ", path, " is no path to a setting"),
                      "keys are joined by points, and only objects have keys",
                      "See scalestudy schema study"});
    }
    holder = place;
    place = &(*place)[key];
  }
  const auto value = parse_value(path, assignment.substr(equals + 1));
  if (!value.is_null()) return set_value(*place, path, value);
  if (place->is_null())
    throw BadInput({cat("--set ", assignment, ": the study has no ", path),
                    "null takes out what a study gives", "Check the path, or leave this out"});
  holder->erase(keys.back());
}

void require(const json& object, const char* key, const std::string& root) {
  if (object.is_object() && !object.contains(key)) {
    throw BadInput({cat(json_path_of(root, key), " is missing"), "every study must say it",
                    cat("Add \"", key, "\"; see scalestudy schema study")});
  }
}

const WorkloadDescriptor& find_workload(Workloads workloads,
                                        const std::string& name,
                                        const std::string& json_path) {
  std::vector<std::string> names;
  for (const auto* workload : workloads) {
    if (workload->name == name) return *workload;
    names.emplace_back(workload->name);
  }
  refuse_unknown(json_path, "workload", name, names);
}

/// People who know a setting's name need not know where a study file has it.
void refuse_misplaced(const json& object, Workloads workloads, const std::string& root) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    const auto place = place_of_setting(key, workloads);
    if (!place.empty())
      throw BadInput({cat(json_path_of(root, key), ": unknown key"),
                      "a setting given is applied or refused, never ignored",
                      cat("Perhaps '", place, "' is meant")});
  }
}

bool has_meaning_without_training(std::string_view name) {
  return std::ranges::find(settings_without_training, name) != settings_without_training.end();
}

/// What a study of a workload that trains nothing must not ask for, wherever it stands.
void refuse_training(const json& object,
                     const json& settings,
                     const WorkloadDescriptor& workload,
                     const std::string& root) {
  if (workload.trains) return;
  const auto refuse = [&](const std::string& place) {
    throw BadInput({cat(root, place, " has no meaning for ", workload.name),
                    "it trains nothing, and a setting given is applied or refused, never ignored",
                    "Remove it"});
  };
  for (const auto* key : {"data", "comparison", "quality", "control_arms", "fair_base"})
    if (object.contains(key)) refuse(key);
  if (object.contains("axes") && object["axes"].is_object())
    for (const auto& [name, values] : object["axes"].items())
      if (name != "ranks") refuse("axes." + name);
  CommonSettings common;
  for (const auto& name : field_names([&](FieldVisitor& v) { visit(v, common); }))
    if (settings.contains(name) && !has_meaning_without_training(name)) refuse("settings." + name);
}

void add_paths(const json& object, const std::string& path, std::vector<std::string>& paths) {
  for (const auto& [key, value] : object.items()) {
    const auto inner = path.empty() ? key : cat(path, ".", key);
    if (value.is_object())
      add_paths(value, inner, paths);
    else
      paths.push_back(inner);
  }
}

// Common and own settings stand side by side; each key belongs to one of them.
void read_settings(Study& study,
                   const json& settings,
                   const WorkloadDescriptor& workload,
                   const std::string& path) {
  const auto own_names = workload.setting_names();
  auto own = json::object();
  auto common = settings;
  for (const auto& name : own_names) {
    if (!common.is_object() || !common.contains(name)) continue;
    own[name] = common[name];
    common.erase(name);
  }
  const FieldWalk walk = [&](FieldVisitor& v) { visit(v, study.settings); };
  const auto common_names = field_names(walk);
  for (const auto& [key, value] : common.items()) {
    if (!common.is_object() ||
        std::find(common_names.begin(), common_names.end(), key) != common_names.end()) {
      continue;
    }
    refuse_misplaced({{key, value}}, std::array{&workload}, path);
    auto names = common_names;
    names.insert(names.end(), own_names.begin(), own_names.end());
    const auto near = nearest(key, names);
    throw BadInput({cat(json_path_of(path, key), ": unknown key"),
                    cat("neither all workloads nor ", study.workload, " have it"),
                    near.empty() ? cat("Known keys are ", join(names, ", "))
                                 : cat("Perhaps '", near, "' is meant")});
  }
  read_fields(common, path, walk);
  study.workload_settings = workload.complete_settings(own, path);
  add_paths(settings, "", study.given_settings);
}

template <class Value>
void expect_entries(const std::vector<Value>& values, const std::string& json_path) {
  if (values.empty()) {
    throw BadInput({cat(json_path, " is empty"), "nothing would be run", "Name at least one"});
  }
  std::set<Value> seen;
  for (const auto& value : values) {
    if (seen.insert(value).second) continue;
    throw BadInput({cat(json_path, " lists ", value, " twice"), "a run would be made twice",
                    "Remove one, or raise \"repeats\""});
  }
}

void check_axes(const Study& study, const std::string& root) {
  expect_entries(study.axes.ranks, root + "axes.ranks");
  for_each_axis(study.axes, [&](const AxisInfo& axis, const auto& values, const auto&) {
    if (!axis.may_be_empty || !values.empty())
      expect_entries(values, cat(root, "axes.", axis.name));
  });
  if (!study.control_arms.empty()) expect_entries(study.control_arms, root + "control_arms");
}

/// Of pixels or samples; a loss and decibels have no bound.
bool is_share(const std::string& metric) {
  return metric != "loss" && !metric.ends_with("_db");
}

/// A goal given is one that can be judged.
void check_quality(const Study& study,
                   const WorkloadDescriptor& workload,
                   const std::string& root) {
  const auto& [metric, target, margin] = study.quality;
  const std::vector<std::string> known(workload.quality_metrics.begin(),
                                       workload.quality_metrics.end());
  if (metric.empty()) {
    if (target == 0 && margin == 0) return;
    throw BadInput({cat(root, "quality.metric is missing"), "a target or margin is one of a metric",
                    cat("Name one of ", study.workload, ": ", join(known, ", "))});
  }
  if (std::find(known.begin(), known.end(), metric) == known.end())
    refuse_unknown(root + "quality.metric", "metric", metric, known);
  if (is_share(metric) && std::max(target, margin) >= 1)
    throw BadInput(
        {cat(root, "quality.", target >= 1 ? "target" : "margin", " is ", std::max(target, margin)),
         cat(metric, " is a share: at most 1"), "Give a number below 1, e.g. 0.8"});
}

std::string against_study_folder(const std::string& path, const std::filesystem::path& file) {
  if (path.empty()) return path;
  return (std::filesystem::absolute(file).parent_path() / path).lexically_normal().string();
}

json settings_schema(const WorkloadDescriptor& workload) {
  CommonSettings settings;
  auto schema = schema_of_fields([&](FieldVisitor& v) { visit(v, settings); });
  if (!workload.trains)
    std::erase_if(schema["properties"].get_ref<json::object_t&>(), [](const auto& property) {
      return !has_meaning_without_training(property.first);
    });
  const auto own = workload.settings_schema();
  for (const auto& [name, property] : own.at("properties").items()) {
    schema["properties"][name] = property;
  }
  return schema;
}

/// The path that ends so in fewest steps, below "/settings" rather than "/axes"; "" where several
/// groups have such a one ("name").
std::string shallowest(const FieldWords& words, const std::string& ending) {
  std::string found;
  std::ptrdiff_t fewest = std::numeric_limits<std::ptrdiff_t>::max();
  for (const auto& [path, meaning] : words) {
    const auto steps = std::count(path.begin(), path.end(), '/');
    if (!path.ends_with(ending) || steps > fewest) continue;
    const bool is_ambiguous = steps == fewest && steps > 2;
    found = is_ambiguous ? "" : path;
    fewest = steps;
  }
  return found;
}

}  // namespace

std::string place_of_setting(const std::string& name, Workloads workloads) {
  Study study;
  auto words = words_of_schema(schema_of_fields([&](FieldVisitor& v) { visit_study(v, study); }));
  if (words.contains("/" + name)) return "";
  for (const auto* workload : workloads)
    for (const auto& [path, meaning] : words_of_schema(settings_schema(*workload)))
      words["/settings" + path] = meaning;
  const auto found = shallowest(words, "/" + name);
  return found.empty() ? "" : join(split(found.substr(1), '/'), ".");
}

/// A description that --set may have made untrue says what was changed.
void describe_changes(json& object, const std::vector<std::string>& overrides) {
  if (overrides.empty() || !object.is_object()) return;
  const auto description = object.find("description");
  if (description == object.end() || !description->is_string() ||
      description->get_ref<const std::string&>().empty())
    return;
  *description =
      cat(description->get<std::string>(), " (changed by --set ", join(overrides, ", "), ")");
}

Study read_study(const std::filesystem::path& file,
                 const std::vector<std::string>& overrides,
                 Workloads workloads) {
  require_utf8(std::filesystem::absolute(file).string(), "study file");  // data lie beside it
  auto object = read_json_file(file);
  const auto root = file.filename().string() + ": ";
  for (const auto& assignment : overrides) apply_override(object, assignment);
  describe_changes(object, overrides);
  refuse_misplaced(object, workloads, root);
  Study study;
  study.name = file.stem().string();
  study.file = file;
  study.requested = object.dump(2);
  if (study.requested.size() > most_settings_bytes)
    throw BadInput({cat(root, "it has ", study.requested.size(), " bytes"),
                    cat("every run file keeps it, but no more than ", most_settings_bytes),
                    "Give shorter lists, or a file that settings can name"});
  require(object, "schema", root);
  require(object, "workload", root);
  auto settings = json::object();
  if (object.is_object() && object.contains("settings")) {
    settings = object["settings"];
    object.erase("settings");
  }
  read_fields(object, root, [&](FieldVisitor& v) {
    visit_study(v, study);
    v.group("settings", "", [](FieldVisitor&) {});  // taken out above
  });
  const auto& workload = find_workload(workloads, study.workload, root + "workload");
  refuse_training(object, settings, workload, root);
  read_settings(study, settings, workload, root + "settings");
  check_axes(study, root);
  check_quality(study, workload, root);
  study.data.path = against_study_folder(study.data.path, file);
  study.data.reference_path = against_study_folder(study.data.reference_path, file);
  return study;
}

WorkloadWords words_of_workloads(Workloads workloads) {
  WorkloadWords words;
  for (const auto* workload : workloads)
    words[std::string(workload->name)] = words_of_schema(workload->settings_schema());
  return words;
}

json study_schema(Workloads workloads) {
  Study study;
  auto schema = schema_of_fields([&](FieldVisitor& v) { visit_study(v, study); });
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "scalestudy study";
  schema["required"] = {"schema", "workload"};
  auto& properties = schema["properties"];
  properties["settings"] = {{"type", "object"}, {"description", "Settings of the training"}};
  auto& names = properties["workload"]["enum"] = json::array();
  auto& cases = schema["allOf"] = json::array();
  for (const auto* workload : workloads) {
    names.push_back(workload->name);
    cases.push_back({{"if", {{"properties", {{"workload", {{"const", workload->name}}}}}}},
                     {"then", {{"properties", {{"settings", settings_schema(*workload)}}}}}});
  }
  properties["workload"].erase("default");
  return schema;
}

}  // namespace scalestudy
