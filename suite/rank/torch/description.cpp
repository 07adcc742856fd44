#include <torch/cuda.h>
#include <torch/version.h>

#include "core/provenance.hpp"

#include "comm/rendezvous.hpp"
#include "record/rank_description.hpp"

#include "rank/torch/torch_work.hpp"

namespace scalestudy {

std::string describe_rank_program() {
  RankDescription description;
  description.build_id = build_id();
  description.libtorch = TORCH_VERSION;
  description.mpi = is_built_in(CommunicatorKind::mpi);
#ifdef SCALESTUDY_HAVE_CUDA
  description.cuda = true;
#endif
  description.devices.emplace_back("cpu");
  const std::size_t cuda_devices = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  for (std::size_t i = 0; i < cuda_devices; ++i) {
    description.devices.push_back("cuda:" + std::to_string(i));
  }
  return to_json_line(description);
}

}  // namespace scalestudy
