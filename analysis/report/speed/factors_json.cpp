#include "analysis/report/speed/factors_json.hpp"

#include <nlohmann/json.hpp>

#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

nlohmann::json base_json(const FactorsAgainst& one) {
  return {{"base", to_string(one.base)},
          {"ranks", one.ranks},
          {"base_ranks", one.base_ranks},
          {"training_time_s", json_number(one.absolute.training_time_s)},
          {"samples_per_s", json_number(one.absolute.samples_per_s)},
          {"base_training_time_s", json_number(one.base_absolute.training_time_s)},
          {"base_samples_per_s", json_number(one.base_absolute.samples_per_s)},
          {"factors", factors_json(one.factors)}};
}

nlohmann::json target_json(const TargetPoint& point) {
  return {{"ranks", point.ranks},
          {"runs", point.runs},
          {"reached", point.reached},
          {"time_s", json_number(point.time_s)},
          {"samples", json_number(point.samples)},
          {"speedup", json_estimate(point.factors.total)},
          {"throughput", json_estimate(point.factors.throughput)},
          {"statistical", json_estimate(point.factors.statistical)},
          {"rest", json_estimate(point.factors.fixed_cost)},
          {"sample_ratio", json_estimate(point.sample_ratio)},
          {"speedup_bound", json_number(point.speedup_bound)},
          {"statistical_bound", json_number(point.statistical_bound)}};
}

}  // namespace

nlohmann::json factors_json(const Factorisation& factors) {
  return {{"total", json_estimate(factors.total)},
          {"throughput", json_estimate(factors.throughput)},
          {"statistical", json_estimate(factors.statistical)},
          {"fixed_cost", json_estimate(factors.fixed_cost)},
          {"unexplained", json_estimate(factors.unexplained)},
          {"base_fixed_frac", json_number(factors.base.fixed_frac)},
          {"fixed_frac", json_number(factors.compared.fixed_frac)},
          {"base_evaluation_frac", json_number(factors.base.evaluation_frac)},
          {"evaluation_frac", json_number(factors.compared.evaluation_frac)},
          {"base_unexplained_frac", json_number(factors.base.unexplained_frac)},
          {"unexplained_frac", json_number(factors.compared.unexplained_frac)}};
}

nlohmann::json factor_bases_json(const std::vector<FactorsAgainst>& bases) {
  auto list = nlohmann::json::array();
  for (const FactorsAgainst& one : bases) list.push_back(base_json(one));
  return list;
}

nlohmann::json targets_json(const std::vector<TargetPoint>& targets) {
  auto list = nlohmann::json::array();
  for (const TargetPoint& one : targets) list.push_back(target_json(one));
  return list;
}

}  // namespace scalestudy
