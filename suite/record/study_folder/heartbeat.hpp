#pragma once
/// What a rank is doing, in a small memory-mapped file: costs a few stores per phase, survives
/// SIGKILL, and tells the driver which rank stopped where.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace scalestudy {

struct HeartbeatState {
  std::int64_t process_id = 0;
  std::int64_t step = -1;  ///< −1 before training
  std::int64_t total_steps = 0;
  double time_s = 0;  ///< steady clock at the last change
  std::string phase;  ///< "initialisation", "forward", "evaluation", …
  std::string error;  ///< set by a rank that ends by an error
};

/// Owned by one rank. Local, never blocks, never throws after construction.
class Heartbeat {
 public:
  /// Errors: RunFailed when the file cannot be made.
  explicit Heartbeat(const std::filesystem::path& file);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  void set_total_steps(std::int64_t total_steps) noexcept;
  void beat(const char* phase, std::int64_t step) noexcept;
  void beat(const char* phase) noexcept;  ///< of the same step as before
  /// The first counts: when a rank failed, not when it had tidied up.
  void set_error(const std::string& error) noexcept;

 private:
  friend std::optional<HeartbeatState> read_heartbeat(const std::filesystem::path& file);
  struct Page;
  template <class Change>
  void change(Change apply) noexcept;

  Page* page_ = nullptr;
  std::uint64_t version_ = 0;
  bool has_error_ = false;
};

/// Nothing when the file is missing or no heartbeat. Never blocks.
[[nodiscard]] std::optional<HeartbeatState> read_heartbeat(const std::filesystem::path& file);

/// runs/<id>/heartbeat-<rank>
[[nodiscard]] std::filesystem::path heartbeat_file(const std::filesystem::path& run_folder,
                                                   std::int64_t rank);

}  // namespace scalestudy
