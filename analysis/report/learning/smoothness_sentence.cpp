#include "analysis/report/learning/smoothness_sentence.hpp"

#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

std::string margin_text() {
  return cat(compact(smoothness_margin_frac * 100), "\u202f%");
}

/// "as predicted" is said of an interval that leaves no room for more than the margin.
bool is_equivalent(const Interval& interval, double predicted) {
  const double most = 1 + smoothness_margin_frac;
  return interval.low > predicted / most && interval.high < predicted * most;
}

std::string agreement(const Estimate& estimate, double predicted) {
  if (!estimate.interval) return "beside";
  if (is_equivalent(*estimate.interval, predicted)) return cat("within ", margin_text(), " of");
  return estimate.interval->contains(predicted) ? "compatible with" : "unlike";
}

/// What an interval that holds the prediction, but is wide, leaves open.
std::string left_open(const Estimate& estimate, double predicted) {
  if (!estimate.interval || !estimate.interval->contains(predicted) ||
      is_equivalent(*estimate.interval, predicted))
    return "";
  const bool is_change = std::abs(predicted - 1) >= 0.005;
  if (is_change && estimate.interval->contains(1)) return ", and with no change";
  return cat(", but not shown to be within ", margin_text(), " of it");
}

std::string prediction_text(const Smoothness& s, const Estimate& smoother) {
  const auto ratio = significant(s.weight_ratio, 3), averaged = compact(std::round(s.weight_ratio));
  const bool is_whole = std::abs(s.weight_ratio / std::round(s.weight_ratio) - 1) < 0.005;
  const std::string of_what =
      cat("averaging over ", is_whole ? ratio : cat(averaged, " (", ratio, ", rounded)"),
          " times as many samples a step");
  const double predicted = 1 / s.predicted_per_step;
  if (!std::isfinite(predicted))
    return cat(". What ", of_what, " would make of it is not predicted, because ",
               s.why_not_predicted, ".");
  return cat(", ", agreement(smoother, predicted), " the ", significant(predicted, 3), " that ",
             of_what, " predicts", left_open(smoother, predicted), ".");
}

std::string per_step_sentence(const Smoothness& s) {
  const Estimate smoother = inverse(s.per_step);
  return cat("Per step the loss curve of ", ranks_in_words(s.ranks, false), " is ",
             with_interval(smoother), " times as smooth as that of one",
             prediction_text(s, smoother));
}

/// "" where no rank averages over more samples: it would be the first comparison again.
std::string equal_samples_sentence(const Smoothness& s) {
  const Estimate equal = inverse(s.equal_samples);
  if (!std::isfinite(equal.value) || std::abs(s.weight_ratio - 1) < 0.01) return "";
  return cat("At equal samples per point (", s.window_samples, ") it is ", with_interval(equal),
             " times as smooth, ", agreement(equal, 1), " the 1 of sampling noise alone",
             left_open(equal, 1), ".");
}

}  // namespace

void add_smoothness(const Smoothness& s, Answer& answer) {
  if (s.is_invented) return;
  if (!std::isfinite(s.per_step.value)) {
    answer.say(
        "How rough the loss curve is cannot be told from these runs: there are fewer than four "
        "points of it, or some without a positive loss.");
    return;
  }
  answer.say(per_step_sentence(s));
  answer.note(equal_samples_sentence(s));
}

}  // namespace scalestudy
