#pragma once
/// What trials said where a study left its memory format to them. Kept in plan.json.

#include <cstdint>
#include <string>

#include "study/choices.hpp"

namespace scalestudy {

/// For all runs of a study with this many threads and this precision.
struct MemoryFormatTrial {
  std::int64_t threads_per_rank = 1;
  Precision precision = Precision::fp32;
  MemoryFormat chosen = MemoryFormat::channels_last;
  double channels_last_step_s = 1;  ///< median of a trial's later steps
  double contiguous_step_s = 1;     ///< likewise
};

/// "contiguous with 2 threads and fp32, by a trial: steps of 90.0 ms; channels_last 113.0 ms"
[[nodiscard]] std::string to_text(const MemoryFormatTrial& trial);

[[nodiscard]] std::string to_json_text(const MemoryFormatTrial& trial);

/// Errors: BadInput naming `origin` and what is wrong.
[[nodiscard]] MemoryFormatTrial memory_format_trial_from_json_text(const std::string& text,
                                                                   const std::string& origin);

}  // namespace scalestudy
