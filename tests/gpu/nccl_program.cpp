/// One rank of the back-end nccl on real GPUs, in the way that the first argument says; the second
/// is a key that all ranks of the job have in common. Started by tests/gpu/nccl.sh.
#include <algorithm>
#include <iostream>
#include <thread>

#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

#include "conformance/communicator_cases.hpp"
#include "conformance/device_memory.hpp"
#include "conformance/stream_cases.hpp"

namespace scalestudy {
namespace {

constexpr Seconds ample{40.0};
constexpr Seconds short_one{3.0};

/// One write per line: the ranks share a terminal.
void say(Rank rank, const std::string& text) {
  std::cout << cat("[rank ", rank, "] ", text, "\n") << std::flush;
}

/// The same calls, of which the rare ones tell how long they took and what they returned.
template <class... Arguments>
std::function<int(Arguments...)> told(Rank rank,
                                      const char* name,
                                      const std::function<int(Arguments...)>& call) {
  if (!call) return call;
  return [=](Arguments... arguments) {
    const Stopwatch watch;
    const int result = call(arguments...);
    say(rank, cat("  ", name, " returned ", result, " after ", human_duration(watch.elapsed_s())));
    return result;
  };
}

std::shared_ptr<const NcclApi> talkative(const NcclApi& api, Rank rank) {
  auto told_api = std::make_shared<NcclApi>(api);
  told_api->init = told(rank, "ncclCommInitRankConfig (blocking=0)", api.init);
  told_api->finalize = told(rank, "ncclCommFinalize", api.finalize);
  told_api->destroy = told(rank, "ncclCommDestroy", api.destroy);
  told_api->abort = told(rank, "ncclCommAbort", api.abort);
  told_api->allocate_for_nccl = told(rank, "ncclMemAlloc", api.allocate_for_nccl);
  told_api->free_for_nccl = told(rank, "ncclMemFree", api.free_for_nccl);
  told_api->register_memory = told(rank, "ncclCommRegister", api.register_memory);
  told_api->deregister_memory = told(rank, "ncclCommDeregister", api.deregister_memory);
  return told_api;
}

struct Job {
  Rendezvous place;
  std::shared_ptr<const NcclApi> api;
  std::string key;

  [[nodiscard]] Communicator host(Seconds deadline) const {
    Rendezvous there = place;
    there.key = key;
    const bool is_alone = place.world_size == WorldSize(1);
    return make_communicator(is_alone ? CommunicatorKind::local : CommunicatorKind::shm, there,
                             deadline);
  }

  [[nodiscard]] std::shared_ptr<NcclDevice> device(std::shared_ptr<const NcclApi> calls) const {
    int count = 0;
    const bool found = api->device_count(&count) == cuda_success && count > 0;
    const int index = found ? static_cast<int>(place.local_rank.value()) % count : 0;
    return NcclDevice::open(std::move(calls), index);
  }

  [[nodiscard]] NcclRank rank(Seconds deadline, bool is_talkative) const {
    const auto gpu = device(is_talkative ? talkative(*api, place.rank) : api);
    const Stopwatch watch;
    const auto nccl = make_nccl_communicator(gpu, host(deadline), deadline);
    if (is_talkative)
      say(place.rank,
          cat("ranks joined after ", human_duration(watch.elapsed_s()), "; ", nccl->transport()));
    return {gpu, nccl, over_device_memory(nccl, gpu)};
  }
};

/// One rank's finding fails the case on all. Collective.
template <class Body>
bool holds(const NcclRank& rank, const char* name, const Body& body) {
  const Rank me = rank.comm.rank();
  if (me == Rank(0)) say(me, cat("... ", name));
  const Stopwatch watch;
  const std::string finding = body();
  const double took_s = watch.elapsed_s();
  if (!finding.empty()) say(me, cat("FAILED ", name, ": ", finding));
  const bool all_hold = all_reduce_value(rank.comm, finding.empty() ? 0.0 : 1.0) == 0;
  if (me == Rank(0))
    say(me, cat(all_hold ? "passed " : "FAILED ", name, "  ", human_duration(took_s)));
  return all_hold;
}

bool conformance(const Job& job) {
  const NcclRank rank = job.rank(ample, false);
  bool all_hold = true;
  for (const auto& item : communicator_cases())
    all_hold &= holds(rank, item.name, [&] { return item.run(rank.comm); });
  for (const auto& item : stream_cases())
    all_hold &= holds(rank, item.name, [&] { return item.run(rank); });
  return all_hold;
}

/// Seconds of one blocking sum, the median of several; of a shared GPU they mean nothing.
double median_s(const NcclRank& rank, std::int64_t bytes) {
  const auto memory = rank.device->allocate(ByteCount(bytes));
  std::vector<double> took_s;
  for (int i = 0; i < 15; ++i) {
    const auto times =
        rank.nccl->all_reduce({memory.get(), ElementCount(bytes), DataType::uint8}, ReduceOp::sum);
    took_s.push_back(times.transfer_s());
  }
  std::sort(took_s.begin(), took_s.end());
  return took_s[took_s.size() / 2];
}

void tell_of_events(const NcclRank& rank, Rank me) {
  const DeviceCopies copies(rank.device);
  const auto first = rank.device->event();
  const auto second = rank.device->event();
  first->record_on(copies.stream());
  second->record_on(copies.stream());
  while (!second->has_passed()) std::this_thread::yield();
  float forward_ms = 0;
  float backward_ms = 0;
  const int one = rank.device->api().elapsed_ms(&forward_ms, first->get(), second->get());
  const int other = rank.device->api().elapsed_ms(&backward_ms, second->get(), first->get());
  say(me, cat("events: forward ", one, " ", forward_ms, " ms, backward ", other, " ", backward_ms,
              " ms; clocks compared to ",
              human_duration(DeviceClock(rank.device).resolution().count())));
}

/// What starting one costs the host, the median of several.
double median_start_s(const NcclRank& rank) {
  const auto memory = rank.device->allocate(ByteCount(4 * kib));
  const DeviceCopies copies(rank.device);
  std::vector<double> took_s;
  for (int i = 0; i < 50; ++i) {
    const auto ready = rank.device->event_on(copies.stream());
    const Stopwatch watch;
    const auto started = rank.nccl->start(
        all_reduce_of({memory.get(), ElementCount(kib), DataType::float32}), ready->get());
    took_s.push_back(watch.elapsed_s());
    if (i % 10 == 9) wait_for(*rank.nccl, started);
  }
  std::sort(took_s.begin(), took_s.end());
  return took_s[took_s.size() / 2];
}

bool facts(const Job& job) {
  const Rank me = job.place.rank;
  int version = 0;
  int count = 0;
  job.api->version(&version);
  say(me, cat("NCCL ", nccl_version_text(version), " (", version, ") of ", job.api->source));
  say(me, cat("cudaGetDeviceCount returned ", job.api->device_count(&count), ", ", count));
  const NcclRank rank = job.rank(ample, true);
  int least = 0;
  int greatest = 0;
  rank.device->api().priority_range(&least, &greatest);
  say(me, cat("priorities ", least, " to ", greatest));
  tell_of_events(rank, me);
  const Stopwatch watch;
  rank.nccl->barrier(std::nullopt);
  say(me, cat("first all-reduce of 4 bytes: ", human_duration(median_s(rank, 4)),
              "; with the first ", human_duration(watch.elapsed_s())));
  say(me, cat("median of 4 MiB: ", human_duration(median_s(rank, 4 * mib))));
  say(me, cat("starting one on the stream: ", human_duration(median_start_s(rank))));
  const auto memory = rank.nccl->allocate(ByteCount(mib));
  rank.nccl->all_reduce({memory.get(), ElementCount(mib), DataType::uint8}, ReduceOp::sum);
  say(me, "summed in allocated memory");
  const Stopwatch again;
  const auto second = rank.nccl->duplicate("second");
  say(me, cat("duplicated after ", human_duration(again.elapsed_s())));
  return true;
}

/// How the failure was noticed, "" when nothing was.
template <class Body>
std::string failure_of(Rank me, const Body& body) {
  const Stopwatch watch;
  try {
    body();
  } catch (const std::exception& error) {
    say(me, cat("after ", human_duration(watch.elapsed_s()), ": ", error.what()));
    return error.what();
  }
  say(me, cat("no failure after ", human_duration(watch.elapsed_s())));
  return "";
}

StartedCollective start(const NcclRank& rank,
                        const std::shared_ptr<CommunicatorInterface>& comm,
                        const std::shared_ptr<std::byte>& memory,
                        std::int64_t count) {
  const DeviceCopies copies(rank.device);
  const auto ready = rank.device->event_on(copies.stream());
  return comm->start(all_reduce_of({memory.get(), ElementCount(count), DataType::float32}),
                     ready->get());
}

/// The last rank does not call: the others must end, and name it.
bool silent(const Job& job) {
  const NcclRank rank = job.rank(short_one, true);
  const auto memory = rank.device->allocate(ByteCount(4 * mib));
  wait_for(*rank.nccl, start(rank, rank.nccl, memory, 1000));
  const Rank me = job.place.rank;
  const Rank last(job.place.world_size.value() - 1);
  if (me == last) {
    std::this_thread::sleep_for(3 * short_one);
    return true;
  }
  const auto failure =
      failure_of(me, [&] { wait_for(*rank.nccl, start(rank, rank.nccl, memory, 1000)); });
  const auto again = failure_of(me, [&] { rank.nccl->barrier(std::nullopt); });
  return failure.find(cat("rank ", last)) != std::string::npos && again == failure;
}

/// The last rank's process ends: the others must end, and name it.
bool death(const Job& job) {
  const NcclRank rank = job.rank(short_one, true);
  const auto memory = rank.device->allocate(ByteCount(64 * mib));
  wait_for(*rank.nccl, start(rank, rank.nccl, memory, 1000));
  const Rank me = job.place.rank;
  if (me == Rank(job.place.world_size.value() - 1)) ::_exit(0);
  const auto failure =
      failure_of(me, [&] { wait_for(*rank.nccl, start(rank, rank.nccl, memory, 16 * mib)); });
  return failure.find(cat("rank ", job.place.world_size.value() - 1)) != std::string::npos;
}

/// Different counts of a blocking sum are named before NCCL is called.
bool sizes(const Job& job) {
  const Rank me = job.place.rank;
  const NcclRank rank = job.rank(short_one, false);
  const auto memory = rank.device->allocate(ByteCount(64 * mib));
  const ElementCount count(1'000'000 * (1 + me.value()));
  const auto failure = failure_of(me, [&] {
    rank.nccl->all_reduce({memory.get(), count, DataType::float32}, ReduceOp::sum);
  });
  return failure.find("called all_reduce") != std::string::npos;
}

/// Two communicators in different orders on two ranks: they run beside each other or fail in time.
bool order(const Job& job) {
  const NcclRank rank = job.rank(short_one, false);
  const Rank me = job.place.rank;
  const auto second = rank.nccl->duplicate("second");
  const auto memory = rank.device->allocate(ByteCount(64 * mib));
  const auto other = rank.device->allocate(ByteCount(64 * mib));
  for (const auto& comm : {rank.nccl, second}) wait_for(*comm, start(rank, comm, memory, 1000));
  static_cast<void>(failure_of(me, [&] {
    const bool is_first = me == Rank(0);
    const auto one = start(rank, is_first ? rank.nccl : second, memory, 8 * mib);
    const auto two = start(rank, is_first ? second : rank.nccl, other, 8 * mib);
    wait_for(is_first ? *rank.nccl : *second, one);
    wait_for(is_first ? *second : *rank.nccl, two);
  }));
  return true;
}

bool run(const std::string& mode, const Job& job) {
  if (mode == "facts") return facts(job);
  if (mode == "conformance") return conformance(job);
  if (mode == "silent") return silent(job);
  if (mode == "death") return death(job);
  if (mode == "sizes") return sizes(job);
  if (mode == "order") return order(job);
  throw BadInput({cat("there is no mode '", mode, "'"), "nothing is tested",
                  "Use facts, conformance, silent, death, sizes or order"});
}

}  // namespace
}  // namespace scalestudy

int main(int argument_count, char** arguments) {
  using namespace scalestudy;
  try {
    const std::string mode = argument_count > 1 ? arguments[1] : "";
    const std::string key = argument_count > 2 ? arguments[2] : cat("nccl-", ::getpid());
    const Job job{rendezvous_from_environment(key), load_nccl_api(), key};
    if (mode == "probe") {  // whether there is anything to test on
      const auto device = job.device(job.api);
      std::cout << cat("there is a GPU, and ", job.api->source, "\n");
      return 0;
    }
    return run(mode, job) ? 0 : 1;
  } catch (const Error& error) {
    std::cout << cat(error.what(), "\n") << std::flush;
    return static_cast<int>(error.exit_code());
  }
}
