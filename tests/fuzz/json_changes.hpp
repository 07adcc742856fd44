#pragma once
/// Changes one value of a JSON text: bytes alone seldom make another text that is valid.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>
#include <nlohmann/json.hpp>

namespace scalestudy::fuzz {

inline nlohmann::json any_json_value(FuzzedDataProvider& input) {
  using nlohmann::json;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  switch (input.ConsumeIntegralInRange<int>(0, 7)) {
    case 0:
      return input.ConsumeIntegral<std::int64_t>();
    case 1:
      return input.PickValueInArray<std::int64_t>({-1, 0, 1, 2, 3, 1000000000, most / 1000, most});
    case 2:
      return input.PickValueInArray({5e-324, 1e-30, 0.5, 1e18, 1.7e308, -1.0});
    case 3:
      return input.ConsumeRandomLengthString(40);
    case 4:
      return input.ConsumeBool();
    case 5:
      return json::array({1, 2, 4});
    case 6:
      return json::array();
    default:
      return json::object({{"name", nullptr}});
  }
}

inline void collect_places(const nlohmann::json& value,
                           const nlohmann::json::json_pointer& place,
                           std::vector<nlohmann::json::json_pointer>& places) {
  places.push_back(place);
  if (value.is_object())
    for (const auto& [key, member] : value.items()) collect_places(member, place / key, places);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect_places(value[i], place / i, places);
}

/// The text as it is when it is no JSON.
inline std::string changed_json(const std::string& text, FuzzedDataProvider& input) {
  using nlohmann::json;
  auto root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return text;
  const auto count = input.ConsumeIntegralInRange<int>(1, 3);
  for (int i = 0; i < count; ++i) {
    std::vector<json::json_pointer> places;  // collected anew: the last change may have taken some
    collect_places(root, json::json_pointer(), places);
    const auto& place = places[input.ConsumeIntegralInRange<std::size_t>(0, places.size() - 1)];
    if (input.ConsumeIntegralInRange<int>(0, 9) == 0 && !place.empty() &&
        root[place.parent_pointer()].is_object())
      root[place.parent_pointer()].erase(place.back());
    else
      root[place] = any_json_value(input);
  }
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace scalestudy::fuzz
