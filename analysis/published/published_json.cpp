#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "study/fields.hpp"

#include "analysis/published/published.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* format_name = "scalestudy published study";
constexpr std::int64_t format_version = 1;
constexpr const char* label_name = "external";
constexpr const char* advice =
    "See `scalestudy schema published`, or import it again with `scalestudy import`";
constexpr std::size_t most_arms = 64;
constexpr std::size_t most_runs = 10'000;
constexpr std::size_t most_text_bytes = 1'000;
constexpr double most_ranks = 1e6;

/// What a file must have besides the format: the rest may be unknown.
constexpr std::array required{"format", "schema",     "label",    "name",
                              "title",  "repository", "workload", "arms"};

[[noreturn]] void refuse(const std::string& problem, const std::string& why) {
  throw BadInput({problem, why, advice});
}

void visit_run(FieldVisitor& v, PublishedRun& run) {
  v.field("ranks", run.ranks,
          {.unit = "1", .description = "Number of ranks", .minimum = 1, .maximum = most_ranks});
  v.field("platform", run.platform, {.unit = "1", .description = "Name of the machine"});
  v.field("outcome", run.outcome, {.unit = "1", .description = "How it ended"});
  for (const PublishedField& field : published_fields())
    v.field(field.name, run.*field.member,
            {.unit = field.unit,
             .description = field.description,
             .minimum = field.may_be_zero ? -most_of_anything : above_zero,
             .maximum = most_of_anything});
}

/// All but the list of runs.
void visit_arm(FieldVisitor& v, PublishedArm& arm) {
  v.field("name", arm.name, {.unit = "1", .description = "What tells it from the other arms"});
  v.field("device", arm.device, {.unit = "1", .description = "What a rank computed on"});
  v.field("precision", arm.precision, {.unit = "1", .description = "As the source calls it"});
  v.field("scaling_rule", arm.scaling_rule,
          {.unit = "1", .description = "What became of the training with more ranks"});
  v.field("quality_metric", arm.quality_metric, {.unit = "1", .description = "What quality is"});
  v.field("reading_error_frac", arm.reading_error_frac,
          {.unit = "1",
           .description = "± of relative times that were read off a figure",
           .minimum = 0,
           .maximum = 0.5});
  v.field("remark", arm.remark, {.unit = "1", .description = "What else is to be known of it"});
  v.field("computed", arm.computed,
          {.unit = "1", .description = "Numbers of its runs that the source does not state"});
}

/// All but the format and the list of arms.
void visit_study(FieldVisitor& v, PublishedStudy& study) {
  v.field("name", study.name, {.unit = "1", .description = "Part of file names: a-z, 0-9 and -"});
  v.field("title", study.title, {.unit = "1", .description = "What was compared, for people"});
  v.field("repository", study.repository,
          {.unit = "1", .description = "Where it is published: repository or address"});
  v.field("commit", study.commit, {.unit = "1", .description = "Which version of it"});
  v.field("workload", study.workload, {.unit = "1", .description = "What was trained"});
  v.field("sample_noun", study.sample_noun,
          {.unit = "1", .description = "What is counted as samples: images, patches"});
  v.field("remark", study.remark, {.unit = "1", .description = "What else is to be known of it"});
}

/// Texts of others reach terminals and pages.
void require_plain(const std::string& text, const std::string& place) {
  if (text.size() > most_text_bytes)
    refuse(cat(place, " is longer than ", most_text_bytes, " bytes"), "it is a name or a remark");
  if (one_line(text) != text)
    refuse(cat(place, " holds control characters, or bytes that are not UTF-8"),
           "it is shown on terminals and pages");
}

void require_said(const std::string& text, const std::string& place) {
  if (text.empty()) refuse(cat(place, " is empty"), "a number without it says nothing");
}

void require_texts(const PublishedStudy& study, const std::string& root) {
  const std::array texts{std::pair{"name", &study.name},
                         std::pair{"title", &study.title},
                         std::pair{"repository", &study.repository},
                         std::pair{"workload", &study.workload},
                         std::pair{"sample_noun", &study.sample_noun},
                         std::pair{"commit", &study.commit},
                         std::pair{"remark", &study.remark}};
  for (const auto& [name, text] : texts) {
    require_plain(*text, json_path_of(root, name));
    const bool may_be_empty = text == &study.commit || text == &study.remark;
    if (!may_be_empty) require_said(*text, json_path_of(root, name));
  }
  if (published_name_from(study.name) != study.name)
    refuse(cat(json_path_of(root, "name"), " = '", study.name, "' is no name of a file"),
           "figures and tables are named by it: a-z, 0-9 and -, at most 80");
}

void require_shares(const PublishedArm& arm, const std::string& place) {
  constexpr std::array<std::string_view, 4> shares{"iou", "dice", "accuracy", "mAP"};
  if (std::ranges::find(shares, arm.quality_metric) == shares.end()) return;
  for (std::size_t i = 0; i < arm.runs.size(); ++i)
    if (arm.runs[i].quality < 0 || arm.runs[i].quality > 1)
      refuse(cat(place, ".runs[", i, "].quality = ", arm.runs[i].quality, " is not from 0 to 1"),
             cat(arm.quality_metric, " is a share: percentages are divided by 100"));
}

void require_arm(const PublishedArm& arm, const std::string& place) {
  require_shares(arm, place);
  require_said(arm.name, place + ".name");
  for (const auto* text :
       {&arm.name, &arm.device, &arm.precision, &arm.quality_metric, &arm.remark})
    require_plain(*text, place);
  for (const auto& name : arm.computed)
    if (std::ranges::none_of(published_fields(), [&](const auto& f) { return f.name == name; }))
      refuse(cat(place, ".computed names '", one_line(shortened(name, 80)), "'"),
             "runs have no such number");
}

void require_distinct_arms(const std::vector<PublishedArm>& arms, const std::string& place) {
  std::set<std::string> names;
  for (const auto& arm : arms)
    if (!names.insert(arm.name).second)
      refuse(cat(place, ": two arms are called '", arm.name, "'"), "nobody could tell them apart");
}

const json& list_at(const json& object,
                    const char* key,
                    const std::string& place,
                    std::size_t most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() || found->empty() || found->size() > most)
    refuse(cat(place, ".", key, " is no list of 1 to ", most), "the published numbers stand in it");
  return *found;
}

PublishedRun run_from(const json& entry, const std::string& place) {
  PublishedRun run;
  read_fields(entry, place, [&](FieldVisitor& v) { visit_run(v, run); });
  if (!entry.contains("ranks"))
    refuse(cat(place, ".ranks is missing"), "a point has its place by it");
  require_plain(run.platform, place + ".platform");
  return run;
}

PublishedArm arm_from(json entry, const std::string& place) {
  PublishedArm arm;
  if (!entry.is_object()) refuse(cat(place, " is no object"), "an arm's facts stand in it");
  for (const auto& run : list_at(entry, "runs", place, most_runs))
    arm.runs.push_back(run_from(run, cat(place, ".runs[", arm.runs.size(), "]")));
  entry.erase("runs");
  read_fields(entry, place, [&](FieldVisitor& v) { visit_arm(v, arm); });
  require_arm(arm, place);
  return arm;
}

void require_format(const json& object, const std::string& root) {
  if (!object.is_object() || object.value("format", json()) != format_name)
    refuse(cat(root, "format is not \"", format_name, "\""), "it is no published study");
  if (object.value("schema", json()) != format_version)
    refuse(cat(root, "schema is not ", format_version), "this version reads no other layout");
  if (object.value("label", json()) != label_name)
    refuse(cat(root, "label is not \"", label_name, "\""),
           "what was not measured here says so wherever it stands");
  for (const auto* key : required)
    if (!object.contains(key))
      refuse(cat(root, key, " is missing"), "a published number without it says nothing");
}

PublishedStudy study_from(json object, const std::string& root) {
  require_format(object, root);
  PublishedStudy study;
  for (const auto& arm : list_at(object, "arms", root, most_arms))
    study.arms.push_back(arm_from(arm, cat(root, "arms[", study.arms.size(), "]")));
  for (const auto* key : {"format", "schema", "label", "arms"}) object.erase(key);
  read_fields(object, root, [&](FieldVisitor& v) { visit_study(v, study); });
  require_texts(study, root);
  require_distinct_arms(study.arms, root + "arms");
  return study;
}

ordered_json json_of(const PublishedRun& run) {
  ordered_json object{{"ranks", run.ranks}};
  if (!run.platform.empty()) object["platform"] = run.platform;
  if (run.outcome != PublishedOutcome::complete) object["outcome"] = to_string(run.outcome);
  for (const PublishedField& field : published_fields()) {
    const double value = run.*field.member;
    if (!std::isfinite(value)) continue;
    const bool is_whole = value == std::floor(value) && std::abs(value) < 0x1p53;
    object[std::string(field.name)] =
        is_whole ? ordered_json(static_cast<std::int64_t>(value)) : ordered_json(value);
  }
  return object;
}

void add_text(ordered_json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

ordered_json json_of(const PublishedArm& arm) {
  ordered_json object{{"name", arm.name}};
  add_text(object, "device", arm.device);
  add_text(object, "precision", arm.precision);
  object["scaling_rule"] = to_string(arm.scaling_rule);
  add_text(object, "quality_metric", arm.quality_metric);
  if (arm.reading_error_frac > 0) object["reading_error_frac"] = arm.reading_error_frac;
  add_text(object, "remark", arm.remark);
  if (!arm.computed.empty()) object["computed"] = arm.computed;
  auto& runs = object["runs"] = ordered_json::array();
  for (const auto& run : arm.runs) runs.push_back(json_of(run));
  return object;
}

/// NaN stands for "not known" and is no default.
void erase_unknown_defaults(json& schema) {
  for (auto& [name, property] : schema["properties"].items())
    if (property.contains("default") && property["default"].is_number_float() &&
        !std::isfinite(property["default"].get<double>()))
      property.erase("default");
}

json list_schema(json items, const char* description, std::size_t most) {
  return {{"type", "array"},
          {"description", description},
          {"minItems", 1},
          {"maxItems", most},
          {"items", std::move(items)}};
}

}  // namespace

PublishedStudy read_published_study(const std::filesystem::path& file) {
  return study_from(read_json_file(file), one_line(file.filename().string()) + ": ");
}

ordered_json to_json(const PublishedStudy& study) {
  ordered_json object{{"format", format_name}, {"schema", format_version}, {"label", label_name}};
  object["name"] = study.name;
  object["title"] = study.title;
  object["repository"] = study.repository;
  add_text(object, "commit", study.commit);
  object["workload"] = study.workload;
  object["sample_noun"] = study.sample_noun;
  add_text(object, "remark", study.remark);
  auto& arms = object["arms"] = ordered_json::array();
  for (const auto& arm : study.arms) arms.push_back(json_of(arm));
  (void)study_from(json(object), study.name + ": ");
  return object;
}

json published_schema() {
  PublishedRun run;
  PublishedArm arm;
  PublishedStudy study;
  auto run_schema = schema_of_fields([&](FieldVisitor& v) { visit_run(v, run); });
  erase_unknown_defaults(run_schema);
  run_schema["required"] = {"ranks"};
  auto arm_schema = schema_of_fields([&](FieldVisitor& v) { visit_arm(v, arm); });
  arm_schema["required"] = {"name", "runs"};
  arm_schema["properties"]["runs"] = list_schema(
      std::move(run_schema), "Runs; several of one number of ranks are launches", most_runs);
  auto schema = schema_of_fields([&](FieldVisitor& v) { visit_study(v, study); });
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "scalestudy published study: what others published of runs";
  schema["required"] = required;
  auto& properties = schema["properties"];
  properties["format"] = {{"const", format_name}};
  properties["schema"] = {{"const", format_version}};
  properties["label"] = {{"const", label_name}};
  properties["arms"] = list_schema(std::move(arm_schema), "Curves", most_arms);
  return schema;
}

}  // namespace scalestudy
