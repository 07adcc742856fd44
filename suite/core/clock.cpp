#include "core/clock.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace scalestudy {

Clock::duration clock_time(Seconds time) {
  constexpr Seconds century(100 * 365.25 * 86400);
  return std::chrono::round<Clock::duration>(std::min(time, century));
}

std::string utc_timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> buffer{};
  std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return buffer.data();
}

}  // namespace scalestudy
