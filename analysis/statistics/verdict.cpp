#include "analysis/statistics/verdict.hpp"

namespace scalestudy {

Chances chances(const Estimate& estimate, double limit) {
  if (!estimate.interval) return {};
  const double beyond = estimate.value - limit;
  if (!(estimate.standard_error > 0)) return {beyond > 0 ? 0.0 : 1.0, beyond < 0 ? 0.0 : 1.0};
  const double both =
      student_t_p_value(beyond / estimate.standard_error, estimate.degrees_of_freedom);
  return beyond > 0 ? Chances{both / 2, 1 - both / 2} : Chances{1 - both / 2, both / 2};
}

std::vector<Verdict> verdicts(std::span<const Chances> asked, bool is_loss) {
  std::vector<double> of_more, of_less;
  for (const auto& one : asked) {
    of_more.push_back(one.of_more);
    of_less.push_back(one.of_less);
  }
  const auto p_of_more = holm_adjusted(of_more), p_of_less = holm_adjusted(of_less);
  std::vector<Verdict> all(asked.size(), Verdict::undecided);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool is_more = p_of_more[i] < significance_level;
    const bool is_less = p_of_less[i] < significance_level;
    if (is_more && is_loss && !is_less) all[i] = Verdict::supported;
    if (is_less && !is_more) all[i] = Verdict::refuted;
  }
  return all;
}

}  // namespace scalestudy
