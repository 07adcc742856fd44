#include "analysis/report/smoothness_sentence.hpp"

#include <cmath>

#include "core/text.hpp"

#include "analysis/report/numbers.hpp"

namespace scalestudy {
namespace {

std::string agreement(const Estimate& estimate, double predicted) {
  if (!estimate.interval) return "beside";
  return estimate.interval->contains(predicted) ? "compatible with" : "unlike";
}

/// Said where it would be left open which of both holds.
std::string or_no_change(const Estimate& estimate, double predicted) {
  const bool is_another = std::abs(predicted - 1) >= 0.005;
  return is_another && estimate.interval && estimate.interval->contains(predicted) &&
                 estimate.interval->contains(1)
             ? ", and with no change"
             : "";
}

std::string prediction_text(const Smoothness& s, const Estimate& smoother) {
  const std::string of_what =
      cat("averaging over ", significant(s.weight_ratio, 3), " times as many samples a step");
  const double predicted = 1 / s.predicted_per_step;
  if (!std::isfinite(predicted))
    return cat(". What ", of_what, " would make of it is not predicted, because ",
               s.why_not_predicted, ".");
  return cat(", ", agreement(smoother, predicted), " the ", significant(predicted, 3), " that ",
             of_what, " predicts", or_no_change(smoother, predicted), ".");
}

}  // namespace

std::string smoothness_sentence(const Smoothness& s) {
  if (!std::isfinite(s.per_step.value)) {
    return "How rough the loss curve is cannot be told from these runs: there are fewer than four "
           "points of it, or some without a positive loss.";
  }
  const Estimate smoother = inverse(s.per_step);
  std::string text =
      cat("Per step the loss curve of ", ranks_in_words(s.ranks, false), " is ",
          with_interval(smoother), " times as smooth as that of one", prediction_text(s, smoother));
  const Estimate equal = inverse(s.equal_samples);
  // Where no rank averages over more samples, the second comparison is the first one again.
  if (!std::isfinite(equal.value) || std::abs(s.weight_ratio - 1) < 0.01) return text;
  return cat(text, " At equal samples per point (", s.window_samples, ") it is ",
             with_interval(equal), " times as smooth, ", agreement(equal, 1),
             " the 1 of sampling noise alone.");
}

}  // namespace scalestudy
