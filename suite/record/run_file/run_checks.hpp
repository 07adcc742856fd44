#pragma once
/// What no run file may hold, in whatever format: files come from anywhere. Errors of all:
/// hdf5::Failure naming the data set.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "record/run_file/run_record.hpp"

namespace scalestudy::run_checks {

/// A written value takes eight bytes of a file, but those that a killed writer of an earlier
/// version left as holes none.
inline constexpr std::uint64_t room_for_small_files = 1U << 16U;

/// Refuses a version of the file that this build does not read.
void require_known_schema(std::int64_t schema);

/// Finds the status of this name.
[[nodiscard]] RunStatus status_named(const std::string& name);

/// Refuses what is no number of ranks, steps, samples or bytes; −1 is none.
void require_whole_numbers(std::span<const double> values, const std::string& path);

/// Refuses a text that is longer than any settings.
void require_text_of_settings(const std::string& text, const std::string& path);

/// Refuses an image that no writer makes: larger samples are averaged down before.
void require_small_panel(std::uint64_t height_px, std::uint64_t width_px, const std::string& path);
void require_few_panels(std::size_t count);

/// Refuses rows of ranks that there are not. Drops those of no rank.
void require_agreement(RunRecord& record);

}  // namespace scalestudy::run_checks
