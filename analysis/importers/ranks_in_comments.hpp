#pragma once
/// What comments of a log say of its ranks.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/importers/formats.hpp"

namespace scalestudy::epoch_columns {

/// What columns and comments call all ranks.
inline constexpr std::array<std::string_view, 20> rank_names{
    number_of_ranks, "ranks",   "n_ranks", "nranks",    "num_ranks",
    "world_size",    "n_gpus",  "n_gpu",   "ngpus",     "ngpu",
    "num_gpus",      "num_gpu", "gpus",    "gpu_count", "num_processes",
    "n_processes",   "nprocs",  "n_procs", "hvd_size",  "active_workers"};
inline constexpr std::array<std::string_view, 4> node_names{"nodes", "n_nodes", "nnodes",
                                                            "num_nodes"};
/// Of processes, one for each rank.
inline constexpr std::array<std::string_view, 5> processes_per_node{
    "ranks_per_node", "tasks_per_node", "ntasks_per_node", "procs_per_node", "nproc_per_node"};
inline constexpr std::array<std::string_view, 4> gpus_per_node{
    "gpus_per_node", "gpu_per_node", "ngpus_per_node", "devices_per_node"};
inline constexpr std::array<std::string_view, 3> device_names{"devices", "n_devices",
                                                              "num_devices"};
inline constexpr std::array<std::string_view, 3> batch_names{"global_batch_size", "global_batch",
                                                             "gbs"};
inline constexpr std::array<std::string_view, 6> sample_names{
    "samples_per_epoch", "images_per_epoch", "train_samples",
    "train_images",      "training_samples", "training_images"};

inline constexpr auto gives_value = "=", stands_between = ";";

/// Small words of letters or digits; what stands between them is one of the above, or blanks.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text);

struct RanksInComments {
  StatedRanks stated;     ///< "world_size: 4"
  StatedRanks mentioned;  ///< "4 gpus", maybe of one node; "mpirun -np 4", "4x V100"
  double global_batch_size = not_available;
  double samples_per_epoch = not_available;
  std::string end;  ///< "keyboardinterrupt": why the run may have ended early; ""
};

/// "gpus: 0, 1" counts nothing.
[[nodiscard]] RanksInComments ranks_in_comments(const std::string& comments);

}  // namespace scalestudy::epoch_columns
