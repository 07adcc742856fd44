#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "study/fields.hpp"

#include "record/study_folder/study_floor.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

constexpr std::int64_t floor_schema = 1;

FloorPoint point_from(const json& object) {
  return {object.at("ranks").get<std::int64_t>(), object.at("pairs").get<std::int64_t>(),
          object.at("log_ratio_sd").get<double>(), object.at("log_time_sd").get<double>()};
}

bool is_possible(const FloorPoint& point) {
  constexpr std::int64_t most = 1'000'000;
  const auto is_deviation = [](double value) { return value >= 0 && std::isfinite(value); };
  return point.ranks >= 1 && point.ranks <= most && point.pairs >= 2 && point.pairs <= most &&
         is_deviation(point.log_ratio_sd) && is_deviation(point.log_time_sd);
}

StudyFloor floor_from(const json& object) {
  StudyFloor floor;
  for (const auto& [name, member] :
       {std::pair{"study", &StudyFloor::study}, std::pair{"timing_hash", &StudyFloor::timing_hash},
        std::pair{"host", &StudyFloor::host},
        std::pair{"host_fingerprint", &StudyFloor::host_fingerprint},
        std::pair{"build_id", &StudyFloor::build_id},
        std::pair{"measured_utc", &StudyFloor::measured_utc}})
    object.at(name).get_to(floor.*member);
  for (const auto& point : object.at("points")) floor.points.push_back(point_from(point));
  return floor;
}

}  // namespace

const FloorPoint* StudyFloor::at(std::int64_t ranks) const {
  const auto found = std::ranges::find(points, ranks, &FloorPoint::ranks);
  return found == points.end() ? nullptr : &*found;
}

std::string to_json_text(const StudyFloor& floor) {
  json points = json::array();
  for (const auto& point : floor.points)
    points.push_back({{"ranks", point.ranks},
                      {"pairs", point.pairs},
                      {"log_ratio_sd", point.log_ratio_sd},
                      {"log_time_sd", point.log_time_sd}});
  return json_text_of({{"schema", floor_schema},
                       {"study", floor.study},
                       {"timing_hash", floor.timing_hash},
                       {"host", floor.host},
                       {"host_fingerprint", floor.host_fingerprint},
                       {"build_id", floor.build_id},
                       {"measured_utc", floor.measured_utc},
                       {"points", points}});
}

std::optional<StudyFloor> floor_from_json_text(const std::string& text) {
  const auto object = json_or_discarded(text);
  if (!object.is_object() || object.value("schema", json()) != floor_schema) return {};
  try {
    auto floor = floor_from(object);
    if (floor.points.empty() || !std::ranges::all_of(floor.points, is_possible)) return {};
    return floor;
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace scalestudy
