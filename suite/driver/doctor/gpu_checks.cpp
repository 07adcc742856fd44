#include "driver/doctor/gpu_checks.hpp"

#include <algorithm>
#include <span>

#include "core/ids.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// What spoils measurements on this GPU, worst first, with the remedy.
struct Spoiler {
  std::string finding;
  std::string remedy;
};

Spoiler spoiler_of(const GpuFacts& gpu) {
  if (gpu.mig_mode == "Enabled")
    return {"MIG is on: a rank gets a part of it, with a part of its speed",
            cat("As root, when nobody uses it: nvidia-smi -i ", gpu.index, " -mig 0")};
  if (gpu.compute_mode == "Prohibited")
    return {"compute mode Prohibited: nothing can use it",
            cat("As root: nvidia-smi -i ", gpu.index, " -c DEFAULT")};
  if (gpu.persistence_mode == "Disabled")
    return {"persistence mode is off: every launch loads the driver first, for seconds",
            cat("As root: nvidia-smi -i ", gpu.index, " -pm 1")};
  if (gpu.utilisation_percent > 0)
    return {cat("something computes on it already (", gpu.utilisation_percent, " %)"),
            "See nvidia-smi; wait for it, or choose another with CUDA_VISIBLE_DEVICES"};
  if (gpu.power_limit_w > 0 && gpu.power_limit_w < gpu.usual_power_limit_w)
    return {cat("its power limit is ", gpu.power_limit_w, " W where ", gpu.usual_power_limit_w,
                " W are usual: its clock falls under load"),
            cat("As root: nvidia-smi -i ", gpu.index, " -pl ", gpu.usual_power_limit_w)};
  return {};
}

MachineCheck check_gpu(const GpuFacts& gpu) {
  auto text = cat(gpu.name, ", ", human_bytes(static_cast<double>(gpu.memory_mib * mib)), ", ",
                  gpu.clock_mhz, " of ", gpu.highest_clock_mhz, " MHz now, driver ", gpu.driver);
  const auto spoiler = spoiler_of(gpu);
  if (!spoiler.finding.empty()) text += "; " + spoiler.finding;
  return {cat("GPU ", gpu.index), spoiler.finding.empty() ? CheckResult::ok : CheckResult::note,
          text, spoiler.remedy};
}

/// What nvidia-smi calls a link.
std::string meaning_of(const std::string& kind) {
  if (kind.starts_with("NV")) return cat("NVLink (", kind, ")");
  if (kind == "PIX" || kind == "PXB") return cat("PCIe switches (", kind, ")");
  return cat("PCIe and the processors (", kind, ")");
}

/// "0–1, 0–2 and 3 more"
std::string to_text(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  constexpr std::size_t shown = 6;
  std::vector<std::string> texts;
  for (const auto& [one, other] : std::span(pairs).first(std::min(shown, pairs.size())))
    texts.push_back(cat(one, "–", other));
  auto text = join(texts, ", ");
  if (pairs.size() > shown) text += cat(" and ", pairs.size() - shown, " more");
  return text;
}

MachineCheck check_links(const MachineFacts& facts) {
  std::vector<std::string> kinds;
  bool all_nvlink = true;
  for (const auto& [kind, pairs] : facts.gpu_links) {
    kinds.push_back(cat(meaning_of(kind), " between ", to_text(pairs)));
    all_nvlink &= kind.starts_with("NV");
  }
  if (kinds.empty())
    return {"GPU links", CheckResult::note, "nvidia-smi topo -m does not tell", ""};
  if (all_nvlink) return {"GPU links", CheckResult::ok, join(kinds, "; "), ""};
  return {"GPU links", CheckResult::note, join(kinds, "; "),
          "NVLink is several times as fast: choose GPUs that it joins with CUDA_VISIBLE_DEVICES, "
          "if there are some"};
}

/// LibTorch may have no CUDA part, or CUDA_VISIBLE_DEVICES may hide them.
MachineCheck check_use(const MachineFacts& facts) {
  const auto used = facts.rank->gpu_count();
  const auto text = cat("LibTorch finds ", used, " of ", facts.gpus.size());
  if (used == std::ssize(facts.gpus)) return {"GPUs in use", CheckResult::ok, text, ""};
  return {"GPUs in use", CheckResult::note, text,
          facts.rank->cuda ? "See CUDA_VISIBLE_DEVICES, and whether the driver is new enough"
                           : "Set TORCH_ROOT to, or activate, a PyTorch for CUDA"};
}

MachineCheck check_graphs(const MachineFacts& facts) {
  if (facts.rank->cuda_graph) return {"CUDA graphs", CheckResult::ok, "can be used", ""};
  return {"CUDA graphs", CheckResult::note, "cannot be used: settings.cuda_graph would be refused",
          "Run environments/setup.sh, which has NVIDIA's headers, and build again"};
}

}  // namespace

void add_gpu_checks(const MachineFacts& facts, std::vector<MachineCheck>& checks) {
  if (facts.gpus.empty()) return;
  for (const auto& gpu : facts.gpus) checks.push_back(check_gpu(gpu));
  if (facts.gpus.size() > 1) checks.push_back(check_links(facts));
  if (!facts.rank) return;
  checks.push_back(check_use(facts));
  if (facts.rank->cuda) checks.push_back(check_graphs(facts));
}

}  // namespace scalestudy
