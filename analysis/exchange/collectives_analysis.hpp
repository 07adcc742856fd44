#pragma once
/// What runs that measured collective operations, and trained nothing, say together.

#include <vector>

#include "analysis/exchange/collectives.hpp"
#include "analysis/series/run_set.hpp"

namespace scalestudy {

struct CollectivesAnalysis {
  Series series;
  std::vector<CollectivePoint> points;  ///< by ranks, operation and size
  std::vector<CollectiveFit> fits;      ///< by ranks and operation
};

[[nodiscard]] CollectivesAnalysis analyse_collectives(Series series);

}  // namespace scalestudy
