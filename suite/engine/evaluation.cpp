#include "engine/evaluation.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

std::int64_t evaluation_batch_size(const RunSpec& spec, std::int64_t samples) {
  return std::min(spec.settings.evaluation_batch_size, std::max<std::int64_t>(samples, 1));
}

std::vector<EvaluationBatch> evaluation_batches(std::int64_t samples,
                                                std::int64_t batch_size,
                                                Rank rank,
                                                WorldSize world_size) {
  SCALESTUDY_EXPECT(batch_size > 0);
  std::vector<EvaluationBatch> batches;
  for (auto first = rank.value() * batch_size; first < samples;
       first += world_size.value() * batch_size)
    batches.push_back({first, std::min(batch_size, samples - first)});
  return batches;
}

std::vector<double> evaluate_samples(const Communicator& comm,
                                     std::int64_t samples,
                                     std::int64_t batch_size,
                                     std::int64_t columns,
                                     const BatchEvaluation& evaluate) {
  const auto width = static_cast<std::size_t>(columns);
  const auto count = static_cast<std::size_t>(samples);
  // Behind the values: how often each sample was evaluated.
  std::vector<double> all(count * width + count, 0.0);
  for (const auto& batch :
       evaluation_batches(samples, batch_size, comm.rank(), comm.world_size())) {
    const auto first = static_cast<std::size_t>(batch.first);
    const auto size = static_cast<std::size_t>(batch.count);
    evaluate(batch, std::span(all).subspan(first * width, size * width));
    for (std::size_t i = 0; i < size; ++i) all[count * width + first + i] += 1;
  }
  // Each value is one rank's number plus zeros: the sum is exact whatever the world size.
  comm.all_reduce(view_of(std::span<double>(all)));
  for (std::size_t i = 0; i < count; ++i) {
    const auto times = all[count * width + i];
    if (times != 1)
      throw RunFailed({cat("Sample ", i, " of the evaluation set was evaluated ", times, " times"),
                       "quality would be that of another population",
                       "This is a defect of the workload's evaluation; report it"});
  }
  all.resize(count * width);
  return all;
}

double column_sum(std::span<const double> values, std::int64_t columns, std::int64_t column) {
  double sum = 0;
  for (auto i = static_cast<std::size_t>(column); i < values.size();
       i += static_cast<std::size_t>(columns))
    sum += values[i];
  return sum;
}

SetHash merged(const Communicator& comm, const SetHash& mine) {
  const std::vector<std::int64_t> part{static_cast<std::int64_t>(mine.sum()),
                                       static_cast<std::int64_t>(mine.count())};
  std::vector<std::int64_t> parts(part.size() * comm.world_size().index());
  comm.all_gather(const_view_of(std::span(part)), view_of(std::span(parts)));
  SetHash whole;
  for (std::size_t i = 0; i < parts.size(); i += 2)
    whole.merge(SetHash::from_parts(static_cast<std::uint64_t>(parts[i]),
                                    static_cast<std::uint64_t>(parts[i + 1])));
  return whole;
}

}  // namespace scalestudy
