#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/own_settings_json.hpp"

#include "workloads/replay/profile.hpp"

namespace scalestudy::replay {
namespace {

using nlohmann::json;

constexpr const char* profile_format = "scalestudy-profile";
constexpr std::int64_t profile_schema_version = 1;
constexpr std::size_t most_gradients = 100'000;
constexpr std::int64_t replayed_element_bytes = 4;
constexpr const char* advice =
    "Record it with scalestudy profile or workloads/replay/record_profile.py; scalestudy schema "
    "profile says what it holds";

void visit_origin(FieldVisitor& v, ProfileOrigin& origin) {
  const auto text = [&](std::string_view name, auto& value, std::string_view description) {
    v.field(name, value, {.unit = "1", .description = description});
  };
  text("network", origin.network, "What was trained");
  text("recorded_by", origin.recorded_by, "What made the profile");
  text("library", origin.library, "What computed, with its version");
  text("device", origin.device, "Model of the processor or GPU");
  v.field("threads", origin.threads,
          {.unit = "threads", .description = "Compute threads of the rank", .minimum = 1});
  text("precision", origin.precision, "Arithmetic of both passes");
  text("memory_format", origin.memory_format, "Layout of image tensors");
  v.field("steps", origin.steps,
          {.unit = "steps", .description = "Steps that the medians are over", .minimum = 0});
  text("date", origin.date, "When it was recorded");
}

void visit_times(FieldVisitor& v, Profile& profile) {
  const auto time = [&](std::string_view name, double& value, std::string_view description) {
    v.field(name, value,
            {.unit = "s", .description = description, .minimum = 0, .maximum = most_us * 1e-6});
  };
  time("forward_s", profile.forward_s,
       "Forward pass and loss, with bringing the batch to the device");
  time("backward_s", profile.backward_s, "Backward pass");
  time("optimizer_s", profile.optimizer_s, "Update of the parameters");
  time("input_s", profile.input_s, "Making a batch");
  time("evaluation_s", profile.evaluation_s, "One evaluation on the validation set");
  time("checkpoint_s", profile.checkpoint_s, "What an epoch spends in writing weights");
  time("first_step_s", profile.first_step_s, "What the first step takes longer than others");
}

void visit_gradient(FieldVisitor& v, ProfiledGradient& gradient) {
  v.field("name", gradient.name, {.unit = "1", .description = "Its parameter, or bucket"});
  v.field("element_count", gradient.element_count,
          {.unit = "1",
           .description = "Elements of the gradient",
           .minimum = 1,
           .maximum = most_layer_parameters});
  v.field("ready_s", gradient.ready_s,
          {.unit = "s",
           .description = "From the begin of the backward pass until it is there",
           .minimum = 0,
           .maximum = most_us * 1e-6});
}

/// All but the format's name and version, and the list of gradients.
void visit(FieldVisitor& v, Profile& profile) {
  v.group("origin", "Where it comes from, for people",
          [&](FieldVisitor& w) { visit_origin(w, profile.origin); });
  v.field("local_batch_size", profile.local_batch_size,
          {.unit = "samples",
           .description = "Samples of the batch that the times are for",
           .minimum = 1,
           .maximum = 1e9});
  v.field("element_bytes", profile.element_bytes,
          {.unit = "bytes", .description = "An element of a gradient", .minimum = 1, .maximum = 8});
  visit_times(v, profile);
  v.field("step_noise_frac", profile.step_noise_frac,
          {.unit = "1",
           .description = "How both passes scatter from step to step: standard deviation ÷ median",
           .minimum = 0,
           .maximum = most_noise_frac});
}

/// Without them a replay would be of another network.
constexpr std::array required{"format",     "schema",      "local_batch_size", "forward_s",
                              "backward_s", "optimizer_s", "parameters"};

[[noreturn]] void refuse(const std::string& problem, const std::string& why) {
  throw BadInput({problem, why, advice});
}

void require_format(const json& object, const std::string& root) {
  if (!object.is_object() || !object.contains("format") || object["format"] != profile_format)
    refuse(cat(root, "format is not \"", profile_format, "\""), "it is no profile of a network");
  if (!object.contains("schema") || object["schema"] != profile_schema_version)
    refuse(cat(root, "schema is not ", profile_schema_version),
           "this version reads no other layout");
  for (const auto* key : required)
    if (!object.contains(key))
      refuse(cat(json_path_of(root, key), " is missing"), "a replay needs it");
}

std::vector<ProfiledGradient> gradients_from(const json& list, const std::string& path) {
  if (!list.is_array() || list.empty() || list.size() > most_gradients)
    refuse(cat(path, " is no list of 1 to ", most_gradients, " gradients"),
           "a replay announces and reduces them");
  std::vector<ProfiledGradient> gradients;
  for (const auto& entry : list) {
    const auto place = cat(path, "[", gradients.size(), "]");
    const double before_s = gradients.empty() ? 0 : gradients.back().ready_s;
    auto& gradient = gradients.emplace_back();
    read_fields(entry, place, [&](FieldVisitor& v) { visit_gradient(v, gradient); });
    for (const auto* key : {"element_count", "ready_s"})
      if (!entry.contains(key))
        refuse(cat(place, ".", key, " is missing"), "a replay announces and reduces it");
    if (gradient.ready_s < before_s)
      refuse(cat(place, ".ready_s is before that of the gradient before it"),
             "they stand in the order in which they become ready");
  }
  return gradients;
}

std::int64_t whole_us(double time_s) {
  return std::llround(time_s * 1e6);
}

/// Elements of the size that a replay exchanges, as many bytes.
std::int64_t replayed_elements(std::int64_t count, std::int64_t element_bytes) {
  return (count * element_bytes + replayed_element_bytes - 1) / replayed_element_bytes;
}

}  // namespace

Profile read_profile(const std::filesystem::path& file) {
  auto object = read_json_file(file);
  const auto root = file.filename().string() + ": ";
  require_format(object, root);
  Profile profile;
  profile.gradients = gradients_from(object["parameters"], root + "parameters");
  for (const auto* key : {"format", "schema", "parameters"}) object.erase(key);
  read_fields(object, root, [&](FieldVisitor& v) { visit(v, profile); });
  if (profile.gradients.back().ready_s > profile.backward_s)
    refuse(cat(root, "backward_s is less than the last ready_s"),
           "a backward pass ends no earlier than its last gradient is there");
  return profile;
}

std::string to_json_text(const Profile& profile) {
  Profile written = profile;
  auto object = write_fields([&](FieldVisitor& v) { visit(v, written); });
  object["format"] = profile_format;
  object["schema"] = profile_schema_version;
  auto& list = object["parameters"] = json::array();
  for (auto& gradient : written.gradients)
    list.push_back(write_fields([&](FieldVisitor& v) { visit_gradient(v, gradient); }));
  return json_text_of(object);
}

json profile_schema() {
  Profile profile;
  auto schema = schema_of_fields([&](FieldVisitor& v) { visit(v, profile); });
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "scalestudy profile: what the steps of a training take";
  schema["required"] = required;
  ProfiledGradient gradient;
  auto items = schema_of_fields([&](FieldVisitor& v) { visit_gradient(v, gradient); });
  items["required"] = {"element_count", "ready_s"};
  auto& properties = schema["properties"];
  properties["format"] = {{"const", profile_format}};
  properties["schema"] = {{"const", profile_schema_version}};
  properties["parameters"] = {{"type", "array"},
                              {"description", "Gradients in the order in which they become ready"},
                              {"minItems", 1},
                              {"maxItems", most_gradients},
                              {"items", std::move(items)}};
  return schema;
}

Settings settings_of(const Profile& profile) {
  Settings settings;
  settings.timed_batch_size = profile.local_batch_size;
  settings.layer_forward_us = {whole_us(profile.forward_s)};
  settings.layer_backward_us.clear();
  settings.layer_parameters.clear();
  std::int64_t before_us = 0;
  for (const auto& gradient : profile.gradients) {
    const bool is_last = &gradient == &profile.gradients.back();
    const auto ready_us = whole_us(is_last ? profile.backward_s : gradient.ready_s);
    settings.layer_backward_us.push_back(ready_us - before_us);
    settings.layer_parameters.push_back(
        replayed_elements(gradient.element_count, profile.element_bytes));
    before_us = ready_us;
  }
  // The gradient of the last layer is the first one.
  std::ranges::reverse(settings.layer_backward_us);
  std::ranges::reverse(settings.layer_parameters);
  settings.optimizer_us = whole_us(profile.optimizer_s);
  settings.input_us = whole_us(profile.input_s);
  settings.evaluation_us = whole_us(profile.evaluation_s);
  settings.checkpoint_us = whole_us(profile.checkpoint_s);
  settings.first_step_us = whole_us(profile.first_step_s);
  settings.noise_frac = profile.step_noise_frac;
  return settings;
}

std::string complete_settings(const json& own_settings, const std::string& json_path) {
  auto complete = OwnSettings<Settings>::complete(own_settings, json_path);
  if (settings_from_json_text(complete).profile.empty()) return complete;
  for (const auto* name :
       {"layer_forward_us", "layer_backward_us", "layer_parameters", "timed_batch_size"})
    if (own_settings.contains(name))
      throw BadInput({cat(json_path_of(json_path, name), " is given beside ",
                          json_path_of(json_path, "profile")),
                      "both say what the layers are", "Leave one of them out"});
  auto given = own_settings;
  given["layer_parameters"] = json::array();  // not replayed before the file is read
  return given.dump();
}

std::string settings_with_profile(const std::string& settings, const FindFile& find) {
  const auto name = settings_from_json_text(settings).profile;
  if (name.empty()) return settings;
  auto given = json::parse(settings);
  given.erase("layer_parameters");
  auto replayed = settings_of(read_profile(find(name)));
  return completed_fields(given, "settings", [&](FieldVisitor& v) { visit(v, replayed); });
}

}  // namespace scalestudy::replay
