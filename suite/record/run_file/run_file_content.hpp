#pragma once
/// What the bytes of a run file hold, closed or open.

#include <cstddef>
#include <span>
#include <string>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Fills `record`, but for `file` and `content_sha256`. Returns what is wrong with the content, or
/// "". Bytes that nobody tried in a sandbox may hang or crash the caller. Local.
[[nodiscard]] std::string problem_reading(std::span<const std::byte> bytes, RunRecord& record);

}  // namespace scalestudy
