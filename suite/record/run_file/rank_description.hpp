#pragma once
/// What a rank program was built with, told by itself: `scalestudy-rank --describe`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

struct RankDescription {
  std::string build_id;
  std::string libtorch;              ///< version, "" for a build without
  bool mpi = false;                  ///< can join ranks by MPI
  bool cuda = false;                 ///< LibTorch has its CUDA part here
  bool cuda_graph = false;           ///< settings.cuda_graph can be used
  std::vector<std::string> devices;  ///< "cpu", "cuda:0", …: what it finds on this machine
  [[nodiscard]] std::int64_t gpu_count() const;
};

/// One line of JSON.
[[nodiscard]] std::string to_json_line(const RankDescription& description);

/// From the first line of `output` that is JSON; nothing when there is none.
[[nodiscard]] std::optional<RankDescription> rank_description_in(std::string_view output);

}  // namespace scalestudy
