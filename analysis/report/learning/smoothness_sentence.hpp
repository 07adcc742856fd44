#pragma once
/// Whether the loss curve of N ranks is smoother than averaging over their samples makes it, in
/// words.

#include "analysis/learning/smoothness.hpp"
#include "analysis/report/text/answer.hpp"

namespace scalestudy {

/// An interval within smoothness_margin_frac of the prediction is "within 10 % of" it; a wider one
/// that holds it is "compatible", and where no change is as well, both are said.
/// Nothing where the losses are a replay's.
void add_smoothness(const Smoothness& s, Answer& answer);

}  // namespace scalestudy
