#pragma once
/// What the labels of a series' runs mean for its times, in words.

#include <string>

#include "analysis/run_set.hpp"

namespace scalestudy {

/// Which runs had to share their cores, with the reason of the worst; "" where none had to.
[[nodiscard]] std::string busy_sentence(const Series& series);

/// How many runs' steps did not take as long all the way through, and how much that matters; ""
/// where all did.
[[nodiscard]] std::string unsteady_sentence(const Series& series);

/// What else is to be known about the times; "" where no run has a label.
[[nodiscard]] std::string label_sentence(const Series& series);

}  // namespace scalestudy
