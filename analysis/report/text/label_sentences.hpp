#pragma once
/// What the labels of a series' runs mean for its times, in words.

#include <string>
#include <vector>

#include "analysis/series/run_set.hpp"

namespace scalestudy {

/// "no_payload", "injected: slow-rank=1:1.2x": every label that some of the runs have, by the
/// names of run files.
[[nodiscard]] std::vector<std::string> labels_of(const std::vector<const Run*>& runs);
[[nodiscard]] std::vector<std::string> labels_of(const Series& series);

/// The same in one text, separated by semicolons; "" without any.
[[nodiscard]] std::string label_list(const Series& series);

/// For people: "emulated link".
[[nodiscard]] std::string label_words(std::string labels);

/// Whether its losses and qualities are a replay's: settings invented them, no model has them.
[[nodiscard]] bool has_invented_losses(const Series& series);

/// Which runs had to share their cores, with the reason of the worst; "" where none had to.
[[nodiscard]] std::string busy_sentence(const Series& series);

/// How many runs were not stationary, and how much that matters; ""
/// where all did.
[[nodiscard]] std::string unsteady_sentence(const Series& series);

/// What else is to be known about the times; "" where no run has a label.
[[nodiscard]] std::string label_sentence(const Series& series);

}  // namespace scalestudy
