#pragma once
/// Tells whether the process of a peer rank still lives, zombies not counted as living.

#include <string>
#include <vector>

#include <sys/types.h>

#include "core/ids.hpp"

namespace scalestudy {

/// Holds one pidfd per peer, so a recycled process id cannot be mistaken for the peer. Where no
/// pidfd can be had (old kernel, other PID namespace) a peer counts as living, and only the
/// deadline finds it out. Local.
class PeerWatch {
 public:
  PeerWatch() = default;  ///< watches nobody: the ranks are threads of this process
  explicit PeerWatch(std::vector<pid_t> processes);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;
  PeerWatch(PeerWatch&& other) noexcept;
  PeerWatch& operator=(PeerWatch&& other) noexcept;

  [[nodiscard]] bool has_ended(Rank rank) const;
  [[nodiscard]] std::string description(Rank rank) const;  ///< "rank 2 (process 4711)"

 private:
  std::vector<pid_t> processes_;
  std::vector<int> descriptors_;
};

}  // namespace scalestudy
