#pragma once
/// A replay with faults on purpose.

#include <string>

#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {

/// One run of two ranks, 40 steps of some milliseconds.
class InjectedReplay : public Workplace {
 public:
  InjectedReplay() {
    write_text(study_file(), R"({"schema": 1, "workload": "replay",
      "settings": {"layer_forward_us": [500], "layer_backward_us": [1000], "layer_parameters": [100],
                   "local_batch_size": 2, "epochs": 1, "steps_per_epoch": 40, "evaluation_us": 0,
                   "schedule": {"name": "constant"}, "checkpoint": {"every_epochs": 0},
                   "timeouts": {"collective_deadline_s": 60, "run_timeout_s": 600}},
      "axes": {"ranks": [2], "scaling_rule": ["strong"]}, "repeats": 1})");
  }
  [[nodiscard]] Finished inject(const std::string& fault) const {
    return run({}, {"--inject", fault});
  }
  [[nodiscard]] RunRecord record() const { return read_run_file(run_folders().at(0) / "run.h5"); }
};

}  // namespace scalestudy
