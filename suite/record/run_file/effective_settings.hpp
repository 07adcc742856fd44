#pragma once
/// What the ranks found in force, for /settings/effective. Settings stand at the path that the run
/// specification has for them; what is no setting is a fact with unit and description.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scalestudy {

/// In place of a value: whatever the setting says, it changes nothing in this run.
inline constexpr std::string_view no_effect = "no effect here";

class EffectiveSettings {
 public:
  using Value = std::variant<bool,
                             std::int64_t,
                             double,
                             std::string,
                             std::vector<std::int64_t>,
                             std::vector<std::string>>;

  struct Fact {
    Value value;
    std::string unit;  ///< "1" for pure numbers and names
    std::string description;
  };

  /// `path` as in the specification: "/settings/precision", "/plan/learning_rate", "/ranks".
  void set(std::string path, Value value) { settings_[std::move(path)] = std::move(value); }
  void add_fact(std::string name, Fact fact) { facts_[std::move(name)] = std::move(fact); }

  /// Takes over everything that `other` has.
  void add(const EffectiveSettings& other);

  [[nodiscard]] const std::map<std::string, Value>& settings() const { return settings_; }
  [[nodiscard]] const std::map<std::string, Fact>& facts() const { return facts_; }

  /// {"settings": {"precision": "fp32", …}, …, "facts": {"transport": {"value": …, "unit": …,
  /// "description": …}}}. Numbers in full; what JSON has no number for is a text: "NaN",
  /// "Infinity", "-Infinity".
  [[nodiscard]] std::string json_text() const;

 private:
  std::map<std::string, Value> settings_;
  std::map<std::string, Fact> facts_;
};

}  // namespace scalestudy
