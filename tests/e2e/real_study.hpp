#pragma once
/// A study of real training that takes seconds.

#include <algorithm>
#include <string>
#include <vector>

#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {

/// A small network on the shipped stack; `steps_per_epoch` decides how long it lasts.
inline void write_real_study(const Workplace& place,
                             const std::string& axes,
                             int repeats,
                             int steps_per_epoch) {
  write_text(
      place.study_file(),
      cat(R"({"schema": 1, "workload": "noise2void",
    "data": {"path": ")",
          test::in_sources("workloads/noise2void/data/chromosomes.tif"), R"("},
    "settings": {"patch": [4, 16, 16], "mask_count_rule": "nominal", "first_filters": 8, "local_batch_size": 4,
                 "epochs": 4, "steps_per_epoch": )",
          steps_per_epoch, R"(, "panel_region": [8, 32, 32], "memory_format": "channels_last",
                 "timeouts": {"collective_deadline_s": 60, "run_timeout_s": 600}},
    "axes": {)",
          axes, R"(}, "repeats": )", repeats, "}"));
}

inline std::vector<RunRecord> records_of(const Workplace& place) {
  std::vector<RunRecord> records;
  for (const auto& folder : place.run_folders())
    records.push_back(read_run_file(folder / "run.h5"));
  return records;
}

}  // namespace scalestudy
