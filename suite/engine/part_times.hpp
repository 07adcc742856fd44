#pragma once
/// Where one rank's time goes outside its epochs, in columns of /ranks.

#include "core/clock.hpp"

#include "record/run_file/column.hpp"

namespace scalestudy {

/// NaN: the run did not come that far.
struct PartTimes {
  double data_read_s = not_recorded;         ///< from the training clock's zero
  double preparation_s = not_recorded;       ///< from then to the probe
  double probe_s = not_recorded;             ///< from then to the first step; equal on all ranks
  double first_pass_s = not_recorded;        ///< part of preparation_s
  double final_evaluation_s = not_recorded;  ///< without panels_s
  double panels_s = not_recorded;
};

}  // namespace scalestudy
