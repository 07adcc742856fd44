#pragma once
/// One description per setting serves the parser, the schema, the resolved JSON and the help text.
/// A settings struct offers `void visit(FieldVisitor&, Settings&)`; readers, writers and the schema
/// generator are visitors (fields_json.cpp).

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/choice.hpp"

namespace scalestudy {

/// What a setting means and which values it may have.
struct FieldInfo {
  std::string_view unit;  ///< "s", "bytes", "voxels", "1" for pure numbers and names
  std::string_view description;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::span<const NamedChoice> choices = {};  ///< for text: the only values allowed, if any
  std::size_t length = 0;                     ///< for lists: the exact length, 0 for any
};

/// The least value of settings that must be positive.
inline constexpr double above_zero = std::numeric_limits<double>::min();

class FieldVisitor {
 public:
  virtual ~FieldVisitor();
  virtual void field(std::string_view name, bool& value, const FieldInfo& info) = 0;
  virtual void field(std::string_view name, std::int64_t& value, const FieldInfo& info) = 0;
  virtual void field(std::string_view name, double& value, const FieldInfo& info) = 0;
  virtual void field(std::string_view name, std::string& value, const FieldInfo& info) = 0;
  virtual void field(std::string_view name,
                     std::vector<std::int64_t>& value,
                     const FieldInfo& info) = 0;
  /// `choices` holds for each entry.
  virtual void field(std::string_view name,
                     std::vector<std::string>& value,
                     const FieldInfo& info) = 0;
  /// A nested object: calls `visit_members` for its fields.
  virtual void group(std::string_view name,
                     std::string_view description,
                     const std::function<void(FieldVisitor&)>& visit_members) = 0;

  /// Enumerations are texts whose choices are their table's.
  template <ChoiceEnum Enum>
  void field(std::string_view name, Enum& value, FieldInfo info) {
    info.choices = named_choices<Enum>();
    std::string text(to_string(value));
    field(name, text, info);
    value = choice_from<Enum>(text, std::string(name));
  }
  /// None is "".
  template <ChoiceEnum Enum>
  void field(std::string_view name, std::optional<Enum>& value, FieldInfo info) {
    info.choices = named_choices_or_none<Enum>();
    std::string text(to_string(value));
    field(name, text, info);
    value = find_choice<Enum>(text);
  }
  template <ChoiceEnum Enum>
  void field(std::string_view name, std::vector<Enum>& value, FieldInfo info) {
    info.choices = named_choices<Enum>();
    std::vector<std::string> texts;
    for (const auto entry : value) texts.emplace_back(to_string(entry));
    field(name, texts, info);
    value.clear();
    for (const auto& text : texts) value.push_back(choice_from<Enum>(text, std::string(name)));
  }
};

using FieldWalk = std::function<void(FieldVisitor&)>;

/// Fills the visited fields from `object`; fields that are absent keep their value.
/// Errors: BadInput with the JSON path for unknown keys (suggesting the nearest), wrong types,
/// values out of range, NaN.
/// `json_path` is what stands before a field's name: "study.json: settings".
void read_fields(const nlohmann::json& object, const std::string& json_path, const FieldWalk& walk);

/// All visited fields as a JSON object.
[[nodiscard]] nlohmann::json write_fields(const FieldWalk& walk);

/// JSON Schema (draft 2020-12) of the object, with defaults, units and descriptions.
[[nodiscard]] nlohmann::json schema_of_fields(const FieldWalk& walk);

/// What settings are called for people: "/optimizer/epsilon" -> the first words of its description.
using FieldWords = std::map<std::string, std::string>;
/// Of the workloads' own settings, by the workload's name.
using WorkloadWords = std::map<std::string, FieldWords>;

/// Of all fields in a schema of schema_of_fields(), also those in groups.
[[nodiscard]] FieldWords words_of_schema(const nlohmann::json& schema);

/// Names of the visited fields and groups, top level only.
[[nodiscard]] std::vector<std::string> field_names(const FieldWalk& walk);

/// read_fields() from JSON text that was checked before, e.g. RunSpec::workload_settings.
void read_fields_of_text(const std::string& object, const FieldWalk& walk);

/// read_fields(), then all fields as canonical JSON text.
[[nodiscard]] std::string completed_fields(const nlohmann::json& object,
                                           const std::string& json_path,
                                           const FieldWalk& walk);

/// "study.json: settings" and "epochs" -> "study.json: settings.epochs".
[[nodiscard]] std::string json_path_of(const std::string& json_path, std::string_view name);

/// What an error of the JSON library says, without its number.
[[nodiscard]] std::string words_of(const std::exception& json_error);

/// Deeper JSON exhausts the stack of what walks through it.
inline constexpr std::size_t most_json_nesting = 64;

/// Of objects and lists, at the deepest place; also of text that is no JSON.
[[nodiscard]] std::size_t nesting_of_json(std::string_view text);

/// For text that nobody vouches for: discarded (is_discarded()) when it is no JSON, or nested
/// deeper than most_json_nesting.
[[nodiscard]] nlohmann::json json_or_discarded(const std::string& text);

/// Text to JSON; `origin` is the file's name. Errors: BadInput with line and column for syntax
/// errors; deeper nesting than most_json_nesting; a key that stands twice in one object. `advice`:
/// what to do then.
[[nodiscard]] nlohmann::json parse_json(const std::string& text,
                                        const std::string& origin,
                                        const char* advice = "Correct it there");

/// Indented text that ends a line. Bytes that are not UTF-8 are replaced: paths and reasons may
/// hold any.
[[nodiscard]] std::string json_text_of(const nlohmann::json& value);

/// The file's JSON. Errors: BadInput, also when it cannot be read.
[[nodiscard]] nlohmann::json read_json_file(const std::filesystem::path& file);

}  // namespace scalestudy
