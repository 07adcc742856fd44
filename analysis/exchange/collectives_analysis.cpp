#include "analysis/exchange/collectives_analysis.hpp"

#include <utility>

namespace scalestudy {

CollectivesAnalysis analyse_collectives(Series series) {
  CollectivesAnalysis analysis;
  for (const auto& [ranks, runs] : series.by_ranks) {
    std::vector<const std::vector<CollectiveTimesOfRun>*> times;
    for (const Run* run : runs) times.push_back(&run->digest.collectives);
    const auto points = collective_points(times, ranks);
    const auto fits = collective_fits(times, points);
    analysis.points.insert(analysis.points.end(), points.begin(), points.end());
    analysis.fits.insert(analysis.fits.end(), fits.begin(), fits.end());
  }
  analysis.series = std::move(series);
  return analysis;
}

}  // namespace scalestudy
