#include "driver/commands/resume_options.hpp"

#include <CLI/CLI.hpp>

namespace scalestudy {

void add_resume_options(CLI::App& app, ResumePolicy& policy) {
  app.add_flag("--fresh", policy.fresh,
               "Start unfinished runs from the beginning, not from their checkpoints");
  app.add_flag("--accept-mixed", policy.accept_mixed,
               "Keep results of another build or machine in DIR");
  app.add_flag("--redo-busy", policy.redo_busy,
               "Repeat runs labelled busy_machine or beyond their emulated link; keep the old "
               "results aside");
  app.add_flag("--no-trial", policy.no_trial,
               "Skip the warm-up trial: the first run may find a cold machine");
}

}  // namespace scalestudy
