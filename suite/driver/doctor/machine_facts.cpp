#include "driver/doctor/machine_facts.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/ids.hpp"
#include "core/program_output.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "record/machine/cpu_quota.hpp"
#include "record/machine/host_environment.hpp"

#include "launchers/launcher.hpp"

namespace scalestudy {
namespace {

constexpr Seconds patience_with_ranks{30};  // LibTorch may come over a network file system

/// "always [madvise] never" -> "madvise"
std::string chosen_word(const std::string& line) {
  const auto open = line.find('[');
  const auto close = line.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return line;
  return line.substr(open + 1, close - open - 1);
}

std::int64_t meminfo_bytes(const std::string& key) {
  std::ifstream in("/proc/meminfo");
  std::string name;
  std::int64_t value_kib = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (words >> name >> value_kib && name == key) return value_kib * kib;
  }
  return 0;
}

std::int64_t free_shared_memory_bytes() {
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) != 0 || ::access("/dev/shm", W_OK) != 0) return -1;
  return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

std::int64_t limit_of(__rlimit_resource_t resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

double load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

std::string first_on_path(std::initializer_list<const char*> programs) {
  for (const auto* program : programs) {
    auto found = find_on_path(program);
    if (!found.empty()) return found;
  }
  return "";
}

void ask_rank_program(const ShippedFiles& shipped, MachineFacts& facts) {
  facts.rank_program = shipped.rank_program().string();
  facts.rank_program_exists = ::access(facts.rank_program.c_str(), X_OK) == 0;
  if (!facts.rank_program_exists) return;
  const auto version = run_program({facts.rank_program, "--version"}, patience_with_ranks);
  if (!version.succeeded) {
    facts.rank_problem = last_line_of(version.text);
    return;
  }
  facts.rank_version = version.text.substr(0, version.text.find('\n'));
  const auto description = output_of({facts.rank_program, "--describe"}, patience_with_ranks);
  if (description) facts.rank = rank_description_in(*description);
}

std::map<std::string, std::string> find_launchers() {
  std::map<std::string, std::string> reasons;
  for (const auto* launcher : all_launchers()) {
    auto& reason = reasons[std::string(launcher->name())];
    try {
      launcher->require_available();
    } catch (const Unavailable& error) {
      reason = error.what();
    }
  }
  return reasons;
}

}  // namespace

LeftoverPlaces leftover_places() {
  LeftoverPlaces places;
  std::error_code error;  // then Open MPI has no folder either
  places.temporary = std::filesystem::temp_directory_path(error);
  return places;
}

MachineFacts find_machine_facts(const ShippedFiles& shipped) {
  MachineFacts facts;
  facts.build_id = build_id();
  ask_rank_program(shipped, facts);
  facts.gpus = find_gpus();
  if (facts.gpus.size() > 1) facts.gpu_links = find_gpu_links();
  facts.study_count = std::ssize(shipped.studies());
  facts.launchers = find_launchers();
  facts.gnuplot = find_on_path("gnuplot");
  facts.browser =
      first_on_path({"chromium", "chromium-browser", "google-chrome", "firefox", "xdg-open"});
  facts.cpu_model = cpu_model();
  facts.cores = core_count_in_quota();
  facts.quota_cores = CpuQuota().cores();
  facts.load = load_average();
  facts.memory_bytes = meminfo_bytes("MemTotal:");
  facts.available_memory_bytes = meminfo_bytes("MemAvailable:");
  facts.leftovers = find_leftovers(leftover_places());
  facts.shared_memory_bytes = free_shared_memory_bytes();
  facts.huge_pages = chosen_word(first_line_of("/sys/kernel/mm/transparent_hugepage/enabled"));
  facts.governor = first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.open_files_limit = limit_of(RLIMIT_NOFILE);
  facts.address_space_limit_bytes = limit_of(RLIMIT_AS);
  return facts;
}

}  // namespace scalestudy
