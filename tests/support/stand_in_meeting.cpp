#include "tests/support/stand_in_meeting.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace scalestudy {

/// Zeros in fresh memory; what ranks send lies behind it.
struct StandInMeeting::Shared {
  std::atomic<int> joined;
  std::atomic<int> arrived;
  std::atomic<int> meetings;
  std::atomic<bool> is_broken;
  std::array<StandInCall, most_ranks> calls;
};

namespace {

constexpr std::size_t head_bytes = 1U << 16U;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

std::size_t bytes_for(int world) {
  return head_bytes + static_cast<std::size_t>(world) * StandInMeeting::most_bytes;
}

}  // namespace

StandInMeeting::StandInMeeting(const std::string& id, int world, int rank)
    : name_("/" + id), world_(world), rank_(rank) {
  static_assert(sizeof(Shared) <= head_bytes);
  if (world > most_ranks) throw std::invalid_argument("a stand-in of so many ranks");
  const int file = ::shm_open(name_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) fail("shm_open");
  if (::ftruncate(file, static_cast<off_t>(bytes_for(world))) != 0) fail("ftruncate");
  void* const memory = ::mmap(nullptr, bytes_for(world), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) fail("mmap");
  shared_ = static_cast<Shared*>(memory);
  if (shared_->joined.fetch_add(1) + 1 == world) ::shm_unlink(name_.c_str());
}

StandInMeeting::~StandInMeeting() {
  if (!is_complete()) ::shm_unlink(name_.c_str());
  ::munmap(shared_, bytes_for(world_));
}

bool StandInMeeting::is_complete() const {
  return shared_->joined.load() >= world_;
}

void StandInMeeting::leave() {
  shared_->is_broken = true;
}

std::byte* StandInMeeting::sent_by(int rank) const {
  return reinterpret_cast<std::byte*>(shared_) + head_bytes +
         static_cast<std::size_t>(rank) * most_bytes;
}

bool StandInMeeting::wait_for_all() const {
  const int meeting = shared_->meetings;
  if (shared_->arrived.fetch_add(1) + 1 == world_) {
    shared_->arrived = 0;
    ++shared_->meetings;
  }
  while (shared_->meetings == meeting && !shared_->is_broken)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  return shared_->meetings != meeting;
}

StandInMeeting::Outcome StandInMeeting::carry_out(const StandInCall& call, std::size_t bytes) {
  if (bytes > most_bytes) throw std::invalid_argument("a stand-in moves less at once");
  std::memcpy(sent_by(rank_), call.from, bytes);
  shared_->calls.at(static_cast<std::size_t>(rank_)) = call;
  if (!wait_for_all()) return Outcome::broken;
  StandInOperation operation;
  for (int rank = 0; rank < world_; ++rank) {
    auto of_rank = shared_->calls.at(static_cast<std::size_t>(rank));
    of_rank.from = sent_by(rank);
    of_rank.into = rank == rank_ ? call.into : nullptr;
    operation.calls[rank] = of_rank;
  }
  const bool is_done = scalestudy::carry_out(operation);
  if (!wait_for_all()) return Outcome::broken;
  return is_done ? Outcome::done : Outcome::hangs;
}

}  // namespace scalestudy
