#pragma once
/// Evaluation that gives the same answer at every number of ranks: the same batches, in the same
/// composition, each evaluated by exactly one rank, and sums added in the same order.

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "core/hash.hpp"
#include "core/parallel.hpp"

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"
#include "record/run_file/columns.hpp"

namespace scalestudy {

/// Global result of one evaluation: what becomes a row of /evaluations. The epoch loop fills in the
/// epoch; quality metrics that a workload does not have stay NaN.
using Evaluation = EvaluationRow;

/// Samples [first, first + count) of the evaluation set. Every batch is padded to the same size, so
/// that the last one runs through the same kernels as the others; what is beyond `count` is not
/// evaluated.
struct EvaluationBatch {
  std::int64_t first = 0;
  std::int64_t count = 0;

  /// What stands at place `i` of the padded batch: behind the last sample, that one again.
  [[nodiscard]] std::int64_t sample_at(std::int64_t i) const {
    return first + std::min(i, count - 1);
  }
};

/// settings.evaluation_batch_size, or all samples where there are fewer: nothing but padding would
/// fill the rest.
[[nodiscard]] std::int64_t evaluation_batch_size(const RunSpec& spec, std::int64_t samples);

/// The batches this rank evaluates: every world_size-th one.
[[nodiscard]] std::vector<EvaluationBatch> evaluation_batches(std::int64_t samples,
                                                              std::int64_t batch_size,
                                                              Rank rank,
                                                              WorldSize world_size);

/// Fills `values` (`columns` per sample of the batch, sample-major) of one batch.
using BatchEvaluation = std::function<void(const EvaluationBatch&, std::span<double> values)>;

/// Evaluates all samples once and returns `columns` values per sample, in the set's order:
/// bit-equal on all ranks and at every world size. Collective. Errors: RunFailed when a sample was
/// evaluated not exactly once.
[[nodiscard]] std::vector<double> evaluate_samples(const Communicator& comm,
                                                   std::int64_t samples,
                                                   std::int64_t batch_size,
                                                   std::int64_t columns,
                                                   const BatchEvaluation& evaluate);

/// Column `column` of evaluate_samples()'s values, added in the set's order.
[[nodiscard]] double column_sum(std::span<const double> values,
                                std::int64_t columns,
                                std::int64_t column);

/// The hash of the whole evaluation set from each rank's part. Collective.
[[nodiscard]] SetHash merged(const Communicator& comm, const SetHash& mine);

}  // namespace scalestudy
