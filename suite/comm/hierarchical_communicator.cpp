#include "comm/hierarchical_communicator.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"
#include "comm/forwarding_communicator.hpp"
#include "comm/host_sharing.hpp"
#include "comm/reduction.hpp"

namespace scalestudy {
namespace {

/// A rank's neighbours: those of its host, and of each host the one that stands where it does.
struct Neighbours {
  Communicator within;
  Communicator between;
};

/// The number of the host, by its first rank. Collective.
std::int64_t host_of(const Communicator& comm, std::int64_t ranks_per_host) {
  if (ranks_per_host > 0) return comm.rank().value() / ranks_per_host;
  const auto all = all_gather_text(comm, host_identity());
  return std::find(all.begin(), all.end(), all[comm.rank().index()]) - all.begin();
}

/// The ranks of `host`, which are processes of one machine, over its memory. Collective.
Communicator over_shared_memory(const Communicator& host, Seconds deadline) {
  const auto here = cat(getpid(), '-', Clock::now().time_since_epoch().count());
  const auto key = all_gather_text(host, here).front();
  return make_shm_communicator({.rank = host.rank(),
                                .world_size = host.world_size(),
                                .local_rank = host.rank(),
                                .key = "host-" + key,
                                .source = "the ranks of one host",
                                .session = {}},
                               deadline);
}

void require_equal_hosts(const Communicator& comm, const Communicator& within) {
  const auto mine = static_cast<double>(within.world_size().value());
  const auto most = all_reduce_value(comm, mine, ReduceOp::max);
  const auto least = all_reduce_value(comm, mine, ReduceOp::min);
  if (most == least) return;
  throw RunFailed({cat("some hosts have ", least, " ranks and others ", most),
                   "with a hierarchical reduction each rank exchanges with its like on every host",
                   "Start as many ranks on each host, or take another reduction"});
}

Neighbours neighbours_of(const Communicator& comm, const Hosts& hosts) {
  auto within = comm.split(host_of(comm, hosts.ranks_per_host), "within-host");
  if (hosts.joined_by == CommunicatorKind::mpi) within = over_shared_memory(within, hosts.deadline);
  require_equal_hosts(comm, within);
  return {within, comm.split(within.rank().value(), "between-hosts")};
}

class HierarchicalCommunicator final : public ForwardingCommunicator {
 public:
  HierarchicalCommunicator(Communicator comm, Neighbours neighbours, const Hosts& hosts)
      : ForwardingCommunicator(std::move(comm)),
        within_(std::move(neighbours.within)),
        between_(std::move(neighbours.between)),
        hosts_(hosts) {}

  [[nodiscard]] std::string transport() const override {
    return cat(within_.transport(), " within hosts, ", between_.transport(), " between them");
  }

  /// All meet first: a level of its own knows only when the ranks of that level had come.
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    auto times = comm().barrier();
    const auto share = buffer.count.value() / within_.world_size().value();
    const auto shared = share * within_.world_size().value();
    if (share > 0) reduce_shares(part_of(buffer, 0, shared), share, op);
    if (shared < buffer.count.value())
      reduce_at_once(part_of(buffer, shared, buffer.count.value() - shared), op);
    times.left = Clock::now();
    return times;
  }

  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return std::make_shared<HierarchicalCommunicator>(
        comm().duplicate(purpose),
        Neighbours{within_.duplicate(purpose), between_.duplicate(purpose)}, hosts_);
  }
  /// A part of the ranks on some of the hosts: once more from the beginning.
  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    auto part = comm().split(group, purpose);
    auto neighbours = neighbours_of(part, hosts_);
    return std::make_shared<HierarchicalCommunicator>(std::move(part), std::move(neighbours),
                                                      hosts_);
  }
  void abort(const std::string& reason, ExitCode exit_code) noexcept override {
    within_.abort(reason, exit_code);
    between_.abort(reason, exit_code);
    ForwardingCommunicator::abort(reason, exit_code);
  }
  void set_clock_offset(Seconds ahead) override {
    ForwardingCommunicator::set_clock_offset(ahead);
    within_.set_clock_offset(ahead);
    between_.set_clock_offset(ahead);
  }

 private:
  /// Every rank of a host has one share to do with the others' hosts.
  void reduce_shares(const BufferView& buffer, std::int64_t share, ReduceOp op) {
    const auto mine = part_of(buffer, within_.rank().value() * share, share);
    memory_.resize(static_cast<std::size_t>(mine.bytes().value()));
    within_.reduce_scatter(buffer, {memory_.data(), mine.count, mine.type}, op);
    copy(mine.data, {memory_.data(), mine.count, mine.type});
    between_.all_reduce(mine, op);
    within_.all_gather(mine, buffer);
  }

  /// Fewer elements than a host has ranks. One of them does it for all, so that all get the same.
  void reduce_at_once(const BufferView& rest, ReduceOp op) {
    within_.all_reduce(rest, op);
    if (within_.is_root()) between_.all_reduce(rest, op);
    within_.broadcast(rest, Rank(0));
  }

  Communicator within_;
  Communicator between_;
  Hosts hosts_;
  std::vector<std::byte> memory_;  ///< of a share
};

}  // namespace

Communicator hierarchical(const Communicator& comm, const Hosts& hosts) {
  return Communicator(
      std::make_shared<HierarchicalCommunicator>(comm, neighbours_of(comm, hosts), hosts));
}

}  // namespace scalestudy
