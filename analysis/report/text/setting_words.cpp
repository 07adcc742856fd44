#include "analysis/report/text/setting_words.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text.hpp"

#include "study/run_spec.hpp"

namespace scalestudy {
namespace {

constexpr std::string_view common_place = "/settings/";
constexpr std::string_view own_place = "/workload_settings/";

std::string found_in(const FieldWords& words, const std::string& path) {
  const auto found = words.find(path);
  return found == words.end() ? "" : found->second;
}

/// "/workload_settings/patch" -> "settings.patch".
std::string as_given(const std::string& path) {
  std::string given =
      path.starts_with(own_place) ? cat(common_place, path.substr(own_place.size())) : path;
  std::replace(given.begin(), given.end(), '/', '.');
  return given.substr(given.starts_with(".") ? 1 : 0);
}

}  // namespace

SettingWords::SettingWords(WorkloadWords own) : common_(run_spec_words()), own_(std::move(own)) {}

std::string SettingWords::words_of(const std::string& workload, const std::string& path) const {
  for (const auto place : {own_place, common_place}) {
    const auto own = own_.find(workload);
    if (!path.starts_with(place) || own == own_.end()) continue;
    auto words = found_in(own->second, path.substr(place.size() - 1));
    if (!words.empty()) return words;
  }
  return found_in(common_, path);
}

TableCell SettingWords::name_cell(const std::string& workload, const std::string& path) const {
  const auto index = path.find('[');  // an item of a list: "/settings/schedule/…_epochs[0]"
  const auto words = words_of(workload, path.substr(0, index));
  if (words.empty()) return {as_given(path), path};
  return {words, path, {}, as_given(path)};
}

}  // namespace scalestudy
