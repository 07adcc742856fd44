#include <torch/version.h>

#include "core/provenance.hpp"

#include "comm/rendezvous.hpp"
#include "record/run_file/rank_description.hpp"

#include "training/device.hpp"
#include "training/device_graph.hpp"

#include "rank/torch/torch_work.hpp"

namespace scalestudy {

std::string describe_rank_program() {
  RankDescription description;
  description.build_id = build_id();
  description.libtorch = TORCH_VERSION;
  description.mpi = is_built_in(CommunicatorKind::mpi);
  const auto cuda = find_cuda_devices();
  description.cuda = cuda.problem.empty();
  description.cuda_graph = description.cuda && problem_with_cuda_graphs().empty();
  description.devices.emplace_back("cpu");
  for (std::int64_t i = 0; i < cuda.count; ++i)
    description.devices.push_back("cuda:" + std::to_string(i));
  return to_json_line(description);
}

}  // namespace scalestudy
