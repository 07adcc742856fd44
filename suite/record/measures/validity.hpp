#pragma once
/// What makes a run invalid, found from its columns alone.

#include <string>
#include <vector>

#include "study/run_spec.hpp"

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Codes that the file holds and those that its columns give; none: valid. `spec`: that of
/// /settings/resolved. Local, pure.
[[nodiscard]] std::vector<std::string> validity_codes_of(const RunRecord& record,
                                                         const RunSpec& spec);

/// The same; where the file's specification cannot be read, the codes that the file holds.
[[nodiscard]] std::vector<std::string> validity_codes_of(const RunRecord& record);

/// Whether a host counted slow-downs by heat between its first look and a later one.
[[nodiscard]] bool was_throttled(const std::vector<MonitorRow>& monitor);

}  // namespace scalestudy
