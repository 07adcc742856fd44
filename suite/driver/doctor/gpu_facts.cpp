#include "driver/doctor/gpu_facts.hpp"

#include <charconv>

#include "core/program_output.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr Seconds patience{20};  // without persistence mode the driver has to be loaded first

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

/// 0 when it is none: nvidia-smi writes "[N/A]".
std::int64_t number_in(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_gpu(const std::string& text) {
  return text.starts_with("GPU") && text.size() > 3 &&
         text.find_first_not_of("0123456789", 3) == std::string::npos;
}

}  // namespace

std::vector<GpuFacts> gpus_in(const std::string& answer) {
  constexpr std::size_t field_count = 12;
  std::vector<GpuFacts> gpus;
  for (const auto& line : split(answer, '\n')) {
    auto fields = split(line, ',');
    if (fields.size() != field_count) continue;
    for (auto& field : fields) field = trimmed(field);
    gpus.push_back({number_in(fields[0]), fields[1], fields[2], number_in(fields[3]),
                    number_in(fields[4]), fields[5], fields[6], fields[7], number_in(fields[8]),
                    number_in(fields[9]), number_in(fields[10]), number_in(fields[11])});
  }
  return gpus;
}

GpuLinks links_in(const std::string& matrix) {
  GpuLinks links;
  std::int64_t row = 0;
  for (const auto& line : split(matrix, '\n')) {
    const auto fields = split(line, '\t');
    if (!is_gpu(trimmed(fields.front()))) continue;
    // Each pair once: what stands left of the row's own place. GPUs come before network cards.
    for (std::int64_t column = 1; column <= row && column < std::ssize(fields); ++column)
      links[trimmed(fields[static_cast<std::size_t>(column)])].emplace_back(column - 1, row);
    ++row;
  }
  return links;
}

std::vector<GpuFacts> find_gpus() {
  return gpus_in(output_of({"nvidia-smi",
                            "--query-gpu=index,name,driver_version,memory.total,clocks.max.sm,"
                            "persistence_mode,mig.mode.current,compute_mode,clocks.sm,power.limit,"
                            "power.default_limit,utilization.gpu",
                            "--format=csv,noheader,nounits"},
                           patience)
                     .value_or(""));
}

GpuLinks find_gpu_links() {
  return links_in(output_of({"nvidia-smi", "topo", "-m"}, patience).value_or(""));
}

}  // namespace scalestudy
