#include "engine/rank_communicators.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/injection_reach.hpp"
#include "study/reduction_reach.hpp"

#include "comm/emulated_link.hpp"
#include "comm/hierarchical_communicator.hpp"
#include "comm/host_sharing.hpp"
#include "comm/nccl_communicator.hpp"
#include "comm/observed_communicator.hpp"

namespace scalestudy {
namespace {

Communicator over_injected_link(const Communicator& comm, const RunSpec& spec) {
  for (const auto& injection : injections_on(spec, comm.rank().value()))
    if (injection.fault == Fault::slow_link) return slowed(comm, injection.rate_bytes_per_s);
  return comm;
}

/// Of `purpose`, over the link that is emulated, if any.
Communicator duplicate_over_link(const RankCommunicators& comms,
                                 const std::string& purpose,
                                 const RunSpec& spec) {
  auto duplicate = comms.control.duplicate(purpose);
  if (!comms.link) return duplicate;
  const LinkModel model(spec.settings.link, spec.ranks);
  return emulated_link(duplicate, model, Payload::full, comms.link);
}

Communicator in_levels(const Communicator& comm, const RunSpec& spec) {
  if (spec.reduction != Reduction::hierarchical) return comm;
  return hierarchical(comm, {.ranks_per_host = ranks_per_host(spec.settings),
                             .deadline = Seconds(spec.settings.timeouts.collective_deadline_s)});
}

/// Where a rank's GPU is.
struct GpuPlace {
  std::string host;
  std::string bus_id;
  bool is_alone = false;  ///< the rank sees no other GPU
};

/// Of all ranks. Collective.
std::vector<GpuPlace> gpu_places(const Communicator& control, const NcclDevice& gpu) {
  const char* const stated = std::getenv("NCCL_HOSTID");  // by which NCCL tells hosts apart
  const std::string host = stated != nullptr ? stated : host_identity();
  const auto mine = cat(gpu.visible_count(), '\n', gpu.bus_id(), '\n', host);
  std::vector<GpuPlace> places;
  for (const auto& one : all_gather_text(control, mine)) {
    const auto lines = split(one, '\n');
    places.push_back({lines.at(2), lines.at(1), lines.at(0) == "1"});
  }
  return places;
}

/// NCCL would refuse it, or hang, without naming anybody.
void require_own_gpus(const std::vector<GpuPlace>& places) {
  for (auto rank = places.begin(); rank != places.end(); ++rank) {
    const auto first = std::find_if(places.begin(), rank, [&](const GpuPlace& other) {
      return other.host == rank->host && other.bus_id == rank->bus_id;
    });
    if (first == rank) continue;
    throw BadInput({cat("ranks ", first - places.begin(), " and ", rank - places.begin(),
                        " have the same GPU, ", rank->bus_id),
                    "NCCL joins one GPU per rank",
                    "Start at most one rank per GPU; look at how the launcher sets "
                    "CUDA_VISIBLE_DEVICES and the local rank"});
  }
}

/// That ranks of one host each see one GPU: the driver lets none of them reach another's memory.
bool see_one_gpu_each(const std::vector<GpuPlace>& places) {
  return std::ranges::any_of(places, [&](const GpuPlace& place) {
    return place.is_alone && std::ranges::count(places, place.host, &GpuPlace::host) > 1;
  });
}

/// A link that only gradients feel is injected on top of one that all feel.
Communicator for_gradients(const RankCommunicators& comms, const RunSpec& spec) {
  auto comm = in_levels(comms.control.duplicate("gradients"), spec);
  if (comms.link)
    comm = emulated_link(comm, gradient_link_of(spec), spec.settings.link.payload, comms.link);
  return over_injected_link(comm, spec);
}

Communicator between_gpus(RankCommunicators& comms,
                          const RunSpec& spec,
                          std::shared_ptr<NcclDevice> gpu) {
  const auto places = gpu_places(comms.control, *gpu);
  require_own_gpus(places);
  comms.sees_one_gpu = see_one_gpu_each(places);
  comms.gpu = gpu;
  const Seconds deadline(spec.settings.timeouts.collective_deadline_s);
  const Communicator flat(
      make_nccl_communicator(std::move(gpu), comms.control.duplicate("gradients"), deadline));
  return in_levels(flat, spec);
}

}  // namespace

void RankCommunicators::abort(const std::string& reason, ExitCode exit_code) const noexcept {
  // The control communicator last: with MPI the first abort ends the process.
  for (const auto* comm :
       {batch_norm ? &*batch_norm : nullptr, input ? &*input : nullptr, &gradients, &control})
    if (comm != nullptr) comm->abort(reason, exit_code);
}

RankCommunicators make_rank_communicators(const Communicator& control,
                                          const RunSpec& spec,
                                          std::shared_ptr<NcclDevice> gpu) {
  RankCommunicators comms{.control = control, .gradients = control};
  if (spec.settings.link.algorithm != LinkAlgorithm::none && spec.ranks > 1)
    comms.link = std::make_shared<LinkMeter>();
  comms.gradients = gpu != nullptr && spec.ranks > 1 ? between_gpus(comms, spec, std::move(gpu))
                                                     : for_gradients(comms, spec);
  if (!spec.injections.empty()) comms.stretch = std::make_shared<ComputeStretch>();
  if (spec.batch_norm_in_force() == BatchNormPolicy::synchronised)
    comms.batch_norm = comms.inner->counted(
        stretched(duplicate_over_link(comms, "batch-norm", spec), comms.stretch));
  if (spec.input == InputKind::serial && spec.ranks > 1)
    comms.input = duplicate_over_link(comms, "input", spec);
  return comms;
}

}  // namespace scalestudy
