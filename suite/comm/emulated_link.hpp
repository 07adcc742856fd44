#pragma once
/// A communicator over a link that is slower than the real one.

#include <memory>
#include <mutex>
#include <utility>

#include "study/link_model.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// How well collectives kept to the model of their link.
struct LinkUse {
  double model_s = 0;   ///< what they should have taken from when the last rank came
  double excess_s = 0;  ///< what they took longer
};

/// Adds up over all communicators of a rank. Collectives of several threads may end at once.
class LinkMeter {
 public:
  void add(const LinkUse& use) {
    const std::lock_guard lock(mutex_);
    use_.model_s += use.model_s;
    use_.excess_s += use.excess_s;
  }
  /// Since the last call. Local.
  [[nodiscard]] LinkUse take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(use_, {});
  }

 private:
  std::mutex mutex_;
  LinkUse use_;
};

/// The same ranks; a collective ends no earlier than `model` says after the last rank came, and the
/// real transfer counts inside. With Payload::none all_reduce, reduce and broadcast carry only the
/// last element and leave the others as they are; the model takes the whole. What was used goes to
/// `meter`. So do duplicates; there are no groups (split): levels are part of `comm` and
/// of the model. Local.
[[nodiscard]] Communicator emulated_link(const Communicator& comm,
                                         const LinkModel& model,
                                         Payload payload,
                                         std::shared_ptr<LinkMeter> meter);

}  // namespace scalestudy
