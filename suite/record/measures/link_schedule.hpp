#pragma once
/// What exchanging gradients over an emulated link takes at best: the pieces that were sent, when
/// they were ready, and the model of the link (METRICS.md#emulated-link). Local, pure.

#include <cstddef>
#include <functional>
#include <vector>

#include "study/run_spec.hpp"

#include "record/run_file/step_columns.hpp"

namespace scalestudy {

/// What a strategy sends together, by the common clock.
struct SentPiece {
  double ready_s = 0;  ///< on all ranks
  double bytes = 0;
};

/// Of one step, by the piece's place in the order of sending; `ready_s` of the rows by one clock.
[[nodiscard]] std::vector<SentPiece> pieces_of(const std::vector<BucketRow>& rows_of_step);

/// All of a step's exchange, one after the other. Contract: `spec` has a link.
[[nodiscard]] double exchange_model_s(const RunSpec& spec, const std::vector<SentPiece>& pieces);

/// Of one step, after its last gradient was ready on all ranks: each piece is sent when it is ready
/// everywhere and the one before it is through, end_k = max(ready_k, end_{k−1}) + time_s(k, its
/// bytes).
[[nodiscard]] double exposed_after_last_s(
    const std::vector<SentPiece>& pieces,
    const std::function<double(std::size_t number, double bytes)>& time_s);

/// That of the link's model, with what handing round parameters takes. Contract: likewise.
[[nodiscard]] double best_exposed_s(const RunSpec& spec, const std::vector<SentPiece>& pieces);

}  // namespace scalestudy
