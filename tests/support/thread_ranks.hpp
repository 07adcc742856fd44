#pragma once
/// Ranks as threads of the test.

#include <cstdint>
#include <thread>
#include <vector>

#include "comm/rendezvous.hpp"

namespace scalestudy {

/// What `body(communicator)` does on each of `ranks` threads.
template <class Body>
void on_ranks(std::int64_t ranks, const Body& body) {
  std::vector<std::thread> threads;
  for (const auto& comm : make_thread_ranks(WorldSize(ranks), Seconds(120)))
    threads.emplace_back([&body, comm] { body(comm); });
  for (auto& thread : threads) thread.join();
}

}  // namespace scalestudy
