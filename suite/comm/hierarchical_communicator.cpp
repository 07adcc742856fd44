#include "comm/hierarchical_communicator.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"
#include "comm/forwarding_communicator.hpp"
#include "comm/host_sharing.hpp"
#include "comm/nccl_device.hpp"
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
  const auto all = all_gather_text(comm.host(), host_identity());
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
  const auto most = all_reduce_value(comm.host(), mine, ReduceOp::max);
  const auto least = all_reduce_value(comm.host(), mine, ReduceOp::min);
  if (most == least) return;
  throw RunFailed({cat("some hosts have ", least, " ranks and others ", most),
                   "with a hierarchical reduction each rank exchanges with its like on every host",
                   "Start as many ranks on each host, or take another reduction"});
}

Neighbours neighbours_of(const Communicator& comm, const Hosts& hosts) {
  auto within = comm.split(host_of(comm, hosts.ranks_per_host), "within-host");
  if (comm.name() == "mpi") within = over_shared_memory(within, hosts.deadline);
  require_equal_hosts(comm, within);
  return {within, comm.split(within.rank().value(), "between-hosts")};
}

class HierarchicalCommunicator final : public ForwardingCommunicator {
 public:
  HierarchicalCommunicator(const Communicator& comm, Neighbours neighbours, const Hosts& hosts)
      : ForwardingCommunicator(comm),
        host_(comm.host()),
        within_(std::move(neighbours.within)),
        between_(std::move(neighbours.between)),
        hosts_(hosts) {}

  [[nodiscard]] std::string transport() const override {
    return cat(within_.transport(), " within hosts, ", between_.transport(), " between them");
  }

  /// All meet first: a level of its own knows only when the ranks of that level had come.
  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    if (is_on_stream()) return comm().all_reduce(buffer, op);
    auto times = comm().barrier();
    in_levels(buffer, op, [](const Communicator& level, const CollectiveCall& call) {
      level.start(call, nullptr);
    });
    times.left = Clock::now();
    return times;
  }

  /// On streams one level begins where the other has ended, and the host waits for none.
  StartedCollective start(const CollectiveCall& call, CudaEvent after) override {
    if (!is_on_stream()) return ForwardingCommunicator::start(call, after);
    const bool has_levels = call.signature.kind == CallKind::all_reduce && call.signature.count > 0;
    if (!has_levels) return comm().start(call, after);
    StartedCollective whole{call.signature, {}};
    in_levels(call.into, call.signature.op,
              [&](const Communicator& level, const CollectiveCall& part) {
                const auto started = level.start(part, whole.ended ? whole.ended->get() : after);
                if (!whole.begun) whole.begun = started.begun;
                whole.ended = started.ended;
              });
    return whole;
  }

  [[nodiscard]] bool is_on_stream() const override { return comm().is_on_stream(); }
  [[nodiscard]] int place() const override { return comm().place(); }
  [[nodiscard]] const Communicator* host() const override {
    return is_on_stream() ? &host_ : nullptr;
  }

  void throw_if_aborted() override {
    ForwardingCommunicator::throw_if_aborted();
    within_.throw_if_aborted();
    between_.throw_if_aborted();
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
    return std::make_shared<HierarchicalCommunicator>(part, std::move(neighbours), hosts_);
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
  /// Every rank of a host has one share to do with the others' hosts. Of fewer elements than a host
  /// has ranks one of them does it for all, so that all get the same.
  template <class Run>
  void in_levels(const BufferView& buffer, ReduceOp op, const Run& run) {
    const auto ranks = within_.world_size().value();
    const auto share = buffer.count.value() / ranks;
    const auto shares = part_of(buffer, 0, share * ranks);
    const auto rest = part_of(buffer, share * ranks, buffer.count.value() - share * ranks);
    if (share > 0) {
      const auto mine = part_of(buffer, within_.rank().value() * share, share);
      const auto reduced = is_on_stream() ? mine : scratch_like(mine);
      run(within_, reduce_scatter_of(shares, reduced, op));
      if (!is_on_stream()) copy(mine.data, reduced);
      run(between_, all_reduce_of(mine, op));
      run(within_, all_gather_of(mine, shares));
    }
    if (rest.count.value() > 0) {
      run(within_, all_reduce_of(rest, op));
      if (within_.is_root()) run(between_, all_reduce_of(rest, op));
      run(within_, broadcast_of(rest, Rank(0)));
    }
  }

  /// Where shared memory is reduced into, which must not lie in what is reduced. NCCL's may.
  [[nodiscard]] BufferView scratch_like(const BufferView& share) {
    memory_.resize(static_cast<std::size_t>(share.bytes().value()));
    return {memory_.data(), share.count, share.type};
  }

  Communicator host_;
  Communicator within_;
  Communicator between_;
  Hosts hosts_;
  std::vector<std::byte> memory_;  ///< of a share, on the host
};

}  // namespace

Communicator hierarchical(const Communicator& comm, const Hosts& hosts) {
  return Communicator(
      std::make_shared<HierarchicalCommunicator>(comm, neighbours_of(comm, hosts), hosts));
}

}  // namespace scalestudy
