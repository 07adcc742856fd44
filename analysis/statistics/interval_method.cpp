/// What intervals are called.

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

std::string_view describe(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::welch_on_logs:
      return "95 % Welch t interval on logarithms over launches";
    case IntervalMethod::welch:
      return "95 % Welch t interval over launches";
    case IntervalMethod::paired_on_logs:
      return "95 % paired t interval on logarithms over launches";
    case IntervalMethod::paired:
      return "95 % paired t interval over launches";
    case IntervalMethod::block_fit:
      return "95 % t interval of a fit over arms and blocks";
    case IntervalMethod::one_on_logs:
      return "95 % t interval on logarithms over launches";
    case IntervalMethod::one:
      return "95 % t interval over launches";
    case IntervalMethod::model_fit:
      return "95 % prediction interval of a fitted model";
    case IntervalMethod::two_speeds:
      return "no interval (launches run at two speeds: their mean is that of neither)";
    case IntervalMethod::not_determinable:
      break;
  }
  return "interval not determinable (fewer than 3 launches in a group)";
}

std::string describe(const Estimate& estimate) {
  std::string text(describe(estimate.method));
  if (estimate.is_apart) text += " (not paired: the runs of a repeat were not made together)";
  return text;
}

std::string_view short_name(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::paired_on_logs:
    case IntervalMethod::paired:
      return "paired t";
    case IntervalMethod::welch_on_logs:
    case IntervalMethod::welch:
      return "Welch t";
    case IntervalMethod::block_fit:
      return "block fit";
    case IntervalMethod::one_on_logs:
    case IntervalMethod::one:
      return "t";
    case IntervalMethod::model_fit:
      return "model";
    case IntervalMethod::two_speeds:
      return "two speeds";
    case IntervalMethod::not_determinable:
      break;
  }
  return "none";
}

}  // namespace scalestudy
