#include "analysis/report/published/published_summary_json.hpp"

#include "analysis/report/published/published_report.hpp"
#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json ratio_json(const PublishedRatio& ratio) {
  const bool has_factors = ratio.identified >= Identified::whole_rate_and_work;
  json object{{"base_ranks", ratio.base_ranks},
              {"identified", to_string(ratio.identified)},
              {"total", json_estimate(ratio.total)},
              {"rate", json_estimate(ratio.rate)},
              {"median_epoch", json_estimate(ratio.median_epoch)},
              {"samples_and_fixed", json_estimate(ratio.rest)}};
  if (has_factors) object["samples"] = json_estimate(ratio.factors.statistical);
  if (ratio.identified != Identified::all) return object;
  object["fixed_cost"] = json_estimate(ratio.factors.fixed_cost);
  object["unexplained"] = json_estimate(ratio.factors.unexplained);
  object["base_fixed_frac"] = json_number(ratio.factors.base.fixed_frac);
  object["fixed_frac"] = json_number(ratio.factors.compared.fixed_frac);
  return object;
}

json point_json(const PublishedPoint& point) {
  return {{"ranks", point.ranks},
          {"platform", point.platform},
          {"launches", point.launches},
          {"censored", point.censored},
          {"flawed", point.flawed},
          {"flaws", point.flaws},
          {"is_flawed", point.is_flawed},
          {"superlinear_unexplained", point.superlinear_unexplained},
          {"time_s", json_number(point.time_s)},
          {"rate_per_s", json_number(point.rate_per_s)},
          {"median_epoch_s", json_number(point.median_epoch_s)},
          {"quality", point.quality},
          {"evaluated_sample_counts", point.evaluated_sample_counts},
          {"quality_difference", json_estimate(point.quality_difference)},
          {"efficiency", json_estimate(point.efficiency)},
          {"to_base", ratio_json(point.to_base)},
          {"to_previous", ratio_json(point.to_previous)}};
}

json arm_json(const PublishedStudy& study, const ArmAnalysis& arm) {
  json points = json::array();
  for (const auto& point : arm.points) points.push_back(point_json(point));
  return {{"name", arm.arm.name},
          {"device", arm.arm.device},
          {"precision", arm.arm.precision},
          {"scaling_rule", to_string(arm.arm.scaling_rule)},
          {"rate_unit", rate_unit(study, arm)},
          {"conclusions", published_paragraphs(study, arm)},
          {"evaluation_set_differs", arm.population.differs},
          {"points", points}};
}

}  // namespace

json published_summary(const PublishedAnalysis& analysis) {
  json arms = json::array();
  for (const auto& arm : analysis.arms) arms.push_back(arm_json(analysis.study, arm));
  return {{"name", analysis.study.name},
          {"title", analysis.study.title},
          {"labels", json::array({external_label})},
          {"source", source_of(analysis.study)},
          {"workload", analysis.study.workload},
          {"arms", arms}};
}

}  // namespace scalestudy
