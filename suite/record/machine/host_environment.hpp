#pragma once
/// What machine and surroundings a run had: stored as /environment, shown by `doctor` and reports.

#include <filesystem>
#include <map>
#include <string>

namespace scalestudy {

/// JSON object: host, operating system, CPU (model, sockets, cores, threads, caches, governor),
/// memory, load, container, scheduler job, relevant environment variables. Never secrets: only
/// variables whose names begin as those of MPI, NCCL, OpenMP, CUDA, Slurm, PBS, LibTorch and
/// scalestudy are taken, and of these none that look like a key, token or password. Local.
[[nodiscard]] std::string host_environment_json();

/// What each of these is called for people, by its path: "/cpu/core_count" -> "Processor cores".
/// Variables, at "/variables/<name>", are not in it.
[[nodiscard]] std::map<std::string, std::string> host_environment_words();

/// A short identity of machine and operating system: runs of different fingerprints are not mixed.
[[nodiscard]] std::string host_fingerprint();

/// True when a variable may be stored.
[[nodiscard]] bool is_recordable_variable(const std::string& name);

[[nodiscard]] std::string host_name();

/// Hardware threads in this process' affinity mask.
[[nodiscard]] int usable_core_count();

/// The same, cut to the CPU quota of the control group, rounded down to whole cores, at least 1.
[[nodiscard]] int core_count_in_quota();

/// Of the NVIDIA driver's GPUs on this machine, each name once, sorted, separated by ", "; "" where
/// there are none. `folder`: what the driver says of each, <bus id>/information.
[[nodiscard]] std::string gpu_models(
    const std::filesystem::path& folder = "/proc/driver/nvidia/gpus");

/// NVIDIA's GPUs that a program started now would see: those of CUDA_VISIBLE_DEVICES, else the
/// driver's; 0 where there are none. `folder` as for gpu_models().
[[nodiscard]] std::int64_t visible_gpu_count(
    const std::filesystem::path& folder = "/proc/driver/nvidia/gpus");

/// "AMD EPYC …" as the kernel names it.
[[nodiscard]] std::string cpu_model();

}  // namespace scalestudy
