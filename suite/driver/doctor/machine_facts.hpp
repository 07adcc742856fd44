#pragma once
/// What `doctor` looks at on this machine. Finding is apart from judging (machine_checks.hpp), so
/// that every judgement can be tested.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/shipped_files.hpp"

#include "record/run_file/rank_description.hpp"

#include "driver/doctor/gpu_facts.hpp"
#include "driver/doctor/leftovers.hpp"

namespace scalestudy {

struct MachineFacts {
  std::string build_id;  ///< of the driver

  std::string rank_program;  ///< path, whether it exists or not
  bool rank_program_exists = false;
  std::string rank_version;  ///< what it says; "" when it does not start
  std::string rank_problem;  ///< what it says when it does not start
  std::optional<RankDescription> rank;
  std::int64_t study_count = 0;  ///< shipped studies

  std::vector<GpuFacts> gpus;
  GpuLinks gpu_links;

  std::map<std::string, std::string> launchers;  ///< name -> "", or why it cannot be used
  std::string gnuplot;                           ///< path, or ""
  std::string browser;                           ///< path, or ""

  std::string cpu_model;
  std::int64_t cores = 0;  ///< hardware threads that may be used, within the quota
  double quota_cores = std::numeric_limits<double>::quiet_NaN();
  double load = 0;  ///< processes at work, mean of the last minute
  std::int64_t memory_bytes = 0;
  std::int64_t available_memory_bytes = 0;
  std::vector<Leftover> leftovers;        ///< of killed jobs
  std::int64_t shared_memory_bytes = -1;  ///< free in /dev/shm; −1: there is none
  std::string huge_pages;                 ///< "madvise"; "" when the kernel does not tell
  std::string governor;                   ///< "performance"; "" when it cannot be seen
  std::int64_t open_files_limit = -1;     ///< −1: unlimited
  std::int64_t address_space_limit_bytes = -1;
};

/// Of this machine, with the temporary folder of this user.
[[nodiscard]] LeftoverPlaces leftover_places();

/// Asks the machine and the rank program. Takes about as long as LibTorch needs to load.
[[nodiscard]] MachineFacts find_machine_facts(const ShippedFiles& shipped);

}  // namespace scalestudy
