#include "comm/host_sharing.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/clock_offset.hpp"
#include "comm/descriptor_exchange.hpp"

namespace scalestudy {
namespace {

constexpr Seconds poll_pause{0.001};

void give_up_when_late(const Stopwatch& waited, Seconds deadline, const char* problem) {
  if (waited.elapsed_s() < deadline.count()) return;
  throw RunFailed({cat(problem, " within ", human_duration(deadline.count())),
                   "the ranks of a host share what they have decoded",
                   "Look at the logs of the other ranks"});
}

void give_to_all(DescriptorGiver& giver,
                 const Descriptor& file,
                 std::int64_t others,
                 Seconds deadline) {
  const Stopwatch waited;
  while (giver.given_count() < others) {
    giver.give(file.get(), poll_pause);
    give_up_when_late(waited, deadline, "not all ranks of this host came for its shared memory");
  }
}

Descriptor taken(const std::string& name, Seconds deadline) {
  DescriptorTaker taker(name);
  const Stopwatch waited;
  while (true) {
    if (auto file = taker.take()) return std::move(*file);
    std::this_thread::sleep_for(poll_pause);
    give_up_when_late(waited, deadline, "the first rank of this host gave no shared memory");
  }
}

}  // namespace

std::string host_identity() {
  std::error_code none;
  return cat(boot_identity(), ' ',
             std::filesystem::read_symlink("/proc/self/ns/net", none).string());
}

Descriptor share_on_host(const Communicator& comm,
                         const std::function<Descriptor()>& make,
                         Seconds deadline) {
  const auto hosts = all_gather_text(comm, host_identity());
  const auto names = all_gather_text(
      comm, cat("scalestudy-host-", ::getpid(), '-', Clock::now().time_since_epoch().count()));
  const auto& here = hosts[comm.rank().index()];
  const auto first = std::find(hosts.begin(), hosts.end(), here) - hosts.begin();
  const auto others = std::count(hosts.begin(), hosts.end(), here) - 1;
  const auto& name = names[static_cast<std::size_t>(first)];

  Descriptor file;
  std::optional<DescriptorGiver> giver;
  if (first == comm.rank().value() && others > 0) {
    file = make();
    giver.emplace(name);
  }
  comm.barrier();  // all sockets are open; frees the others when a rank could not make its file
  if (others == 0) return {};
  if (!giver) return taken(name, deadline);
  give_to_all(*giver, file, others, deadline);
  return file;
}

}  // namespace scalestudy
