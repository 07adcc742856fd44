#include "analysis/series/setting_stages.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/text.hpp"

#include "record/run_file/effective_settings.hpp"

#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

using Stage = std::optional<std::string> SettingStages::*;
using StagesByName = std::map<std::string, SettingStages>;

constexpr std::string_view common_place = "/settings/";
constexpr std::string_view own_place = "/workload_settings/";  ///< a study file has both in one

constexpr std::string_view plan_place = "/plan/";  ///< what the rule made of settings

/// Where one stage keeps settings. A later place wins over an earlier one that also holds the name.
constexpr std::array<std::string_view, 5> places{"/", "/axes/", common_place, own_place,
                                                 plan_place};

/// What belongs to the study as a whole, or explains other settings.
constexpr std::array<std::string_view, 10> no_settings{
    "schema",     "study",        "description", "repeats",           "control_arms",
    "comparison", "plan.samples", "time_like",   "requested_samples", "libtorch_configuration"};

/// Former names, and names that /plan has without "schedule.".
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> other_names{
    {{"world_size", "ranks"},
     {"masked_frac_effective", "masked_frac"},
     {"sample_size", "size"},
     {"milestones_epochs", "schedule.milestones_epochs"},
     {"patience_epochs", "schedule.patience_epochs"},
     {"cooldown_epochs", "schedule.cooldown_epochs"}}};

std::string name_of(std::string_view path, std::string_view place) {
  std::string name(path.substr(place.size()));
  std::replace(name.begin(), name.end(), '/', '.');
  for (const auto& [other, usual] : other_names) {
    if (name == other) return std::string(usual);
  }
  return name;
}

std::string_view place_of(std::string_view path) {
  std::string_view found = places.front();
  for (const auto place : places) {
    if (path.starts_with(place)) found = place;
  }
  return found;
}

void add(const std::string& json_text, Stage stage, StagesByName& settings) {
  const auto flat = flatten_json(json_text);
  for (const auto winner : places) {
    for (const auto& [path, value] : flat) {
      const auto place = place_of(path);
      if (place != winner) continue;
      const auto name = name_of(path, place);
      if (std::find(no_settings.begin(), no_settings.end(), name) != no_settings.end()) continue;
      settings[name].name = name;
      settings[name].*stage = value;
      if (place == common_place || place == own_place)
        settings[name].path = cat(common_place, path.substr(place.size()));
    }
  }
}

bool is_same(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto a = number_as_written(one), b = number_as_written(other);
  return a && b && *a == *b;
}

/// An axis with one value leaves no choice: ["sharded"] asks for sharded.
bool asks_for(const std::string& requested, const std::string& found) {
  return is_same(requested, found) || requested == "[" + found + "]" ||
         requested == "[\"" + found + "\"]";
}

}  // namespace

bool SettingStages::differs() const {
  if (requested && resolved && !asks_for(*requested, *resolved)) return true;
  if (requested && effective && !asks_for(*requested, *effective)) return true;
  return resolved && effective && effective != no_effect && !is_same(*resolved, *effective);
}

std::vector<SettingStages> setting_stages(const RunFacts& run) {
  StagesByName by_name;
  add(run.requested_settings, &SettingStages::requested, by_name);
  add(run.resolved_settings, &SettingStages::resolved, by_name);
  add(run.effective_settings, &SettingStages::effective, by_name);
  std::vector<SettingStages> settings;
  for (auto& [name, stages] : by_name) settings.push_back(std::move(stages));
  return settings;
}

}  // namespace scalestudy
