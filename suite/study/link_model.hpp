#pragma once
/// How long collectives take over a link that is emulated, and which links a run can have.
///
/// A message of n bytes takes α + n ÷ β (Hockney 1994: latency α, bandwidth β of a rank), each rank
/// sends one and receives one at a time, steps follow each other, adding up costs nothing, and
/// messages do not share a wire. What each algorithm does is as in Thakur, Rabenseifner and Gropp
/// 2005, "Optimization of Collective Communication Operations in MPICH", but for the ring's
/// broadcast. A step is as slow as its slowest message: one that any pair of ranks takes between
/// hosts costs what that costs.

#include <cstdint>
#include <string>

#include "study/run_spec.hpp"

namespace scalestudy {

/// All-reduces among all ranks at once, or within each host, between hosts and within them again.
enum class LinkLevels { one, two };

/// Of one run. Everything takes no time with one rank. Sizes are those of the whole result, or of
/// the whole input of reduce_scatter.
class LinkModel {
 public:
  /// Contract: link.algorithm is not none; with two levels all hosts have as many ranks.
  LinkModel(const LinkSettings& link, std::int64_t ranks, LinkLevels levels = LinkLevels::one)
      : link_(link), ranks_(ranks), levels_(levels) {}

  [[nodiscard]] double all_reduce_s(double bytes) const;
  [[nodiscard]] double broadcast_s(double bytes) const;  ///< from rank 0, as from any other
  /// To one rank: a broadcast backwards.
  [[nodiscard]] double reduce_s(double bytes) const { return broadcast_s(bytes); }
  [[nodiscard]] double all_gather_s(double bytes) const;
  [[nodiscard]] double reduce_scatter_s(double bytes) const;
  [[nodiscard]] double barrier_s() const { return one_level_all_reduce_s(0); }

 private:
  [[nodiscard]] double one_level_all_reduce_s(double bytes) const;
  [[nodiscard]] double two_level_all_reduce_s(double bytes) const;
  [[nodiscard]] double between_hosts_s(double bytes) const;
  [[nodiscard]] double within_host_s(double bytes) const;
  [[nodiscard]] double ring_step_s(double bytes) const;
  [[nodiscard]] double pair_step_s(std::int64_t distance, double bytes) const;
  [[nodiscard]] double whole_steps_s(std::int64_t ranks, double bytes) const;
  [[nodiscard]] double growing_steps_s(std::int64_t ranks, double bytes) const;
  [[nodiscard]] std::int64_t largest_power_of_two() const;

  LinkSettings link_;
  std::int64_t ranks_;
  LinkLevels levels_;
};

/// What the run's collectives on gradients take. Contract: it has a link that it can have.
[[nodiscard]] LinkModel gradient_link_of(const RunSpec& spec);

/// Why the run cannot have its settings.link, or "". `learns`: from its gradients, which then have
/// to be moved.
[[nodiscard]] std::string unusable_link(const RunSpec& spec, bool learns);

/// What exchanging a run's gradients in one step takes at least, in however many pieces. Contract:
/// as gradient_link_of().
[[nodiscard]] double least_exchange_s(const RunSpec& spec, double gradient_count);

/// Why settings.link is too slow for settings.timeouts, or "". Contract: the run can have its link.
[[nodiscard]] std::string unusable_link_speed(const RunSpec& spec, double gradient_count);

/// "ring, 0.05 GB/s a rank, 20 µs": what a reader must know of it; "" for none.
[[nodiscard]] std::string to_text(const LinkSettings& link);

}  // namespace scalestudy
