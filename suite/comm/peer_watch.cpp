#include "comm/peer_watch.hpp"

#include <utility>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.hpp"

namespace scalestudy {

PeerWatch::PeerWatch(std::vector<pid_t> processes) : processes_(std::move(processes)) {
  for (const pid_t process : processes_) {
    descriptors_.push_back(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  }
}

PeerWatch::~PeerWatch() {
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

PeerWatch::PeerWatch(PeerWatch&& other) noexcept
    : processes_(std::exchange(other.processes_, {})),
      descriptors_(std::exchange(other.descriptors_, {})) {}

PeerWatch& PeerWatch::operator=(PeerWatch&& other) noexcept {
  std::swap(processes_, other.processes_);
  std::swap(descriptors_, other.descriptors_);
  return *this;
}

bool PeerWatch::has_ended(Rank rank) const {
  if (rank.index() >= descriptors_.size() || descriptors_[rank.index()] < 0) return false;
  pollfd request{descriptors_[rank.index()], POLLIN, 0};
  return ::poll(&request, 1, 0) == 1 && (request.revents & POLLIN) != 0;
}

std::string PeerWatch::description(Rank rank) const {
  if (rank.index() >= processes_.size()) return cat("rank ", rank);
  return cat("rank ", rank, " (process ", processes_[rank.index()], ")");
}

}  // namespace scalestudy
