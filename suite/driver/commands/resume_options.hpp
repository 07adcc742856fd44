#pragma once
/// Options of commands that go on with what a folder holds.

#include "driver/run/same_study.hpp"

namespace CLI {
class App;
}

namespace scalestudy {

void add_resume_options(CLI::App& app, ResumePolicy& policy);

}  // namespace scalestudy
