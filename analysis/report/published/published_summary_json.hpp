#pragma once
/// Published studies in summary.json.

#include <nlohmann/json.hpp>

#include "analysis/published/published_analysis.hpp"

namespace scalestudy {

[[nodiscard]] nlohmann::json published_summary(const PublishedAnalysis& analysis);

}  // namespace scalestudy
