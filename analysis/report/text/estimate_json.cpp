#include "analysis/report/text/estimate_json.hpp"

#include <cmath>

namespace scalestudy {

using nlohmann::json;

json json_number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json json_estimate(const Estimate& estimate) {
  json object{{"value", json_number(estimate.value)},  {"interval", nullptr},
              {"interval_method", describe(estimate)}, {"p_value", json_number(estimate.p_value)},
              {"base_count", estimate.base_count},     {"count", estimate.count}};
  if (const auto said = said_interval(estimate))
    object["interval"] = {json_number(said->low), json_number(said->high)};
  return object;
}

}  // namespace scalestudy
