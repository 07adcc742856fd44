#include "analysis/report/exchange/exchange_json.hpp"

#include <nlohmann/json.hpp>

#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json to_json(const BucketExchange& bucket) {
  return {{"bucket", bucket.bucket},
          {"size_bytes", json_number(bucket.size_bytes)},
          {"ready_s", json_number(bucket.ready_s)},
          {"entered_s", json_number(bucket.entered_s)},
          {"all_arrived_s", json_number(bucket.all_arrived_s)},
          {"left_s", json_number(bucket.left_s)},
          {"wait_s", json_number(bucket.wait_s())},
          {"transfer_s", json_number(bucket.transfer_s())},
          {"exposed_s", json_number(bucket.exposed_s)},
          {"hidden_s", json_number(bucket.hidden_s())},
          {"slowest_transfer_s", json_number(bucket.slowest_transfer_s)},
          {"idle_transfer_s", json_number(bucket.idle_transfer_s)}};
}

json to_json(const ProbeFit& fit, const std::vector<ProbeTime>& probe) {
  json sizes = json::array();
  for (std::size_t i = 0; i < probe.size(); ++i)
    sizes.push_back({{"size_bytes", probe[i].size_bytes},
                     {"transfer_s", json_number(probe[i].transfer_s)},
                     {"residual_frac", json_number(fit.residuals_frac[i])}});
  return {{"alpha_s", json_number(fit.line.alpha_s)},
          {"beta_s_per_byte", json_number(fit.line.beta_s_per_byte)},
          {"worst_residual_frac", json_number(fit.worst_residual_frac())},
          {"sizes", sizes}};
}

json to_json(const FitBeside& beside) {
  return {{"series", beside.series},
          {"sizes", beside.fit.sizes},
          {"alpha_s", json_estimate(beside.fit.alpha_s)},
          {"beta_s_per_byte", json_estimate(beside.fit.beta_s_per_byte)},
          {"worst_residual_frac", json_number(beside.fit.worst_residual_frac)}};
}

json to_json(const ExchangePoint& exchange) {
  json buckets = json::array(), fits = json::array();
  for (const auto& bucket : exchange.buckets) buckets.push_back(to_json(bucket));
  for (const auto& beside : exchange.fits_beside) fits.push_back(to_json(beside));
  const auto fit = probe_fit(exchange);
  return {{"ranks", exchange.ranks},
          {"launches", exchange.launches},
          {"in_collectives_s", json_number(exchange.in_collectives_s())},
          {"wait_s", json_number(exchange.wait_s())},
          {"transfer_s", json_number(exchange.transfer_s())},
          {"exposed_s", json_number(exchange.exposed_s())},
          {"hidden_s", json_number(exchange.hidden_s())},
          {"interference_s", json_estimate(exchange.interference_s)},
          {"best_exposed_s", json_number(exchange.best_exposed_s)},
          {"span_s", json_number(exchange.span_s())},
          {"overlap_s", json_number(exchange.overlap_s)},
          {"probe_fit", fit ? to_json(*fit, exchange.probe) : json(nullptr)},
          {"collectives_fits", fits},
          {"buckets", buckets}};
}

}  // namespace

json exchange_json(const std::vector<ExchangePoint>& exchanges) {
  json list = json::array();
  for (const auto& exchange : exchanges) list.push_back(to_json(exchange));
  return list;
}

}  // namespace scalestudy
