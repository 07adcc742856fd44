#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

namespace scalestudy {

using nlohmann::json;

FieldVisitor::~FieldVisitor() = default;

namespace {

/// Limits that are whole numbers as such: 1000000000.
std::string number_text(double value) {
  const bool is_whole = std::abs(value) < 0x1p53 && value == std::floor(value);
  return is_whole ? cat(static_cast<std::int64_t>(value)) : cat(value);
}

std::string range_text(const FieldInfo& info) {
  auto least = info.minimum == above_zero ? std::string("above 0")
                                          : cat("at least ", number_text(info.minimum));
  if (std::isinf(info.maximum)) return least;
  if (std::isinf(info.minimum)) return cat("at most ", number_text(info.maximum));
  return cat(least, " and at most ", number_text(info.maximum));
}

// The whole file's path is "study.json: ".
std::string place_of(const std::string& json_path) {
  return json_path.ends_with(": ") ? json_path.substr(0, json_path.size() - 2) : json_path;
}

/// Reads one object; remembers which names it knows.
class Reader final : public FieldVisitor {
 public:
  Reader(const json& object, std::string json_path)
      : object_(object), json_path_(std::move(json_path)) {
    if (!object.is_object()) {
      throw BadInput({cat(place_of(json_path_), ": ", object.type_name(), " given, not an object"),
                      "its settings stand in it", "Write { \"name\": value }"});
    }
  }

  void field(std::string_view name, bool& value, const FieldInfo& info) override {
    const auto* given = find(name);
    if (given == nullptr) return;
    if (!given->is_boolean()) refuse_type(name, "true or false", info);
    value = given->get<bool>();
  }
  void field(std::string_view name, std::int64_t& value, const FieldInfo& info) override {
    if (const auto* given = find(name)) value = integer(name, *given, info);
  }
  void field(std::string_view name, double& value, const FieldInfo& info) override {
    const auto* given = find(name);
    if (given == nullptr) return;
    if (!given->is_number()) refuse_type(name, "a number", info);
    const auto number = given->get<double>();
    check_range(name, number, *given, info);
    value = number;
  }
  void field(std::string_view name, std::string& value, const FieldInfo& info) override {
    if (const auto* given = find(name)) value = text(name, *given, info);
  }
  void field(std::string_view name,
             std::vector<std::int64_t>& value,
             const FieldInfo& info) override {
    const auto* given = find_list(name, "a list of whole numbers", info);
    if (given == nullptr) return;
    value.clear();
    for (const auto& entry : *given) value.push_back(integer(name, entry, info));
  }
  void field(std::string_view name,
             std::vector<std::string>& value,
             const FieldInfo& info) override {
    const auto* given = find_list(name, "a list of texts", info);
    if (given == nullptr) return;
    value.clear();
    for (const auto& entry : *given) value.push_back(text(name, entry, info));
  }
  void group(std::string_view name,
             std::string_view,
             const std::function<void(FieldVisitor&)>& visit_members) override {
    if (const auto* given = find(name)) read_fields(*given, path(name), visit_members);
  }

  void refuse_unknown_keys() const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(names_.begin(), names_.end(), key) != names_.end()) continue;
      const auto near = nearest(key, names_);
      throw BadInput({cat(path(key), ": unknown key"),
                      "a setting given is applied or refused, never ignored",
                      near.empty() ? cat("Known keys are ", join(names_, ", "))
                                   : cat("Perhaps '", near, "' is meant")});
    }
  }

 private:
  const json* find(std::string_view name) {
    names_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  const json* find_list(std::string_view name, std::string_view wanted, const FieldInfo& info) {
    const auto* given = find(name);
    if (given == nullptr) return nullptr;
    if (!given->is_array()) refuse_type(name, wanted, info);
    if (info.length > 0 && given->size() != info.length) {
      throw BadInput(
          {cat(path(name), " has ", counted(given->size(), "value"), ", not ", info.length),
           std::string(info.description), cat("Give ", counted(info.length, "value"))});
    }
    return given;
  }
  std::string path(std::string_view name) const { return json_path_of(json_path_, name); }

  std::int64_t integer(std::string_view name, const json& given, const FieldInfo& info) const {
    const auto number = given.is_number() ? given.get<double>() : 0;
    if (std::abs(number) >= 0x1p63)  // with more digits the parser takes it for one with point
      throw BadInput(
          {cat(path(name), " = ", given.dump(), " is too large: it does not fit into 64 bits"),
           std::string(info.description), cat("Use a value ", range_text(info))});
    if (!given.is_number_integer()) refuse_type(name, "a whole number without point", info);
    check_range(name, number, given, info);
    return given.get<std::int64_t>();
  }
  std::string text(std::string_view name, const json& given, const FieldInfo& info) const {
    if (!given.is_string()) refuse_type(name, "a text", info);
    auto value = given.get<std::string>();
    if (!info.choices.empty()) expect_choice(info.choices, value, path(name));
    return value;
  }
  void check_range(std::string_view name,
                   double number,
                   const json& given,
                   const FieldInfo& info) const {
    if (std::isfinite(number) && number >= info.minimum && number <= info.maximum) return;
    throw BadInput({cat(path(name), " = ", given.dump(), " is out of range"),
                    std::string(info.description), cat("Use a value ", range_text(info))});
  }
  [[noreturn]] void refuse_type(std::string_view name,
                                std::string_view wanted,
                                const FieldInfo& info) const {
    throw BadInput({cat(path(name), " = ", object_.at(name).dump(), " is not ", wanted),
                    std::string(info.description), cat("Write ", wanted)});
  }

  const json& object_;
  std::string json_path_;
  std::vector<std::string> names_;
};

class Writer final : public FieldVisitor {
 public:
  void field(std::string_view name, bool& value, const FieldInfo&) override { set(name, value); }
  void field(std::string_view name, std::int64_t& value, const FieldInfo&) override {
    set(name, value);
  }
  void field(std::string_view name, double& value, const FieldInfo&) override { set(name, value); }
  void field(std::string_view name, std::string& value, const FieldInfo&) override {
    set(name, value);
  }
  void field(std::string_view name, std::vector<std::int64_t>& value, const FieldInfo&) override {
    set(name, value);
  }
  void field(std::string_view name, std::vector<std::string>& value, const FieldInfo&) override {
    set(name, value);
  }
  void group(std::string_view name,
             std::string_view,
             const std::function<void(FieldVisitor&)>& visit_members) override {
    set(name, write_fields(visit_members));
  }
  json object = json::object();

 private:
  void set(std::string_view name, json value) { object[std::string(name)] = std::move(value); }
};

class SchemaMaker final : public FieldVisitor {
 public:
  void field(std::string_view name, bool& value, const FieldInfo& info) override {
    add(name, {{"type", "boolean"}, {"default", value}}, info);
  }
  void field(std::string_view name, std::int64_t& value, const FieldInfo& info) override {
    add(name, with_limits({{"type", "integer"}, {"default", value}}, info), info);
  }
  void field(std::string_view name, double& value, const FieldInfo& info) override {
    add(name, with_limits({{"type", "number"}, {"default", value}}, info), info);
  }
  void field(std::string_view name, std::string& value, const FieldInfo& info) override {
    add(name, with_limits({{"type", "string"}, {"default", value}}, info), info);
  }
  void field(std::string_view name,
             std::vector<std::int64_t>& value,
             const FieldInfo& info) override {
    add_list(name, json(value), with_limits({{"type", "integer"}}, info), info);
  }
  void field(std::string_view name,
             std::vector<std::string>& value,
             const FieldInfo& info) override {
    add_list(name, json(value), with_limits({{"type", "string"}}, info), info);
  }
  void group(std::string_view name,
             std::string_view description,
             const std::function<void(FieldVisitor&)>& visit_members) override {
    auto schema = schema_of_fields(visit_members);
    schema["description"] = description;
    properties[std::string(name)] = std::move(schema);
  }
  json properties = json::object();

 private:
  /// With what each choice means.
  static std::string description_of(const FieldInfo& info) {
    std::vector<std::string> meanings;
    for (const auto& choice : info.choices)
      if (!choice.summary.empty()) meanings.push_back(cat(choice.name, ": ", choice.summary));
    if (meanings.empty()) return std::string(info.description);
    return cat(info.description, ". ", join(meanings, "; "));
  }
  static json with_limits(json schema, const FieldInfo& info) {
    if (info.minimum == above_zero) {
      schema["exclusiveMinimum"] = 0;
    } else if (std::isfinite(info.minimum)) {
      schema["minimum"] = info.minimum;
    }
    if (std::isfinite(info.maximum)) schema["maximum"] = info.maximum;
    if (!info.choices.empty()) schema["enum"] = names_of(info.choices);
    return schema;
  }
  void add(std::string_view name, json schema, const FieldInfo& info) {
    schema["description"] = description_of(info);
    schema["unit"] = info.unit;
    properties[std::string(name)] = std::move(schema);
  }
  void add_list(std::string_view name, const json& value, json items, const FieldInfo& info) {
    json schema{{"type", "array"}, {"items", std::move(items)}, {"default", value}};
    if (info.length > 0) schema["minItems"] = schema["maxItems"] = info.length;
    add(name, std::move(schema), info);
  }
};

/// A description says first what the setting is, then exceptions, meanings of names and defaults.
std::string first_words(const std::string& description) {
  return description.substr(0, std::min(description.find("; "), description.find(". ")));
}

void collect_words(const json& schema, const std::string& path, FieldWords& words) {
  for (const auto& [name, property] : schema.at("properties").items()) {
    const auto place = cat(path, "/", name);
    if (property.contains("properties")) {
      collect_words(property, place, words);
    } else {
      words[place] = first_words(property.at("description").get<std::string>());
    }
  }
}

// Refuses what the parser would silently resolve: the second of two equal keys.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(std::string origin) : origin_(std::move(origin)) {}
  bool operator()(int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key &&
        !open_.back().insert(value.get<std::string>()).second) {
      throw BadInput({cat(origin_, ": key '", value.get<std::string>(), "' stands twice"),
                      "only one of its values could be applied", "Remove one"});
    }
    return true;
  }

 private:
  std::string origin_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

std::string json_path_of(const std::string& json_path, std::string_view name) {
  const bool is_start = json_path.empty() || json_path.ends_with(": ");
  return cat(json_path, is_start ? "" : ".", name);
}

void read_fields(const json& object, const std::string& json_path, const FieldWalk& walk) {
  Reader reader(object, json_path);
  walk(reader);
  reader.refuse_unknown_keys();
}

json write_fields(const FieldWalk& walk) {
  Writer writer;
  walk(writer);
  return writer.object;
}

json schema_of_fields(const FieldWalk& walk) {
  SchemaMaker maker;
  walk(maker);
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(maker.properties)}};
}

FieldWords words_of_schema(const json& schema) {
  FieldWords words;
  collect_words(schema, "", words);
  return words;
}

std::vector<std::string> field_names(const FieldWalk& walk) {
  std::vector<std::string> names;
  const auto object = write_fields(walk);
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

void read_fields_of_text(const std::string& object, const FieldWalk& walk) {
  read_fields(json::parse(object), "settings", walk);
}

std::string completed_fields(const json& object,
                             const std::string& json_path,
                             const FieldWalk& walk) {
  read_fields(object, json_path, walk);
  return write_fields(walk).dump();
}

std::string words_of(const std::exception& json_error) {
  const std::string_view words = json_error.what();
  const auto start = words.find("] ");
  return std::string(start == words.npos ? words : words.substr(start + 2));
}

std::size_t nesting_of_json(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

json json_or_discarded(const std::string& text) {
  if (nesting_of_json(text) > most_json_nesting) return json(json::value_t::discarded);
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

json parse_json(const std::string& text, const std::string& origin, const char* advice) {
  if (nesting_of_json(text) > most_json_nesting)
    throw BadInput({cat(origin, " is nested deeper than ", most_json_nesting, " levels"),
                    "no file of scalestudy is", advice});
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw BadInput(
        {cat(origin, " is text in UTF-16"), "JSON is read as UTF-8", "Save it as UTF-8"});
  try {
    // The parser copies its callback, so the state is kept outside.
    DuplicateKeys duplicates(origin);
    return json::parse(text, [&](int depth, json::parse_event_t event, json& value) {
      return duplicates(depth, event, value);
    });
  } catch (const json::out_of_range& error) {
    throw BadInput(
        {cat(origin, ": ", shortened(words_of(error), 80)), "no number is as large", advice});
  } catch (const json::exception& error) {
    throw BadInput({cat(origin, ": ", words_of(error)), "it is not valid JSON", advice});
  }
}

std::string json_text_of(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json read_json_file(const std::filesystem::path& file) {
  try {
    return parse_json(text_of_file(file), file.filename().string());
  } catch (const std::system_error& error) {
    throw BadInput({cat(file.string(), " cannot be read: ", error.code().message()),
                    "the settings stand in it", "Check the path and its permissions"});
  }
}

}  // namespace scalestudy
