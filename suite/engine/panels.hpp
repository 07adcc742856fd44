#pragma once
/// What a run shows of itself.

#include <vector>

#include "record/run_record.hpp"

namespace scalestudy {

struct Panels {
  std::vector<Panel> images;
  double making_s = 0;  ///< of the final evaluation, what nothing but they need
};

}  // namespace scalestudy
