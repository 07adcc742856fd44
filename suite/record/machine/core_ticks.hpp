#pragma once
/// What /proc/stat says of one core, or of all.

#include <cmath>
#include <istream>

#include <unistd.h>

namespace scalestudy {

/// Clock ticks since the machine was started; NaN where the line does not say.
struct CoreTicks {
  double worked = std::nan("");  ///< for this machine's processes and interrupts
  double stolen = std::nan("");  ///< on a virtual machine: worked for others instead
};

/// Of a line "cpu3 user nice system idle iowait irq softirq steal …", behind its name. What guests
/// get is part of user.
[[nodiscard]] inline CoreTicks read_core_ticks(std::istream& fields) {
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(fields >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) return {};
  return {user + nice + system + irq + softirq, steal};
}

[[nodiscard]] inline double seconds_of_ticks(double ticks) {
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace scalestudy
