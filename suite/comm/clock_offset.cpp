#include "comm/clock_offset.hpp"

#include <algorithm>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Who comes last bounds the offset tightly on its side, so the two sides take turns.
constexpr auto turn = std::chrono::microseconds(50);

struct Bounds {
  double lowest_s = -std::numeric_limits<double>::infinity();
  double highest_s = std::numeric_limits<double>::infinity();
};

double seconds_of(Clock::time_point time) {
  return Seconds(time.time_since_epoch()).count();
}

}  // namespace

std::string boot_identity() {
  // A file of the kernel's says that it has no bytes: it is not read as a whole one.
  constexpr std::size_t most_bytes = 64;
  const auto boot = start_of_file("/proc/sys/kernel/random/boot_id", most_bytes);
  return boot.empty() ? "?" : boot;
}

std::string clock_identity() {
  std::error_code none;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/time", none);
  return cat(boot_identity(), " ", space.string());
}

ClockOffset measure_clock_offset(const Communicator& comm,
                                 const std::string& identity,
                                 int rounds) {
  const auto identities = all_gather_text(comm, identity);
  const auto is_first = [&](const std::string& other) { return other == identities.front(); };
  if (std::all_of(identities.begin(), identities.end(), is_first)) return {};

  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    if (comm.is_root() == (round % 2 == 0)) std::this_thread::sleep_for(turn);
    times.push_back(seconds_of(Clock::now()));
    comm.barrier();
    times.push_back(seconds_of(Clock::now()));
  }
  auto of_root = times;
  comm.broadcast(view_of(std::span(of_root)), Rank(0));
  if (is_first(identity)) return {};

  Bounds bounds;
  for (std::size_t i = 0; i < times.size(); i += 2) {
    bounds.lowest_s = std::max(bounds.lowest_s, of_root[i] - times[i + 1]);
    bounds.highest_s = std::min(bounds.highest_s, of_root[i + 1] - times[i]);
  }
  return {(bounds.lowest_s + bounds.highest_s) / 2, (bounds.highest_s - bounds.lowest_s) / 2};
}

}  // namespace scalestudy
