#pragma once
/// What is measured and shown once, with the best weights, beside the evaluation itself.

#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

struct FinalResults {
  std::vector<SampleRow> samples;  ///< the evaluation set in its order; equal on all ranks
  std::vector<Panel> panels;
  double panels_s = 0;  ///< of the final evaluation, what nothing but panels need
};

}  // namespace scalestudy
