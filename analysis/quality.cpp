#include "analysis/quality.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/text.hpp"

namespace scalestudy {
namespace {

using Sets = std::set<EvaluatedSet>;

std::vector<double> finite(std::vector<double> values) {
  values.erase(
      std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }),
      values.end());
  return values;
}

Sets sets_of(const RunRecord& record) {
  const Table& table = record.evaluations;
  const auto& names = table.text(evaluation_column::evaluation_set);
  const auto& hashes = table.text(evaluation_column::evaluation_set_hash);
  const auto& counts = table.values(evaluation_column::sample_count);
  Sets sets;
  for (std::size_t i = 0; i < std::min(hashes.size(), counts.size()); ++i) {
    // Files from before there were names have the validation set alone.
    const std::string name = i < names.size() ? names[i] : "validation";
    sets.insert({name, hashes[i], static_cast<std::int64_t>(counts[i])});
  }
  return sets;
}

bool is_one_per_name(const Sets& sets) {
  std::set<std::string> names;
  for (const EvaluatedSet& set : sets) names.insert(set.name);
  return names.size() == sets.size();
}

/// What the runs were evaluated on, with one run of each kind as witness.
std::map<Sets, std::string> kinds_of_evaluation(const Series& series) {
  std::map<Sets, std::string> found;
  for (const auto& [ranks, runs] : series.by_ranks) {
    for (const Run* run : runs) {
      auto sets = sets_of(run->record);
      if (!sets.empty()) found.emplace(std::move(sets), run->record.header.run_id);
    }
  }
  return found;
}

std::string described(const Sets& sets) {
  std::vector<std::string> parts;
  for (const EvaluatedSet& set : sets)
    parts.push_back(cat(set.samples, " ", set.name, " samples, hash ", set.hash));
  return join(parts, " and ");
}

/// Indices into quality_metrics().
std::vector<std::size_t> recorded_metrics(const Series& series) {
  std::vector<std::size_t> recorded;
  for (std::size_t m = 0; m < quality_metrics().size(); ++m) {
    const auto has_values = [&](const auto& group) {
      return !finite(series.quality(group.first, m)).empty();
    };
    if (std::any_of(series.by_ranks.begin(), series.by_ranks.end(), has_values))
      recorded.push_back(m);
  }
  return recorded;
}

}  // namespace

EvaluationPopulation evaluation_population(const Series& series) {
  const auto found = kinds_of_evaluation(series);
  EvaluationPopulation result;
  result.known = !found.empty();
  result.identical = found.size() == 1 && is_one_per_name(found.begin()->first);
  Sets all;
  for (const auto& [sets, run] : found) all.insert(sets.begin(), sets.end());
  result.sets.assign(all.begin(), all.end());
  if (result.known && !result.identical) {
    for (const auto& [sets, run] : found)
      result.differences.push_back(cat(run, ": ", described(sets)));
  }
  return result;
}

std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                           const EvaluationPopulation& population) {
  const auto recorded = recorded_metrics(series);
  std::vector<QualityPoint> all;
  for (const auto& [ranks, runs] : series.by_ranks) {
    QualityPoint point;
    point.ranks = ranks;
    point.best_validation_loss = finite(series.learning(ranks, &RunMeasures::best_validation_loss));
    point.final_loss = finite(series.learning(ranks, &RunMeasures::final_loss));
    for (const std::size_t m : recorded)
      point.metrics.push_back({&quality_metrics()[m], finite(series.quality(ranks, m)), {}});
    if (population.identical) {
      point.validation_loss_difference = difference(
          point.best_validation_loss, series.learning(1, &RunMeasures::best_validation_loss));
      for (std::size_t i = 0; i < recorded.size(); ++i)
        point.metrics[i].difference =
            difference(point.metrics[i].values, finite(series.quality(1, recorded[i])));
    }
    all.push_back(std::move(point));
  }
  return all;
}

}  // namespace scalestudy
