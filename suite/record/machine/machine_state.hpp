#pragma once
/// What a machine shows of itself at a moment: who works on its cores, how fast and how warm they
/// are. Local. What a file does not say, or is no number in it, is NaN.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

namespace scalestudy {

struct MachineState {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double time_s = unknown;  ///< steady clock
  double cores = unknown;   ///< of the machine, whoever may use them
  // Since the machine was started; resolution 10 ms per core.
  double worked_s = unknown;  ///< by all cores, for this machine's own
  double stolen_s = unknown;  ///< by all cores, for others, on a virtual machine
  double own_s = unknown;     ///< by the processes asked for
  double throttle_count = unknown;
  // Now.
  double frequency_hz = unknown;   ///< mean of the cores
  double temperature_c = unknown;  ///< hottest sensor of a processor
};

/// Finds its files once; reading them takes some microseconds per core.
class MachineSources {
 public:
  /// `root` holds proc and sys: "/". `process_ids`: as this process sees them; one that is not
  /// there makes own_s unknown.
  MachineSources(const std::filesystem::path& root, std::vector<std::int64_t> process_ids);
  [[nodiscard]] MachineState read() const;

 private:
  using Files = std::vector<std::filesystem::path>;
  void find_core_files(const std::filesystem::path& cores);
  void find_sensors(const std::filesystem::path& sensors);
  void read_cores(MachineState& state) const;
  [[nodiscard]] double frequency_hz() const;

  std::filesystem::path processes_;  ///< /proc
  std::vector<std::int64_t> process_ids_;
  Files frequencies_khz_, throttle_counts_, temperatures_mc_;
};

}  // namespace scalestudy
