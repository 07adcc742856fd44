#pragma once
/// Hands an open file from one process to others of this host and user, over a socket whose name
/// only the kernel knows: it is gone with the process that has it, however that ends.

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/descriptor.hpp"

namespace scalestudy {

/// Gives the file to everyone who comes while it lives. Local.
class DescriptorGiver {
 public:
  /// Errors: RunFailed when another process has the name.
  explicit DescriptorGiver(const std::string& name);

  /// Answers who has come, after waiting for the first of them no longer than `wait`.
  void give(int descriptor, Seconds wait);

  /// To how many it was given.
  [[nodiscard]] std::int64_t given_count() const { return std::ssize(takers_); }

 private:
  Descriptor socket_;
  std::vector<Descriptor> takers_;  ///< closed with this: they see that the giver is gone
};

/// The other side. Local, never blocks.
class DescriptorTaker {
 public:
  explicit DescriptorTaker(std::string name) : name_(std::move(name)) {}

  /// Nothing while there is no giver; to be asked again.
  [[nodiscard]] std::optional<Descriptor> take();

  /// After take(): the giver has ended, or gives no more.
  [[nodiscard]] bool giver_is_gone() const;

 private:
  std::string name_;
  Descriptor connection_;
};

}  // namespace scalestudy
