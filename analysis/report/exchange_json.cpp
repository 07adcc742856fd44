#include <nlohmann/json.hpp>

#include "analysis/report/estimate_json.hpp"
#include "analysis/report/exchange_report.hpp"

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
          {"transfer_s", json_number(bucket.transfer_s)},
          {"idle_transfer_s", json_number(bucket.idle_transfer_s)}};
}

json to_json(const std::optional<ProbeFit>& fit) {
  if (!fit) return nullptr;
  return {{"alpha_s", json_number(fit->line.alpha_s)},
          {"beta_s_per_byte", json_number(fit->line.beta_s_per_byte)},
          {"worst_residual_frac", json_number(fit->worst_residual_frac)}};
}

json to_json(const Exchange& exchange) {
  json buckets = json::array();
  for (const auto& bucket : exchange.buckets) buckets.push_back(to_json(bucket));
  return {{"ranks", exchange.ranks},
          {"launches", exchange.launches},
          {"in_collectives_s", json_number(exchange.in_collectives_s())},
          {"wait_s", json_number(exchange.wait_s())},
          {"transfer_s", json_number(exchange.transfer_s())},
          {"exposed_transfer_s", json_number(exchange.exposed_transfer_s)},
          {"hidden_s", json_number(exchange.hidden_s())},
          {"best_exposed_s", json_number(exchange.best_exposed_s)},
          {"span_s", json_number(exchange.span_s())},
          {"overlap_s", json_number(exchange.overlap_s)},
          {"probe_fit", to_json(probe_fit(exchange))},
          {"buckets", buckets}};
}

}  // namespace

json exchange_json(const std::vector<Exchange>& exchanges) {
  json list = json::array();
  for (const auto& exchange : exchanges) list.push_back(to_json(exchange));
  return list;
}

}  // namespace scalestudy
