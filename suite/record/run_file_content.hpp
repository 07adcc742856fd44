#pragma once
/// What the bytes of a run file hold: the part of reading it that calls HDF5.

#include <cstddef>
#include <span>
#include <string>

#include "record/checksum.hpp"
#include "record/run_record.hpp"

namespace scalestudy {

/// Fills `record`, but for `file` and `content_sha256`. Returns what is wrong with the content, or
/// "". Bytes that nobody tried in a sandbox may hang or crash the caller. Local.
[[nodiscard]] std::string problem_reading(std::span<const std::byte> bytes,
                                          checksum::Finding finding,
                                          RunRecord& record);

}  // namespace scalestudy
