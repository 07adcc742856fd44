#include "analysis/quality.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using Population = std::pair<std::string, std::int64_t>;  // hash, samples

std::vector<double> finite(std::vector<double> values) {
  values.erase(
      std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }),
      values.end());
  return values;
}

/// Which populations the runs were evaluated on, with one run of each as witness.
std::map<Population, std::string> populations(const Series& series) {
  std::map<Population, std::string> found;
  for (const auto& [ranks, runs] : series.by_ranks) {
    for (const Run* run : runs) {
      const Table& table = run->record.evaluations;
      const auto& hashes = table.text(evaluation_column::evaluation_set_hash);
      const auto& counts = table.values(evaluation_column::sample_count);
      for (std::size_t i = 0; i < std::min(hashes.size(), counts.size()); ++i) {
        const Population population{hashes[i], static_cast<std::int64_t>(counts[i])};
        found.emplace(population, run->record.header.run_id);
      }
    }
  }
  return found;
}

}  // namespace

EvaluationPopulation evaluation_population(const Series& series) {
  const auto found = populations(series);
  EvaluationPopulation result;
  result.known = !found.empty();
  result.identical = found.size() == 1;
  if (result.known) {
    result.hash = found.begin()->first.first;
    result.samples = found.begin()->first.second;
  }
  if (found.size() > 1) {
    for (const auto& [population, run] : found) {
      result.differences.push_back(
          cat(run, ": ", population.second, " samples, hash ", population.first));
    }
  }
  return result;
}

std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                           const EvaluationPopulation& population) {
  std::vector<QualityPoint> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    QualityPoint point;
    point.ranks = ranks;
    point.best_validation_loss = finite(series.learning(ranks, &RunMeasures::best_validation_loss));
    point.psnr_db = finite(series.learning(ranks, &RunMeasures::psnr_db));
    point.final_loss = finite(series.learning(ranks, &RunMeasures::final_loss));
    if (population.identical) {
      point.validation_loss_difference = difference(
          point.best_validation_loss, series.learning(1, &RunMeasures::best_validation_loss));
      point.psnr_difference = difference(point.psnr_db, series.learning(1, &RunMeasures::psnr_db));
    }
    all.push_back(std::move(point));
  }
  return all;
}

}  // namespace scalestudy
