#pragma once
/// This process as the operating system sees it. Local.

#include <cstdint>

namespace scalestudy {

/// Since the process was started, program loading included [s]; resolution 10 ms.
[[nodiscard]] double process_age_s();

[[nodiscard]] std::int64_t peak_memory_bytes();

/// Memory that is freed stays with the process instead of going back to the kernel after every
/// step (10–14 % of a step, measured on three networks). With `in_huge_pages` the kernel is asked
/// for pages of 2 MiB for it (3–7 % of a step of U-Net). Returns whether they were granted. Before
/// much is allocated.
bool keep_freed_memory(bool in_huge_pages);

}  // namespace scalestudy
