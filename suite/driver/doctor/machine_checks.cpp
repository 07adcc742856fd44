#include "driver/doctor/machine_checks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/ids.hpp"
#include "core/text.hpp"

#include "driver/doctor/gpu_checks.hpp"

namespace scalestudy {
namespace {

constexpr auto build_rank_program =
    "Run: environments/setup.sh && cmake --preset release && cmake --build --preset release";

MachineCheck rank_program(const MachineFacts& facts) {
  const auto& path = facts.rank_program;
  if (!facts.rank_program_exists) {
    return {"rank program", CheckResult::missing, cat("none at ", path), build_rank_program};
  }
  if (facts.rank_version.empty()) {
    const auto& problem = facts.rank_problem;
    return {"rank program", CheckResult::missing,
            cat(path, " does not start", problem.empty() ? "" : ": " + problem),
            cat("See what it says: ", path, " --version")};
  }
  if (facts.rank_version.find(facts.build_id) == std::string::npos) {
    return {"rank program", CheckResult::note,
            cat(path, " is build ", facts.rank_version, ", this driver ", facts.build_id),
            "Build both from the same sources: cmake --build --preset release"};
  }
  return {"rank program", CheckResult::ok, cat(path, " (", facts.rank_version, ")"), ""};
}

void add_capabilities(const MachineFacts& facts, std::vector<MachineCheck>& checks) {
  if (facts.rank_version.empty()) return;
  if (!facts.rank) {
    checks.push_back({"LibTorch", CheckResult::note, "the rank program does not describe itself",
                      "It is older than this driver; build it again"});
    return;
  }
  const auto& rank = *facts.rank;
  if (rank.libtorch.empty()) {
    checks.push_back({"LibTorch", CheckResult::missing, "not in this build", build_rank_program});
  } else {
    checks.push_back({"LibTorch", CheckResult::ok, rank.libtorch, ""});
  }
  checks.push_back(rank.mpi ? MachineCheck{"MPI", CheckResult::ok, "in this build", ""}
                            : MachineCheck{"MPI", CheckResult::note,
                                           "not in this build: ranks of one machine only",
                                           "Run environments/setup.sh and build again"});
  const bool has_gpu = rank.gpu_count() > 0;
  checks.push_back(
      {"devices", has_gpu || !rank.cuda ? CheckResult::ok : CheckResult::note,
       join(rank.devices, ", ") + (rank.cuda ? "" : " (LibTorch without its CUDA part)"),
       has_gpu || !rank.cuda ? "" : "LibTorch can use GPUs but finds none; try: nvidia-smi"});
}

void add_launchers(const MachineFacts& facts, std::vector<MachineCheck>& checks) {
  for (const auto& [name, reason] : facts.launchers) {
    const auto subject = cat("launcher ", name);
    // The reason is a whole message: the remedy is its last sentence.
    checks.push_back(reason.empty() ? MachineCheck{subject, CheckResult::ok, "can be used", ""}
                                    : MachineCheck{subject, CheckResult::missing, reason, ""});
  }
}

MachineCheck studies(const MachineFacts& facts) {
  if (facts.study_count > 0) {
    return {"studies", CheckResult::ok, cat(facts.study_count, " shipped"), ""};
  }
  return {"studies", CheckResult::note, "none of the shipped studies is found",
          "Keep bin/ and share/ of the installation together; studies can be given as files"};
}

MachineCheck gnuplot(const MachineFacts& facts) {
  if (!facts.gnuplot.empty()) return {"gnuplot", CheckResult::ok, facts.gnuplot, ""};
  return {"gnuplot", CheckResult::missing, "reports have no PDF figures without it",
          "Run: apt-get install gnuplot-nox"};
}

MachineCheck browser(const MachineFacts& facts) {
  if (!facts.browser.empty()) return {"browser", CheckResult::ok, facts.browser, ""};
  return {"browser", CheckResult::note, "none found, to look at report.html here",
          "Optional: apt-get install chromium, or copy report.html to where you have one"};
}

MachineCheck processor(const MachineFacts& facts) {
  const auto text = cat(facts.cpu_model, ", ", counted(facts.cores, "usable core"));
  if (!std::isnan(facts.quota_cores))
    return {"processor", CheckResult::note,
            fmt::format("{} within the CPU quota of {:.4g} cores", text, facts.quota_cores),
            "What needs more is kept still part of the time. Raise the quota (docker --cpus, "
            "limits.cpu of Kubernetes)"};
  if (facts.cores < 2) {
    return {"processor", CheckResult::note, text,
            "Two ranks would share one core: their times are labelled oversubscribed"};
  }
  return {"processor", CheckResult::ok, text, ""};
}

MachineCheck load(const MachineFacts& facts) {
  const auto text = cat("load average ", facts.load, " on ", counted(facts.cores, "core"));
  // A quarter of a core taken away is seen in any timing.
  if (facts.load < 0.25) return {"other work", CheckResult::ok, text, ""};
  return {"other work", CheckResult::note, text,
          "Other programs distort timings; see: top. Wait until the machine is idle"};
}

MachineCheck memory(const MachineFacts& facts) {
  const auto text = cat(human_bytes(static_cast<double>(facts.memory_bytes)), ", available ",
                        human_bytes(static_cast<double>(facts.available_memory_bytes)));
  if (facts.available_memory_bytes >= 2048 * mib) return {"memory", CheckResult::ok, text, ""};
  return {"memory", CheckResult::note, text, "A rank with LibTorch needs about 1 GiB; free some"};
}

MachineCheck shared_memory(const MachineFacts& facts) {
  if (facts.shared_memory_bytes < 0) {
    return {"/dev/shm", CheckResult::missing,
            "cannot be written to: Open MPI cannot join the ranks of one machine there",
            "Run: mount -t tmpfs -o size=1g tmpfs /dev/shm"};
  }
  const auto text = cat(human_bytes(static_cast<double>(facts.shared_memory_bytes)), " free");
  if (facts.shared_memory_bytes >= 32 * mib) return {"/dev/shm", CheckResult::ok, text, ""};
  return {"/dev/shm", CheckResult::note, text,
          "Open MPI's ranks exchange gradients there; in a container: docker run --shm-size=1g"};
}

MachineCheck leftovers(const MachineFacts& facts) {
  const auto text = to_text(facts.leftovers);
  if (facts.leftovers.empty()) return {"leftovers", CheckResult::ok, text, ""};
  return {"leftovers", CheckResult::note, text, "Run: scalestudy doctor --clear"};
}

MachineCheck huge_pages(const MachineFacts& facts) {
  if (facts.huge_pages.empty()) {
    return {"huge pages", CheckResult::note, "the kernel does not tell", ""};
  }
  if (facts.huge_pages != "never") return {"huge pages", CheckResult::ok, facts.huge_pages, ""};
  return {"huge pages", CheckResult::note, facts.huge_pages,
          "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

MachineCheck governor(const MachineFacts& facts) {
  if (facts.governor.empty()) {
    return {"governor", CheckResult::note,
            "clock control cannot be seen (as in most virtual machines)", ""};
  }
  if (facts.governor == "performance") return {"governor", CheckResult::ok, facts.governor, ""};
  return {"governor", CheckResult::note, cat(facts.governor, ": clocks change with the load"),
          "Steadier times as root: cpupower frequency-set -g performance"};
}

MachineCheck limits(const MachineFacts& facts) {
  const auto text_of = [](std::int64_t limit) { return limit < 0 ? "unlimited" : cat(limit); };
  const auto text = cat("open files ", text_of(facts.open_files_limit), ", address space ",
                        text_of(facts.address_space_limit_bytes));
  if (facts.address_space_limit_bytes >= 0) {
    return {"limits", CheckResult::note, text,
            "LibTorch maps much memory. Run: ulimit -v unlimited"};
  }
  if (facts.open_files_limit >= 0 && facts.open_files_limit < 256) {
    return {"limits", CheckResult::note, text, "Many ranks need more. Run: ulimit -n 4096"};
  }
  return {"limits", CheckResult::ok, text, ""};
}

}  // namespace

std::vector<MachineCheck> check_machine(const MachineFacts& facts) {
  std::vector<MachineCheck> checks{rank_program(facts)};
  add_capabilities(facts, checks);
  add_gpu_checks(facts, checks);
  add_launchers(facts, checks);
  for (const auto check : {studies, gnuplot, browser, processor, load, memory, shared_memory,
                           leftovers, huge_pages, governor, limits}) {
    checks.push_back(check(facts));
  }
  return checks;
}

bool can_train(const MachineFacts& facts) {
  const bool has_launcher = std::any_of(facts.launchers.begin(), facts.launchers.end(),
                                        [](const auto& entry) { return entry.second.empty(); });
  const bool has_network = !facts.rank || !facts.rank->libtorch.empty();
  return !facts.rank_version.empty() && has_launcher && has_network;
}

}  // namespace scalestudy
