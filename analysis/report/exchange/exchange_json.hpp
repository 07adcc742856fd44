#pragma once
/// How gradients got from rank to rank, as JSON.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/exchange/exchange_point.hpp"

namespace scalestudy {

[[nodiscard]] nlohmann::json exchange_json(const std::vector<ExchangePoint>& exchanges);

}  // namespace scalestudy
