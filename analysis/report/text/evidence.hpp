#pragma once
/// What an estimate rests on, in words.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/series/floor.hpp"
#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// "95 % interval 2.02–2.14; 5 runs each"; also why they are not paired although that was declared.
/// `noun`: what is counted.
[[nodiscard]] std::string evidence(const Estimate& estimate,
                                   int digits = 3,
                                   const std::string& noun = "run");

/// So many of each would give the estimate an interval; 0 when it has one, or when runs are not
/// what it lacks.
[[nodiscard]] std::size_t missing_launches(const Estimate& estimate);

/// What would give the estimate an interval: "2 more repeats"; "" as above.
[[nodiscard]] std::string remedy(const Estimate& estimate);

/// "12 repeats", or "more than a hundred repeats": past that the number says nothing.
[[nodiscard]] std::string repeats_text(std::int64_t launches);

/// " (about 12 repeats would decide)"; "" where that is not known.
[[nodiscard]] std::string to_decide_text(std::optional<std::int64_t> launches);

/// Which differences count, in a sentence that begins with a space.
[[nodiscard]] std::string resolution_remark(const Resolution& resolution);

}  // namespace scalestudy
