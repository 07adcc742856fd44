#pragma once
/// Causes of lost time injected into a run, and what of them its recorded columns must show.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/statistics.hpp"

#include "record/run_file/run_record.hpp"

#include "tests/support/fake_training.hpp"

namespace scalestudy {

inline constexpr std::int64_t steps = 55;
inline constexpr std::int64_t first_counted = 5;

struct Cause {
  std::string name;
  std::vector<std::string> injections;
  bool batch_norm = false;
  InputKind input = InputKind::sharded;
  std::string settings;  ///< of the replay, as JSON members: ", \"drift_frac\": 1"

  /// The same without what it is about.
  [[nodiscard]] Cause left_out() const { return {name, {}, batch_norm, input, {}}; }
};

inline RunSpec spec_of(const Cause& cause, std::int64_t ranks) {
  auto spec = spec_of_fake_training(ranks, 1, steps, ranks);
  spec.workload = "replay";
  spec.settings.local_batch_size = 1;
  spec.settings.checkpoint.every_epochs = 0;
  spec.settings.memory_format = MemoryFormat::contiguous;
  spec.settings.evaluation_threads = 1;
  spec.input = cause.input;
  if (cause.batch_norm) spec.settings.batch_norm = BatchNormPolicy::synchronised;
  spec.injections = injections_from(cause.injections, cause.name);
  spec.workload_settings =
      R"({"layer_forward_us": [1000, 1000], "layer_backward_us": [1500, 1500],)"
      R"("layer_parameters": [4000, 2000], "optimizer_us": 200, "evaluation_us": 0)" +
      cause.settings + "}";
  return spec;
}

/// Median over the steps after the first ones.
inline double median_of(const RunRecord& run, StepColumn column, std::int64_t rank) {
  std::vector<double> values;
  for (std::int64_t step = first_counted; step < run.steps.steps(); ++step)
    values.push_back(run.steps.at(column, rank, step));
  return median(std::move(values));
}

/// Replays a cause, or its absence, and reads what was recorded.
using Replay = std::function<RunRecord(const Cause&)>;

/// What a column of a rank gains by the cause, against the same replay without one.
struct Gain {
  StepColumn column;
  std::int64_t rank;
  std::function<double(const RunRecord& without)> expected_s;
};

/// Parts of a step, each of which is timed on its own.
inline std::vector<Gain> all_still(std::int64_t ranks) {
  std::vector<Gain> still;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    for (const StepColumn column :
         {&StepRow::input_wait_s, &StepRow::host_to_device_s, &StepRow::forward_s,
          &StepRow::backward_s, &StepRow::peer_wait_s, &StepRow::exposed_transfer_s,
          &StepRow::phase_wait_s, &StepRow::phase_transfer_s, &StepRow::optimizer_s,
          &StepRow::other_s})
      still.push_back({column, rank, [](const RunRecord&) { return 0.0; }});
  return still;
}

/// `gains`, and nothing by all other parts of a step.
inline std::vector<Gain> only(const std::vector<Gain>& gains, std::int64_t ranks) {
  auto all = all_still(ranks);
  for (auto& one : all)
    for (const auto& gain : gains)
      if (gain.column.index() == one.column.index() && gain.rank == one.rank)
        one.expected_s = gain.expected_s;
  return all;
}

using Expected = std::function<double(const RunRecord& without)>;

inline Expected seconds(double s) {
  return [s](const RunRecord&) { return s; };
}
/// What a rank's passes take so many times longer by.
inline Expected times_forward(double more, std::int64_t rank) {
  return [=](const RunRecord& run) { return more * median_of(run, &StepRow::forward_s, rank); };
}
inline Expected times_backward(double more, std::int64_t rank) {
  return [=](const RunRecord& run) { return more * median_of(run, &StepRow::backward_s, rank); };
}
/// What the gradients of a step take at this rate, whose own transfer counts inside. The loss
/// weight goes before them, behind the backward pass.
inline Expected at_rate(double bytes_per_s, std::int64_t rank) {
  return [=](const RunRecord& run) {
    double bytes = 0;
    for (const auto& bucket : run.buckets)
      if (bucket.rank == rank && bucket.step == first_counted && bucket.bucket > 0)
        bytes += static_cast<double>(bucket.size_bytes);
    return bytes / bytes_per_s - median_of(run, &StepRow::exposed_transfer_s, rank);
  };
}
inline Expected operator+(const Expected& one, const Expected& other) {
  return [=](const RunRecord& run) { return one(run) + other(run); };
}

inline Gain peer_wait(std::int64_t rank, const Expected& s) {
  return {&StepRow::peer_wait_s, rank, s};
}
inline Gain transfer(std::int64_t rank, const Expected& s) {
  return {&StepRow::exposed_transfer_s, rank, s};
}
inline Gain forward(std::int64_t rank, const Expected& s) {
  return {&StepRow::forward_s, rank, s};
}
inline Gain backward(std::int64_t rank, const Expected& s) {
  return {&StepRow::backward_s, rank, s};
}
inline Gain input_wait(std::int64_t rank, const Expected& s) {
  return {&StepRow::input_wait_s, rank, s};
}
inline Gain phase_wait(std::int64_t rank, const Expected& s) {
  return {&StepRow::phase_wait_s, rank, s};
}
inline Gain optimizer(std::int64_t rank, const Expected& s) {
  return {&StepRow::optimizer_s, rank, s};
}

/// All other parts of a step gain nothing.
struct PlantedCase {
  Cause cause;
  std::vector<Gain> gains;
};

inline constexpr std::int64_t planted_ranks = 3;

/// Of planted_ranks ranks, of which rank 1 is the slow one.
inline std::vector<PlantedCase> planted_cases() {
  const auto x = seconds(0.02);
  const auto f = times_forward(4, 1);
  const auto b = times_backward(4, 1);
  const auto t = [](std::int64_t rank) { return at_rate(1.2e6, rank); };
  const auto u = seconds(0.005);
  return {{{"slow_rank", {"slow-rank=1:5x"}},
           {forward(1, f), backward(1, b), peer_wait(0, f + b), peer_wait(2, f + b)}},
          {{"slow_link", {"slow-link=1.2MB/s"}},
           {transfer(0, t(0)), transfer(1, t(1)), transfer(2, t(2))}},
          {{"slow_producer", {"slow-input=20ms:rank=1"}},
           {input_wait(1, x), peer_wait(0, x), peer_wait(2, x)}},
          {{"slow_optimizer", {"slow-optimizer=20ms"}},
           {optimizer(0, x), optimizer(1, x), optimizer(2, x)}},
          {{"slow_optimizer_of_one_rank", {"slow-optimizer=20ms:rank=1"}},
           {optimizer(1, x), peer_wait(0, x), peer_wait(2, x)}},
          // Not everybody's slow passes.
          {{"slow_rank_under_batch_norm", {"slow-rank=1:5x"}, true},
           {forward(1, f), backward(1, b), phase_wait(0, f + b), phase_wait(2, f + b)}},
          {{"all_at_once", {"slow-rank=1:5x", "slow-input=5ms:rank=1", "slow-link=1.2MB/s"}},
           {input_wait(1, u), forward(1, f), backward(1, b), peer_wait(0, u + f + b),
            peer_wait(2, u + f + b), transfer(0, t(0)), transfer(1, t(1)), transfer(2, t(2))}}};
}

inline void PrintTo(const PlantedCase& planted, std::ostream* out) {
  *out << planted.cause.name;
}

}  // namespace scalestudy
