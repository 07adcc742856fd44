/// How processes of one host come to share one slot block.
///
/// Rank 0 removes whatever has the job's name, makes the segment anew, opens it (`open`), waits
/// until every rank has written its process id, says so (`complete`), and removes the name: from
/// then on nothing is left to clean up, however the job ends. The other ranks map what they find
/// under the name, claim their rank and wait for `complete`. What they found may be left over from
/// a job that was killed; it never becomes complete, and as soon as the name belongs to another
/// segment they let it go and look again.

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"
#include "comm/slot_communicator.hpp"

namespace scalestudy {

namespace {

constexpr auto poll_pause = std::chrono::milliseconds(1);

/// Starts the segment; a later rank looks at the block only when `state` is not `raw`.
struct alignas(64) Preface {
  enum State : std::uint32_t { raw, open, complete };
  std::atomic<std::uint32_t> state{raw};
  std::atomic<std::int64_t> world_size{0};
  std::atomic<std::uint64_t> bytes{0};
};

/// One mapping; the name may be gone long before.
class Mapping {
 public:
  Mapping(int descriptor, std::size_t bytes) : descriptor_(descriptor), bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory_ != MAP_FAILED) return;
    ::close(descriptor);
    throw RunFailed({cat("the shared memory could not be mapped: ", std::strerror(errno)),
                     "the ranks exchange their data through it", "Free some memory"});
  }
  ~Mapping() {
    ::munmap(memory_, bytes_);
    ::close(descriptor_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] Preface& preface() const { return *static_cast<Preface*>(memory_); }
  [[nodiscard]] void* block_memory() const {
    return static_cast<std::byte*>(memory_) + sizeof(Preface);
  }
  [[nodiscard]] SlotBlock& block() const { return *static_cast<SlotBlock*>(block_memory()); }

  /// The name now belongs to another segment: this one is left over from a job that was killed.
  [[nodiscard]] bool is_replaced(const std::string& name) const {
    const int current = ::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
    if (current < 0) return false;
    struct stat theirs {};
    struct stat ours {};
    const bool differs = ::fstat(current, &theirs) == 0 && ::fstat(descriptor_, &ours) == 0 &&
                         theirs.st_ino != ours.st_ino;
    ::close(current);
    return differs;
  }

 private:
  int descriptor_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

/// Removes the name on all ways out of rank 0, so that nothing is left behind.
class SegmentName {
 public:
  explicit SegmentName(std::string name) : name_(std::move(name)) { ::shm_unlink(name_.c_str()); }
  ~SegmentName() { ::shm_unlink(name_.c_str()); }
  SegmentName(const SegmentName&) = delete;
  SegmentName& operator=(const SegmentName&) = delete;

 private:
  std::string name_;
};

class Gathering {
 public:
  Gathering(const Rendezvous& rendezvous, Seconds deadline, std::int64_t slot_bytes)
      : place_(rendezvous),
        deadline_(deadline),
        slot_bytes_(slot_bytes),
        bytes_(sizeof(Preface) + SlotBlock::bytes_needed(rendezvous.world_size, slot_bytes)),
        name_(cat("/scalestudy-", ::getuid(), "-", hex64(mix64(fnv1a(rendezvous.key))))) {}

  /// Rank 0 makes the segment, waits for the others, and removes the name.
  [[nodiscard]] std::shared_ptr<Mapping> host() {
    const SegmentName name(name_);
    auto mapping = create();
    SlotBlock::create_in(mapping->block_memory(), place_.world_size, slot_bytes_);
    claim(mapping->block());
    Preface& preface = mapping->preface();
    preface.world_size = place_.world_size.value();
    preface.bytes = bytes_;
    preface.state = Preface::open;
    await_all_claims(mapping->block());
    preface.state = Preface::complete;
    return mapping;
  }

  /// The other ranks find the segment by its name.
  [[nodiscard]] std::shared_ptr<Mapping> join() {
    while (true) {
      auto mapping = find();
      if (mapping && mapping->preface().state != Preface::raw && await_completion(*mapping)) {
        return mapping;
      }
      mapping.reset();
      pause_or_give_up("rank 0 did not open the shared memory");
    }
  }

 private:
  [[nodiscard]] std::shared_ptr<Mapping> create() {
    const int descriptor = ::shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) refuse(errno);
    // Reserves the pages now: a full /dev/shm would otherwise end in SIGBUS at the first access.
    const int error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes_));
    if (error != 0) {
      ::close(descriptor);
      refuse(error);
    }
    return std::make_shared<Mapping>(descriptor, bytes_);
  }

  [[noreturn]] void refuse(int error) const {
    throw Unavailable(
        {cat("shared memory ", name_, " of ", human_bytes(static_cast<double>(bytes_)),
             " could not be made: ", std::strerror(error)),
         "the shm back-end exchanges all data through it",
         "Enlarge /dev/shm (docker: --shm-size) or use the mpi back-end"});
  }

  [[nodiscard]] std::shared_ptr<Mapping> find() const {
    const int descriptor = ::shm_open(name_.c_str(), O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) return nullptr;
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 ||
        status.st_size < static_cast<off_t>(sizeof(Preface) + sizeof(SlotBlock))) {
      ::close(descriptor);
      return nullptr;
    }
    return std::make_shared<Mapping>(descriptor, static_cast<std::size_t>(status.st_size));
  }

  static bool is_alive(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

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

  void await_all_claims(SlotBlock& block) {
    while (true) {
      block.throw_if_failed();
      std::vector<std::string> missing;
      for (Rank rank; rank < Rank(place_.world_size.value()); ++rank) {
        if (block.process_of(rank) == 0) missing.push_back(cat("rank ", rank));
      }
      if (missing.empty()) return;
      pause_or_give_up(join_names(missing) + " did not come", &block);
    }
  }

  static std::string join_names(const std::vector<std::string>& names) {
    return scalestudy::join(names, ", ");
  }

  /// False when the segment turns out to be left over from another job.
  [[nodiscard]] bool await_completion(const Mapping& mapping) {
    SlotBlock& block = mapping.block();
    const pid_t host = block.process_of(Rank(0));
    const PeerWatch watch({host});
    if (!is_alive(host) || watch.has_ended(Rank(0))) return false;
    check_agreement(mapping);
    claim(block);
    while (mapping.preface().state != Preface::complete) {
      block.throw_if_failed();
      if (mapping.is_replaced(name_)) return false;
      if (watch.has_ended(Rank(0))) give_up_without_host(host);
      pause_or_give_up("not all ranks came");
    }
    return true;
  }

  [[noreturn]] void give_up_without_host(pid_t host) const {
    ::shm_unlink(name_.c_str());
    throw RunFailed({cat("rank 0 (process ", host, ") ended before all ranks had come"),
                     "a job starts when all of its ranks have met", "Look at the log of rank 0"});
  }

  void pause_or_give_up(const std::string& problem, SlotBlock* block = nullptr) {
    std::this_thread::sleep_for(poll_pause);
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

}  // namespace

Communicator make_shm_communicator(const Rendezvous& rendezvous,
                                   Seconds deadline,
                                   std::int64_t slot_bytes) {
  Gathering gathering(rendezvous, deadline, slot_bytes);
  const auto mapping = rendezvous.rank == Rank(0) ? gathering.host() : gathering.join();
  const std::shared_ptr<SlotBlock> block(mapping, &mapping->block());
  return make_slot_communicator(
      {"shm", "POSIX shared memory", rendezvous.rank, block, watch_of(*block), deadline});
}

}  // namespace scalestudy
