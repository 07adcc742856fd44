#include "analysis/claims/verification_json.hpp"

#include <nlohmann/json.hpp>

#include "study/fields.hpp"

#include "analysis/claims/claim_sentences.hpp"
#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json to_json(const ConditionCheck& check) {
  return {{"condition", to_string(check.condition)},
          {"must_match", check.must_match},
          {"claimed", check.claimed.empty() ? json() : json(check.claimed)},
          {"found", check.found},
          {"matches", check.matches}};
}

json to_json(const Claim& claim, const PointVerification& point) {
  const auto& decision = point.decision;
  json conditions = json::array();
  for (const auto& check : point.conditions) conditions.push_back(to_json(check));
  json object{
      {"ranks", point.point.ranks},
      {"base_ranks",
       properties_of(claim.quantity).is_of_two_counts ? json(point.point.base_ranks) : json()},
      {"verdict", word_for(decision.outcome)},
      {"reason", decision.reason},
      {"launches_to_decide",
       decision.launches_to_decide ? json(*decision.launches_to_decide) : json()},
      {"conditions", conditions}};
  if (claim.kind() != ClaimKind::explanation) {
    const auto accepted = claim.accepted(point.point);
    object["published"] = point.point.value;
    object["accepted"] = {json_number(accepted.low), json_number(accepted.high)};
    object["measured"] = json_estimate(point.measured);
  }
  return object;
}

}  // namespace

std::string verification_json(const Claim& claim, const Verification& verification) {
  json series = json::array();
  for (const auto& one : verification.series) {
    json points = json::array();
    for (const auto& point : one.points) points.push_back(to_json(claim, point));
    series.push_back({{"name", one.series}, {"points", points}});
  }
  return json_text_of({{"claim", claim.name},
                       {"statement", claim.statement},
                       {"source", claim.source},
                       {"quantity", to_string(claim.quantity)},
                       {"remarks", claim.remarks},
                       {"verdict", word_for(verification.outcome())},
                       {"series", series}});
}

}  // namespace scalestudy
