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
  return hierarchical(comm, {.joined_by = spec.communicator,
                             .ranks_per_host = ranks_per_host(spec.settings),
                             .deadline = Seconds(spec.settings.timeouts.collective_deadline_s)});
}

/// NCCL would refuse it, or hang, without naming anybody. Collective.
void require_own_gpus(const Communicator& control, const NcclDevice& gpu) {
  const char* const stated = std::getenv("NCCL_HOSTID");  // by which NCCL tells hosts apart
  const std::string host = stated != nullptr ? stated : host_identity();
  const auto gpus = all_gather_text(control, cat(host, ' ', gpu.bus_id()));
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    const auto first = static_cast<std::size_t>(std::ranges::find(gpus, gpus[rank]) - gpus.begin());
    if (first == rank) continue;
    throw BadInput({cat("ranks ", first, " and ", rank, " have the same GPU, ",
                        gpus[rank].substr(gpus[rank].rfind(' ') + 1)),
                    "NCCL joins one GPU per rank",
                    "Start at most one rank per GPU; look at how the launcher sets "
                    "CUDA_VISIBLE_DEVICES and the local rank"});
  }
}

/// A link that only gradients feel is injected on top of one that all feel.
Communicator for_gradients(const RankCommunicators& comms, const RunSpec& spec) {
  auto comm = in_levels(comms.control.duplicate("gradients"), spec);
  if (comms.link)
    comm = emulated_link(comm, gradient_link_of(spec), spec.settings.link.payload, comms.link);
  return over_injected_link(comm, spec);
}

Communicator between_gpus(const RankCommunicators& comms,
                          const RunSpec& spec,
                          std::shared_ptr<NcclDevice> gpu) {
  require_own_gpus(comms.control, *gpu);
  const Seconds deadline(spec.settings.timeouts.collective_deadline_s);
  return Communicator(
      make_nccl_communicator(std::move(gpu), comms.control.duplicate("gradients"), deadline));
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
