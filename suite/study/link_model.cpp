#include "study/link_model.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/reduction_reach.hpp"

namespace scalestudy {
namespace {

double message_s(double latency_s, double bandwidth_bytes_per_s, double bytes) {
  return latency_s + bytes / bandwidth_bytes_per_s;
}

/// Slower than any network that anyone trains over.
constexpr double least_bandwidth_bytes_per_s = 1e3;

bool is_crawling(double bandwidth_bytes_per_s) {
  return bandwidth_bytes_per_s > 0 && bandwidth_bytes_per_s < least_bandwidth_bytes_per_s;
}

double bytes_per_gradient(const CommonSettings& settings) {
  return settings.compression == Compression::none ? 4 : 2;
}

std::string wire_text(double latency_s, double bandwidth_bytes_per_s) {
  std::ostringstream text;
  text << bandwidth_bytes_per_s / 1e9 << " GB/s a rank, " << latency_s * 1e6 << " µs";
  return text.str();
}

}  // namespace

double LinkModel::between_hosts_s(double bytes) const {
  return message_s(link_.latency_s, link_.bandwidth_bytes_per_s, bytes);
}

double LinkModel::within_host_s(double bytes) const {
  return message_s(link_.host_latency_s, link_.host_bandwidth_bytes_per_s, bytes);
}

/// All ranks pass a piece on to the next one; the slowest of these links decides.
double LinkModel::ring_step_s(double bytes) const {
  if (ranks_ <= link_.ranks_per_host) return within_host_s(bytes);
  if (link_.ranks_per_host == 1) return between_hosts_s(bytes);
  return std::max(between_hosts_s(bytes), within_host_s(bytes));
}

/// Every rank deals with the one whose number differs in the bit `distance` only.
double LinkModel::pair_step_s(std::int64_t distance, double bytes) const {
  const bool stays_within =
      ranks_ <= link_.ranks_per_host || link_.ranks_per_host % (2 * distance) == 0;
  return stays_within ? within_host_s(bytes) : between_hosts_s(bytes);
}

/// ⌈log2 ranks⌉ steps with all bytes.
double LinkModel::whole_steps_s(std::int64_t ranks, double bytes) const {
  double time_s = 0;
  for (std::int64_t distance = 1; distance < ranks; distance *= 2)
    time_s += pair_step_s(distance, bytes);
  return time_s;
}

/// ⌈log2 ranks⌉ steps, each with all that a rank has by then: 1, 2, 4, … shares, and in the last
/// one what is missing. All together they carry ranks − 1 shares.
double LinkModel::growing_steps_s(std::int64_t ranks, double bytes) const {
  const double share = bytes / static_cast<double>(ranks);
  double time_s = 0;
  for (std::int64_t distance = 1; distance < ranks; distance *= 2) {
    const auto shares = std::min(distance, ranks - distance);
    time_s += pair_step_s(distance, static_cast<double>(shares) * share);
  }
  return time_s;
}

std::int64_t LinkModel::largest_power_of_two() const {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(ranks_)));
}

double LinkModel::all_reduce_s(double bytes) const {
  return levels_ == LinkLevels::two ? two_level_all_reduce_s(bytes) : one_level_all_reduce_s(bytes);
}

/// Every rank sums one share over its host, then over the hosts, and hands it to its host.
double LinkModel::two_level_all_reduce_s(double bytes) const {
  const auto on_host = std::min(ranks_, link_.ranks_per_host);
  auto between_hosts = link_;
  between_hosts.ranks_per_host = 1;
  const LinkModel within(link_, on_host), between(between_hosts, ranks_ / on_host);
  return within.reduce_scatter_s(bytes) +
         between.all_reduce_s(bytes / static_cast<double>(on_host)) + within.all_gather_s(bytes);
}

/// Ring: a reduce-scatter, then an all-gather. Tree: up and down. Recursive doubling of other
/// numbers than powers of two: those too many hand theirs to a neighbour before and get the sum
/// from it afterwards.
double LinkModel::one_level_all_reduce_s(double bytes) const {
  if (ranks_ == 1) return 0;
  const auto doubling = largest_power_of_two();
  switch (link_.algorithm) {
    case LinkAlgorithm::ring:
      return 2 * all_gather_s(bytes);
    case LinkAlgorithm::tree:
      return 2 * whole_steps_s(ranks_, bytes);
    case LinkAlgorithm::recursive_doubling:
      return whole_steps_s(doubling, bytes) + (doubling < ranks_ ? 2 * pair_step_s(1, bytes) : 0);
    case LinkAlgorithm::none:
      break;
  }
  SCALESTUDY_EXPECT(false);
}

/// Ring: pieces go round, each to its rank, then an all-gather.
double LinkModel::broadcast_s(double bytes) const {
  if (ranks_ == 1) return 0;
  if (link_.algorithm == LinkAlgorithm::ring) return 2 * all_gather_s(bytes);
  return whole_steps_s(ranks_, bytes);
}

/// Tree: to one rank, then a broadcast. Recursive doubling of other numbers than powers of two: as
/// Bruck et al. 1997, which takes as many steps.
double LinkModel::all_gather_s(double bytes) const {
  if (ranks_ == 1) return 0;
  switch (link_.algorithm) {
    case LinkAlgorithm::ring:
      return static_cast<double>(ranks_ - 1) * ring_step_s(bytes / static_cast<double>(ranks_));
    case LinkAlgorithm::tree:
      return growing_steps_s(ranks_, bytes) + whole_steps_s(ranks_, bytes);
    case LinkAlgorithm::recursive_doubling:
      return growing_steps_s(ranks_, bytes);
    case LinkAlgorithm::none:
      break;
  }
  SCALESTUDY_EXPECT(false);
}

/// The all-gather backwards; recursive halving of other numbers than powers of two hands over
/// before and afterwards, as all_reduce.
double LinkModel::reduce_scatter_s(double bytes) const {
  const auto halving = largest_power_of_two();
  if (link_.algorithm != LinkAlgorithm::recursive_doubling || halving == ranks_)
    return all_gather_s(bytes);
  return pair_step_s(1, bytes) + growing_steps_s(halving, bytes) +
         pair_step_s(1, bytes / static_cast<double>(ranks_));
}

LinkModel gradient_link_of(const RunSpec& spec) {
  const bool is_in_two_levels = spec.reduction == Reduction::hierarchical;
  return {spec.settings.link, spec.ranks, is_in_two_levels ? LinkLevels::two : LinkLevels::one};
}

std::string unusable_link(const RunSpec& spec, bool learns) {
  const auto& link = spec.settings.link;
  if (link.algorithm == LinkAlgorithm::none)
    return link == LinkSettings() ? "" : "settings.link says how, but its algorithm is none";
  for (const auto bandwidth : {link.bandwidth_bytes_per_s, link.host_bandwidth_bytes_per_s})
    if (is_crawling(bandwidth))
      return cat("settings.link has a bandwidth of ", bandwidth,
                 " bytes/s, less than the 1 kB/s that are emulated");
  if (link.bandwidth_bytes_per_s == 0)
    return cat("settings.link.algorithm ", link.algorithm,
               " needs settings.link.bandwidth_bytes_per_s");
  const bool has_inner = link.host_latency_s > 0 || link.host_bandwidth_bytes_per_s > 0;
  if (link.ranks_per_host == 1 && has_inner)
    return "settings.link.host_latency_s and host_bandwidth_bytes_per_s have no meaning with one "
           "rank on each host: set settings.link.ranks_per_host";
  if (link.ranks_per_host > 1 && link.host_bandwidth_bytes_per_s == 0)
    return cat("settings.link.ranks_per_host ", link.ranks_per_host,
               " needs settings.link.host_bandwidth_bytes_per_s");
  const auto summed_on_host = ranks_per_host(spec.settings);
  if (spec.reduction == Reduction::hierarchical && summed_on_host != link.ranks_per_host)
    return cat("reduction hierarchical sums over settings.hierarchical.ranks_per_host ",
               summed_on_host,
               ", but hosts of the emulated link have settings.link.ranks_per_host ",
               link.ranks_per_host, ": set both alike");
  if (link.payload == Payload::full) return "";
  if (spec.reduction == Reduction::sharded_optimizer)
    return "settings.link.payload none has no meaning with reduction sharded_optimizer, whose "
           "ranks get different parts";
  if (learns)
    return cat("settings.link.payload none moves no gradients, from which workload ", spec.workload,
               " learns");
  if (spec.settings.compression != Compression::none)
    return cat("settings.link.payload none leaves settings.compression ", spec.settings.compression,
               " nothing to compress");
  return "";
}

double least_exchange_s(const RunSpec& spec, double gradient_count) {
  const auto model = gradient_link_of(spec);
  const auto bytes = gradient_count * bytes_per_gradient(spec.settings);
  switch (properties_of(spec.reduction).updating) {
    case Updating::everywhere:
      if (spec.reduction != Reduction::reduce_to_one) return model.all_reduce_s(bytes);
      break;
    case Updating::at_one_rank:
      break;
    case Updating::in_shards:
      return model.reduce_scatter_s(bytes) + model.all_gather_s(bytes);
  }
  return model.reduce_s(bytes) + model.broadcast_s(bytes);
}

std::string unusable_link_speed(const RunSpec& spec, double gradient_count) {
  const auto& settings = spec.settings;
  if (settings.link.algorithm == LinkAlgorithm::none) return "";
  if (!properties_of(spec.reduction).averages_gradients) return "";
  const double exchange_s = least_exchange_s(spec, gradient_count);
  const double deadline_s = settings.timeouts.collective_deadline_s;
  if (exchange_s <= deadline_s) return "";
  return cat("settings.link takes ", human_duration(exchange_s), " to exchange the gradients of a ",
             "step, longer than settings.timeouts.collective_deadline_s ", deadline_s,
             ", after which a run counts as hanging: take a faster link or a longer deadline");
}

std::string to_text(const LinkSettings& link) {
  if (link.algorithm == LinkAlgorithm::none) return "";
  auto text = cat(link.algorithm, ", ", wire_text(link.latency_s, link.bandwidth_bytes_per_s));
  if (link.ranks_per_host > 1)
    text += cat(" between hosts of ", link.ranks_per_host, " ranks, within them ",
                wire_text(link.host_latency_s, link.host_bandwidth_bytes_per_s));
  return text;
}

}  // namespace scalestudy
