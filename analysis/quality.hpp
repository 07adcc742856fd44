#pragma once
/// Is the model as good? Only on one proven evaluation population.

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_set.hpp"
#include "analysis/statistics.hpp"

namespace scalestudy {

struct QualityPoint {
  std::int64_t ranks = 1;
  std::vector<double> best_validation_loss;  ///< one per run, finite ones
  std::vector<double> psnr_db;
  std::vector<double> final_loss;
  Estimate validation_loss_difference;  ///< N − 1; Welch
  Estimate psnr_difference;             ///< N − 1, dB
};

/// What the runs of a series were evaluated on.
struct EvaluationPopulation {
  bool known = false;      ///< some run recorded a hash
  bool identical = false;  ///< every evaluation of every run: same hash and count
  std::string hash;
  std::int64_t samples = 0;
  std::vector<std::string> differences;  ///< "noise2void-r2-…: 320 samples, hash …"
};

[[nodiscard]] EvaluationPopulation evaluation_population(const Series& series);

/// The differences are left out (NaN) when the populations differ: evaluation_set_differs.
[[nodiscard]] std::vector<QualityPoint> quality_by_ranks(const Series& series,
                                                         const EvaluationPopulation& population);

}  // namespace scalestudy
