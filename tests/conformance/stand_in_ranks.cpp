#include "conformance/stand_in_ranks.hpp"

#include <thread>

#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "conformance/device_memory.hpp"

namespace scalestudy {

std::vector<std::string> run_stand_in(StandInGpus& gpus,
                                      WorldSize world_size,
                                      Seconds deadline,
                                      const StandInBody& body) {
  const auto hosts = make_thread_ranks(world_size, deadline);
  std::vector<std::string> reports(hosts.size());
  std::vector<std::thread> threads;
  const auto run_one = [&](std::size_t rank) -> std::string {
    try {
      const auto device = NcclDevice::open(gpus.api(), static_cast<int>(rank));
      const auto nccl = make_nccl_communicator(device, hosts[rank], deadline);
      return body({device, nccl, over_device_memory(nccl, device)});
    } catch (const std::exception& error) {
      return cat("exception: ", error.what());
    }
  };
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    threads.emplace_back([&, rank] { reports[rank] = run_one(rank); });
  for (auto& thread : threads) thread.join();
  return reports;
}

}  // namespace scalestudy
