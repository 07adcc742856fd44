/// How processes of one host come to share one slot block.
///
/// Rank 0 makes memory that has no name anywhere and gives it to every rank that asks for it over
/// the socket of their job (descriptor_exchange.hpp). The others map it, claim their rank in it and
/// wait until rank 0 has seen all of them. Whoever is killed at whatever moment, nothing is left.

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"
#include "comm/descriptor_exchange.hpp"
#include "comm/slot_communicator.hpp"

namespace scalestudy {

namespace {

constexpr Seconds poll_pause{0.001};

/// Starts the segment; written before rank 0 gives it to anybody.
struct alignas(64) Preface {
  std::atomic<bool> is_complete{false};  ///< all ranks have come
  std::int64_t world_size = 0;
  std::uint64_t bytes = 0;
};
static_assert(std::atomic<bool>::is_always_lock_free);

/// The memory stays when the descriptor is closed.
class Mapping {
 public:
  Mapping(const Descriptor& descriptor, std::size_t bytes) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
    if (memory_ != MAP_FAILED) return;
    throw RunFailed({cat("the shared memory could not be mapped: ", std::strerror(errno)),
                     "the ranks exchange their data through it", "Free some memory"});
  }
  ~Mapping() { ::munmap(memory_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] Preface& preface() const { return *static_cast<Preface*>(memory_); }
  [[nodiscard]] void* block_memory() const {
    return static_cast<std::byte*>(memory_) + sizeof(Preface);
  }
  [[nodiscard]] SlotBlock& block() const { return *static_cast<SlotBlock*>(block_memory()); }

 private:
  std::size_t bytes_;
  void* memory_ = nullptr;
};

/// As much as a tmpfs would give: asking for more could make the kernel kill somebody.
std::size_t most_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) / 2 *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class Gathering {
 public:
  Gathering(const Rendezvous& rendezvous, Seconds deadline, std::int64_t slot_bytes)
      : place_(rendezvous),
        deadline_(deadline),
        slot_bytes_(slot_bytes),
        bytes_(sizeof(Preface) + SlotBlock::bytes_needed(rendezvous.world_size, slot_bytes)),
        name_(cat("scalestudy-", ::getuid(), "-", hex64(mix64(fnv1a(rendezvous.key))))) {}

  /// Rank 0 makes the segment and waits for the others.
  [[nodiscard]] std::shared_ptr<Mapping> host() {
    DescriptorGiver giver(name_);
    const auto segment = create();
    auto mapping = std::make_shared<Mapping>(segment, bytes_);
    SlotBlock::create_in(mapping->block_memory(), place_.world_size, slot_bytes_);
    claim(mapping->block());
    Preface& preface = *::new (&mapping->preface()) Preface;
    preface.world_size = place_.world_size.value();
    preface.bytes = bytes_;
    await_all_claims(mapping->block(), [&] { giver.give(segment.get(), poll_pause); });
    preface.is_complete = true;
    return mapping;
  }

  /// The other ranks ask for it.
  [[nodiscard]] std::shared_ptr<Mapping> join() {
    DescriptorTaker taker(name_);
    while (true) {
      if (const auto segment = taker.take()) {
        auto mapping = map(*segment);
        check_agreement(*mapping);
        claim(mapping->block());
        await_completion(*mapping, taker);
        return mapping;
      }
      std::this_thread::sleep_for(poll_pause);
      give_up_when_late("rank 0 did not open the shared memory");
    }
  }

 private:
  [[nodiscard]] Descriptor create() const {
    if (bytes_ > most_bytes()) refuse(ENOMEM);
    Descriptor segment(::memfd_create("scalestudy", MFD_CLOEXEC));
    if (!segment) refuse(errno);
    // Reserves the pages now: without memory left the first access would otherwise end in SIGBUS.
    const int error = ::posix_fallocate(segment.get(), 0, static_cast<off_t>(bytes_));
    if (error != 0) refuse(error);
    return segment;
  }

  [[noreturn]] void refuse(int error) const {
    throw Unavailable({cat("shared memory of ", human_bytes(static_cast<double>(bytes_)), " for ",
                           place_.world_size, " ranks could not be made: ", std::strerror(error)),
                       "the shm back-end exchanges all data through it",
                       error == EFBIG ? "Allow longer files (ulimit -f unlimited)"
                                      : "Free some memory, or use the mpi back-end"});
  }

  [[nodiscard]] static std::shared_ptr<Mapping> map(const Descriptor& segment) {
    struct stat status {};
    const bool is_whole = ::fstat(segment.get(), &status) == 0 &&
                          status.st_size >= static_cast<off_t>(sizeof(Preface) + sizeof(SlotBlock));
    SCALESTUDY_EXPECT(is_whole);
    return std::make_shared<Mapping>(segment, static_cast<std::size_t>(status.st_size));
  }

  void claim(SlotBlock& block) const {
    if (block.claim(place_.rank, ::getpid())) return;
    throw RunFailed({cat("rank ", place_.rank, " was started twice (the other is process ",
                         block.process_of(place_.rank), ")"),
                     "each rank is one process",
                     "Give every job a key of its own and every process a rank of its own"});
  }

  void check_agreement(const Mapping& mapping) const {
    const std::int64_t theirs = mapping.preface().world_size;
    if (theirs == place_.world_size.value() && mapping.preface().bytes == bytes_) return;
    const std::string problem =
        theirs == place_.world_size.value()
            ? cat("rank ", place_.rank, " and rank 0 come from different builds")
            : cat("rank ", place_.rank, " expects ", place_.world_size, " ranks (", place_.source,
                  "), rank 0 expects ", theirs);
    mapping.block().fail(problem);
    throw RunFailed({problem, "all ranks of a job must agree on its size and layout",
                     "Start all ranks with the same world size and the same build"});
  }

  template <class Wait>
  void await_all_claims(SlotBlock& block, const Wait& wait) {
    while (true) {
      block.throw_if_failed();
      std::vector<std::string> missing;
      for (Rank rank; rank < Rank(place_.world_size.value()); ++rank) {
        if (block.process_of(rank) == 0) missing.push_back(cat("rank ", rank));
      }
      if (missing.empty()) return;
      wait();
      give_up_when_late(scalestudy::join(missing, ", ") + " did not come", &block);
    }
  }

  void await_completion(const Mapping& mapping, const DescriptorTaker& taker) {
    while (true) {
      // Asked first: rank 0 closes its socket as soon as all have come.
      const bool is_alone = taker.giver_is_gone();
      mapping.block().throw_if_failed();
      if (mapping.preface().is_complete) return;
      if (is_alone) give_up_without_host(mapping.block().process_of(Rank(0)));
      std::this_thread::sleep_for(poll_pause);
      give_up_when_late("not all ranks came");
    }
  }

  [[noreturn]] static void give_up_without_host(pid_t host) {
    throw RunFailed({cat("rank 0 (process ", host, ") ended before all ranks had come"),
                     "a job starts when all of its ranks have met", "Look at the log of rank 0"});
  }

  void give_up_when_late(const std::string& problem, SlotBlock* block = nullptr) const {
    if (waited_.elapsed_s() < deadline_.count()) return;
    const std::string text =
        cat(problem, " within ", human_duration(deadline_.count()), " (rank ", place_.rank, " of ",
            place_.world_size, ", key \"", place_.key, "\")");
    if (block != nullptr) block->fail(text);
    throw RunFailed({text, "a job starts when all of its ranks have met",
                     "Look at the log of the missing rank, or allow more time"});
  }

  const Rendezvous& place_;
  Seconds deadline_;
  std::int64_t slot_bytes_;
  std::size_t bytes_;
  std::string name_;
  Stopwatch waited_;
};

PeerWatch watch_of(const SlotBlock& block) {
  std::vector<pid_t> processes;
  for (Rank rank; rank < Rank(block.world_size().value()); ++rank) {
    processes.push_back(block.process_of(rank));
  }
  return PeerWatch(std::move(processes));
}

SlotRank join_segment(const Rendezvous& rendezvous, Seconds deadline, std::int64_t slot_bytes) {
  Gathering gathering(rendezvous, deadline, slot_bytes);
  const auto mapping = rendezvous.rank == Rank(0) ? gathering.host() : gathering.join();
  const std::shared_ptr<SlotBlock> block(mapping, &mapping->block());
  const auto apart = [=](const SlotPurpose& purpose, Rank rank, WorldSize world_size) {
    auto place = rendezvous;
    place.key += "-" + purpose.name;
    place.rank = rank;
    place.world_size = world_size;
    return join_segment(place, deadline, purpose.slot_bytes > 0 ? purpose.slot_bytes : slot_bytes);
  };
  return {"shm", "shared memory", rendezvous.rank, block, watch_of(*block), deadline, apart};
}

}  // namespace

Communicator make_shm_communicator(const Rendezvous& rendezvous,
                                   Seconds deadline,
                                   std::int64_t slot_bytes) {
  return make_slot_communicator(join_segment(rendezvous, deadline, slot_bytes));
}

}  // namespace scalestudy
