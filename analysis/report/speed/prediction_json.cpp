#include "analysis/report/speed/prediction_json.hpp"

#include "study/fields.hpp"

#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json to_json(const FittedModel& fit) {
  return {{"model", to_string(fit.model)},
          {"coefficients_s", fit.coefficients_s},
          {"hold_out_error_frac", json_number(fit.hold_out_error_frac)},
          {"is_compatible", fit.is_compatible}};
}

json to_json(const AskedPrediction& asked, const char* rate) {
  json object{{"ranks", asked.ranks}, {"is_predicted", asked.prediction.has_value()}};
  if (!asked.prediction) {
    object["refusal"] = asked.refusal.text();
    return object;
  }
  const auto& prediction = *asked.prediction;
  json as_good = json::array();
  for (const auto model : prediction.as_good) as_good.push_back(to_string(model));
  object.update({{"model", to_string(prediction.model)},
                 {"as_good", as_good},
                 {rate, json_estimate(prediction.samples_per_s)},
                 {"speedup", json_estimate(prediction.speedup)},
                 {"efficiency", json_estimate(prediction.efficiency)}});
  return object;
}

json to_json(const SeriesPrediction& series) {
  json models = json::array(), asked = json::array();
  if (series.fit)
    for (const auto& fit : series.fit->models()) models.push_back(to_json(fit));
  const auto* rate = series.rate_noun == "epochs" ? "epochs_per_s" : "samples_per_s";
  for (const auto& one : series.asked) asked.push_back(to_json(one, rate));
  return {{"name", series.series},
          {"labels", series.labels},
          {"link", series.link.empty() ? json() : json(series.link)},
          {"models", models},
          {"predictions", asked}};
}

}  // namespace

std::string predictions_json(const std::vector<SeriesPrediction>& predictions) {
  json series = json::array();
  for (const auto& one : predictions) series.push_back(to_json(one));
  return json_text_of({{"series", series}});
}

}  // namespace scalestudy
