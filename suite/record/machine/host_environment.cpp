#include "record/machine/host_environment.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include <hwloc.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/cores.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "record/machine/cpu_quota.hpp"

extern char** environ;  // NOLINT: POSIX

namespace scalestudy {
namespace {

using nlohmann::json;

/// The value behind "key : value" or KEY="value" in a file of such lines.
std::string value_in(const std::filesystem::path& file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find(separator);
    if (at == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    auto value = line.substr(at + 1);
    value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
    value.erase(0, value.find_first_not_of(" \t"));
    return value;
  }
  return "";
}

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

std::unique_ptr<hwloc_topology, DestroyTopology> load_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  std::unique_ptr<hwloc_topology, DestroyTopology> owned(topology);
  if (hwloc_topology_load(topology) != 0) return nullptr;
  return owned;
}

int count_of(hwloc_topology* topology, hwloc_obj_type_t type) {
  return topology == nullptr ? 0 : std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

utsname system_names() {
  utsname names{};
  uname(&names);
  return names;
}

std::string container() {
  if (std::filesystem::exists("/.dockerenv")) return "docker";
  if (std::filesystem::exists("/run/.containerenv")) return "podman";
  if (const char* apptainer = std::getenv("APPTAINER_CONTAINER"))
    return cat("apptainer ", apptainer);
  return "none found";
}

std::string scheduler_job() {
  for (const auto* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"})
    if (const char* value = std::getenv(name)) return cat(name, "=", value);
  return "none";
}

/// Settings that no variable shows: NCCL reads the system's file and one of the user's.
std::string nccl_configuration() {
  const char* const stated = std::getenv("NCCL_CONF_FILE");
  const char* const home = std::getenv("HOME");
  std::vector<std::string> files{"/etc/nccl.conf"};
  if (stated != nullptr)
    files.emplace_back(stated);
  else if (home != nullptr)
    files.push_back(cat(home, "/.nccl.conf"));
  std::vector<std::string> settings;
  for (const auto& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line.front() != '#') settings.push_back(cat(file, ": ", line));
  }
  return join(settings, "\n");
}

/// What several properties are read from.
struct Machine {
  std::unique_ptr<hwloc_topology, DestroyTopology> topology = load_topology();
  utsname names = system_names();
};

struct Property {
  const char* path;
  const char* words;
  json (*value)(const Machine& machine);
};

template <hwloc_obj_type_t type>
json count_on(const Machine& machine) {
  return count_of(machine.topology.get(), type);
}

template <hwloc_obj_type_t type>
json cache_bytes_on(const Machine& machine) {
  auto* const topology = machine.topology.get();
  if (count_of(topology, type) == 0) return 0;
  return hwloc_get_obj_by_type(topology, type, 0)->attr->cache.size;
}

constexpr std::array properties{
    Property{"/recorded_at", "When this was recorded",
             [](const Machine&) { return json(utc_timestamp()); }},
    Property{"/system/host", "Name of the machine",
             [](const Machine& m) { return json(m.names.nodename); }},
    Property{"/system/operating_system", "Operating system",
             [](const Machine&) { return json(value_in("/etc/os-release", "PRETTY_NAME", '=')); }},
    Property{"/system/kernel", "Kernel", [](const Machine& m) { return json(m.names.release); }},
    Property{"/system/architecture", "Architecture",
             [](const Machine& m) { return json(m.names.machine); }},
    Property{"/system/transparent_huge_pages", "Large memory pages (chosen: in brackets)",
             [](const Machine&) {
               return json(first_line_of("/sys/kernel/mm/transparent_hugepage/enabled"));
             }},
    Property{"/cpu/model", "Processor", [](const Machine&) { return json(cpu_model()); }},
    Property{"/cpu/socket_count", "Processor sockets", count_on<HWLOC_OBJ_PACKAGE>},
    Property{"/cpu/numa_node_count", "Memory regions (NUMA nodes)", count_on<HWLOC_OBJ_NUMANODE>},
    Property{"/cpu/core_count", "Processor cores", count_on<HWLOC_OBJ_CORE>},
    Property{"/cpu/hardware_thread_count", "Hardware threads", count_on<HWLOC_OBJ_PU>},
    Property{"/cpu/usable_core_count", "Hardware threads that runs may use",
             [](const Machine&) { return json(usable_core_count()); }},
    Property{"/cpu/quota_cores", "Cores that the CPU quota of its control group grants",
             [](const Machine&) {
               const double cores = CpuQuota().cores();
               return std::isnan(cores) ? json("") : json(cores);
             }},
    Property{"/cpu/l2_cache_bytes", "Second-level cache", cache_bytes_on<HWLOC_OBJ_L2CACHE>},
    Property{"/cpu/l3_cache_bytes", "Third-level cache", cache_bytes_on<HWLOC_OBJ_L3CACHE>},
    Property{"/cpu/governor", "Who decides the processor's frequency (governor)",
             [](const Machine&) {
               return json(first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
             }},
    Property{"/gpu_models", "GPUs", [](const Machine&) { return json(gpu_models()); }},
    Property{"/nccl_configuration", "Files by which NCCL is set, beside variables",
             [](const Machine&) { return json(nccl_configuration()); }},
    Property{"/memory_bytes", "Memory",
             [](const Machine&) {
               return json(static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                           sysconf(_SC_PAGE_SIZE));
             }},
    Property{"/load_average", "Load of the machine (/proc/loadavg)",
             [](const Machine&) { return json(first_line_of("/proc/loadavg")); }},
    Property{"/container", "Container", [](const Machine&) { return json(container()); }},
    Property{"/scheduler_job", "Job of a scheduler",
             [](const Machine&) { return json(scheduler_job()); }},
    Property{"/fingerprint", "Identity of machine and operating system",
             [](const Machine&) { return json(host_fingerprint()); }}};

json variables_json() {
  json variables = json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto name = text.substr(0, text.find('='));
    if (is_recordable_variable(name))
      variables[name] = text.substr(std::min(text.size(), name.size() + 1));
  }
  return variables;
}

}  // namespace

bool is_recordable_variable(const std::string& name) {
  static constexpr std::array prefixes{
      "OMP_",    "GOMP_",          "KMP_",       "MKL_",     "OMPI_",  "PMIX_", "UCX_",
      "NCCL_",   "CUDA_",          "TORCH_",     "PYTORCH_", "SLURM_", "PBS_",  "SCALESTUDY_",
      "MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD", "DNNL_",    "ONEDNN_"};
  static constexpr std::array secrets{"KEY",        "TOKEN", "SECRET", "PASS",
                                      "CREDENTIAL", "AUTH",  "COOKIE", "JWT"};
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto begins = [&](const char* prefix) { return upper.rfind(prefix, 0) == 0; };
  const auto contains = [&](const char* part) { return upper.find(part) != std::string::npos; };
  return std::any_of(prefixes.begin(), prefixes.end(), begins) &&
         std::none_of(secrets.begin(), secrets.end(), contains);
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

int usable_core_count() {
  const auto cores = std::ssize(allowed_cores());
  return cores > 0 ? static_cast<int>(cores) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int core_count_in_quota() {
  const double quota = CpuQuota().cores();
  const int usable = usable_core_count();
  return std::isnan(quota) ? usable : static_cast<int>(std::clamp(quota, 1.0, double(usable)));
}

std::string gpu_models(const std::filesystem::path& folder) {
  std::set<std::string> models;
  std::error_code none;
  for (const auto& gpu : std::filesystem::directory_iterator(folder, none))
    models.insert(value_in(gpu.path() / "information", "Model", ':'));
  models.erase("");
  return join({models.begin(), models.end()}, ", ");
}

std::int64_t visible_gpu_count(const std::filesystem::path& folder) {
  std::error_code none;
  const std::filesystem::directory_iterator gpus(folder, none);
  const auto present = std::distance(begin(gpus), end(gpus));
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr || present == 0) return present;
  const std::string_view names = visible;
  return names.empty() ? 0 : std::ranges::count(names, ',') + 1;
}

std::string cpu_model() {
  const auto model = value_in("/proc/cpuinfo", "model name", ':');
  return model.empty() ? "unknown" : model;
}

std::string host_environment_json() {
  const Machine machine;
  json environment{{"variables", variables_json()}};
  for (const auto& property : properties)
    environment[json::json_pointer(property.path)] = property.value(machine);
  // Variables and files of others may hold any bytes.
  return environment.dump(1, ' ', false, json::error_handler_t::replace);
}

std::map<std::string, std::string> host_environment_words() {
  std::map<std::string, std::string> words;
  for (const auto& property : properties) words[property.path] = property.words;
  return words;
}

std::string host_fingerprint() {
  const double quota = CpuQuota().cores();
  return hex64(fnv1a(cat(cpu_model(), "|", usable_core_count(), "|", system_names().machine, "|",
                         value_in("/etc/os-release", "PRETTY_NAME", '='),
                         std::isnan(quota) ? "" : cat("|", quota))));
}

}  // namespace scalestudy
