#pragma once
/// A study for commands that read one.

#include <filesystem>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/support/copied_study.hpp"

namespace scalestudy {

/// Three runs of one rank and three of two, which are twice as fast.
inline void add_one_and_two_ranks(const std::filesystem::path& study) {
  copy_study("one and two ranks", study, [](const std::filesystem::path& folder) {
    for (const std::int64_t ranks : {1, 2})
      write_group(folder, {.ranks = ranks, .epochs = 4 / ranks}, 3);
  });
}

}  // namespace scalestudy
