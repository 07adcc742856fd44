#pragma once
/// NVIDIA GPUs as nvidia-smi sees them: also those that LibTorch cannot use.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace scalestudy {

struct GpuFacts {
  std::int64_t index = 0;
  std::string name;
  std::string driver;
  std::int64_t memory_mib = 0;
  std::int64_t highest_clock_mhz = 0;
  std::string persistence_mode;  ///< "Enabled"
  std::string mig_mode;          ///< "Disabled"; "[N/A]" where there is none
  std::string compute_mode;      ///< "Default"
  std::int64_t clock_mhz = 0;    ///< now
  std::int64_t power_limit_w = 0, usual_power_limit_w = 0;
  std::int64_t utilisation_percent = 0;  ///< by whatever runs now
};

/// From what find_gpus() asks nvidia-smi for; lines of another form are left out.
[[nodiscard]] std::vector<GpuFacts> gpus_in(const std::string& answer);

/// Pairs of GPUs by the kind of link that joins them: "NV18", "PIX", "SYS".
using GpuLinks = std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>>;

/// From `nvidia-smi topo -m`.
[[nodiscard]] GpuLinks links_in(const std::string& matrix);

/// Nothing where there is no nvidia-smi, or no GPU.
[[nodiscard]] std::vector<GpuFacts> find_gpus();
[[nodiscard]] GpuLinks find_gpu_links();

}  // namespace scalestudy
