#include "analysis/report/step/causes_json.hpp"

#include <nlohmann/json.hpp>

#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json to_json(const CauseFinding& finding) {
  return {{"cause", to_string(finding.cause)},
          {"verdict", to_string(finding.verdict)},
          {"column_s", json_estimate(finding.column_s)},
          {"contrast_s", json_estimate(finding.contrast_s)},
          {"launches_to_decide",
           finding.launches_to_decide ? json(*finding.launches_to_decide) : json()}};
}

json to_json(const StepDecision& decision) {
  json findings = json::array(), main = json::array();
  for (const auto& finding : decision.findings) findings.push_back(to_json(finding));
  for (const auto cause : decision.main) main.push_back(to_string(cause));
  json hidden;
  if (decision.hidden)
    hidden = {{"without_both_s", json_estimate(decision.hidden->without_both_s)},
              {"without_one_s", json_number(decision.hidden->without_one_s)}};
  return {{"ranks", decision.ranks},
          {"ideal_step_s", json_number(decision.ideal_step_s)},
          {"margin_s", json_number(decision.margin_s)},
          {"loss_s", json_estimate(decision.loss_s)},
          {"is_loss", decision.is_loss},
          {"findings", findings},
          {"main", main},
          {"work_ratio", json_number(decision.work_ratio)},
          {"slowest_rank", decision.slowest_rank ? json(*decision.slowest_rank) : json()},
          {"unexplained_s", json_number(decision.unexplained_s)},
          {"hidden_behind_each_other", hidden}};
}

json to_json(const RunDecision& decision) {
  json findings = json::array();
  for (const auto& finding : decision.findings)
    findings.push_back({{"cause", to_string(finding.cause)},
                        {"verdict", to_string(finding.verdict)},
                        {"growth_s", json_estimate(finding.growth_s)},
                        {"launches_to_decide",
                         finding.launches_to_decide ? json(*finding.launches_to_decide) : json()}});
  return {{"ranks", decision.ranks},
          {"ideal_wall_s", json_number(decision.ideal_wall_s)},
          {"margin_s", json_number(decision.margin_s)},
          {"loss_s", json_estimate(decision.loss_s)},
          {"is_loss", decision.is_loss},
          {"findings", findings},
          {"unexplained_s", json_number(decision.unexplained_s)},
          {"slower_convergence", to_string(decision.slower_convergence)},
          {"sample_ratio", json_estimate(decision.sample_ratio)}};
}

}  // namespace

json causes_json(const std::vector<StepDecision>& decisions) {
  json list = json::array();
  for (const auto& decision : decisions) list.push_back(to_json(decision));
  return list;
}

json remedies_json(const std::vector<MeasuredRemedy>& remedies) {
  json list = json::array();
  for (const auto& remedy : remedies)
    list.push_back({{"ranks", remedy.ranks},
                    {"cause", to_string(remedy.cause)},
                    {"axis", remedy.axis},
                    {"from", remedy.from},
                    {"to", remedy.to},
                    {"gain", json_estimate(remedy.gain)},
                    {"promised_by_records", json_estimate(remedy.promised_by_records)},
                    {"promised_by_arms", json_estimate(remedy.promised_by_arms)}});
  return list;
}

json run_causes_json(const std::vector<RunDecision>& decisions) {
  json list = json::array();
  for (const auto& decision : decisions) list.push_back(to_json(decision));
  return list;
}

}  // namespace scalestudy
