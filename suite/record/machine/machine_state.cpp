#include "record/machine/machine_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.hpp"
#include "core/file_content.hpp"

#include "record/machine/core_ticks.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_number_bytes = 64;
constexpr std::size_t most_process_bytes = 1024;
constexpr std::size_t most_core_times_bytes = 1 << 18;  // the lines of cores come first
constexpr std::size_t most_core_facts_bytes = 1 << 20;

/// Drivers of sensors in processors (sys/class/hwmon/*/name).
constexpr std::array<std::string_view, 4> processor_sensors{"coretemp", "k10temp", "zenpower",
                                                            "cpu_thermal"};

double number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_whole = end != text.c_str() && (*end == '\0' || *end == '\n');
  return is_whole && std::isfinite(number) ? number : std::nan("");
}

double number_in(const fs::path& file) {
  return number_of(start_of_file(file, most_number_bytes));
}

/// "cpu12", but not "cpufreq".
bool is_core(const fs::path& folder) {
  const auto name = folder.filename().string();
  return name.size() > 3 && name.starts_with("cpu") &&
         name.find_first_not_of("0123456789", 3) == std::string::npos;
}

double mean_of_known(const std::vector<double>& values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (!(value > 0)) continue;  // a core that is switched off
    sum += value;
    ++count;
  }
  return sum / count;  // NaN for none
}

/// User and system time in /proc/<id>/stat, fields 14 and 15. Field 2, the program's name, may hold
/// blanks, so counting starts behind its closing parenthesis.
double process_time_s(const fs::path& file) {
  const auto stat = start_of_file(file, most_process_bytes);
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nan("");
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  if (!(fields >> user >> system)) return std::nan("");
  return seconds_of_ticks(user + system);
}

/// The lines "cpu MHz : 2600.000" of /proc/cpuinfo.
std::vector<double> stated_frequencies_hz(const fs::path& file) {
  std::istringstream lines(start_of_file(file, most_core_facts_bytes));
  std::vector<double> found;
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with("cpu MHz") || colon == std::string::npos) continue;
    found.push_back(number_of(line.substr(colon + 1)) * 1e6);
  }
  return found;
}

}  // namespace

MachineSources::MachineSources(const fs::path& root, std::vector<std::int64_t> process_ids)
    : processes_(root / "proc"), process_ids_(std::move(process_ids)) {
  find_core_files(root / "sys/devices/system/cpu");
  find_sensors(root / "sys/class");
}

void MachineSources::find_core_files(const fs::path& cores) {
  for (const auto& core : entries_in(cores)) {
    if (!is_core(core)) continue;
    if (const auto file = core / "cpufreq/scaling_cur_freq"; is_there(file))
      frequencies_khz_.push_back(file);
    for (const auto& file : entries_in(core / "thermal_throttle"))
      if (file.filename().string().ends_with("_throttle_count")) throttle_counts_.push_back(file);
  }
}

void MachineSources::find_sensors(const fs::path& sensors) {
  for (const auto& sensor : entries_in(sensors / "hwmon")) {
    const auto name = first_line_of(sensor / "name");
    if (std::ranges::find(processor_sensors, name) == processor_sensors.end()) continue;
    for (const auto& file : entries_in(sensor))
      if (const auto input = file.filename().string();
          input.starts_with("temp") && input.ends_with("_input"))
        temperatures_mc_.push_back(file);
  }
  if (!temperatures_mc_.empty()) return;
  for (const auto& zone : entries_in(sensors / "thermal")) {
    const auto type = first_line_of(zone / "type");
    if (type == "x86_pkg_temp" || type.starts_with("cpu"))
      temperatures_mc_.push_back(zone / "temp");
  }
}

MachineState MachineSources::read() const {
  MachineState state;
  state.time_s = now_s();
  read_cores(state);
  state.own_s = 0;
  for (const auto id : process_ids_)
    state.own_s += process_time_s(processes_ / std::to_string(id) / "stat");
  state.frequency_hz = frequency_hz();
  if (!throttle_counts_.empty()) state.throttle_count = 0;
  for (const auto& file : throttle_counts_) state.throttle_count += number_in(file);
  for (const auto& file : temperatures_mc_)
    state.temperature_c = std::fmax(state.temperature_c, number_in(file) / 1000);
  return state;
}

void MachineSources::read_cores(MachineState& state) const {
  std::istringstream lines(start_of_file(processes_ / "stat", most_core_times_bytes));
  double cores = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (name != "cpu") {
      ++cores;
      continue;
    }
    const auto ticks = read_core_ticks(fields);
    // Sandboxes show the file with zeros.
    if (!(ticks.worked > 0)) return;
    state.worked_s = seconds_of_ticks(ticks.worked);
    state.stolen_s = seconds_of_ticks(ticks.stolen);
  }
  if (cores > 0) state.cores = cores;
}

double MachineSources::frequency_hz() const {
  if (frequencies_khz_.empty()) return mean_of_known(stated_frequencies_hz(processes_ / "cpuinfo"));
  std::vector<double> found;
  for (const auto& file : frequencies_khz_) found.push_back(number_in(file) * 1e3);
  return mean_of_known(found);
}

}  // namespace scalestudy
