#include "engine/rank_communicators.hpp"

#include "study/injection_reach.hpp"
#include "study/reduction_reach.hpp"

#include "comm/emulated_link.hpp"
#include "comm/hierarchical_communicator.hpp"
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

/// A link that only gradients feel is injected on top of one that all feel.
Communicator for_gradients(const RankCommunicators& comms, const RunSpec& spec) {
  auto comm = in_levels(comms.control.duplicate("gradients"), spec);
  if (comms.link)
    comm = emulated_link(comm, gradient_link_of(spec), spec.settings.link.payload, comms.link);
  return over_injected_link(comm, spec);
}

}  // namespace

void RankCommunicators::abort(const std::string& reason, ExitCode exit_code) const noexcept {
  // The control communicator last: with MPI the first abort ends the process.
  for (const auto* comm :
       {batch_norm ? &*batch_norm : nullptr, input ? &*input : nullptr, &gradients, &control})
    if (comm != nullptr) comm->abort(reason, exit_code);
}

RankCommunicators make_rank_communicators(const Communicator& control, const RunSpec& spec) {
  RankCommunicators comms{.control = control, .gradients = control};
  if (spec.settings.link.algorithm != LinkAlgorithm::none && spec.ranks > 1)
    comms.link = std::make_shared<LinkMeter>();
  comms.gradients = for_gradients(comms, spec);
  if (!spec.injections.empty()) comms.stretch = std::make_shared<ComputeStretch>();
  if (spec.batch_norm_in_force() == BatchNormPolicy::synchronised)
    comms.batch_norm = comms.inner->counted(
        stretched(duplicate_over_link(comms, "batch-norm", spec), comms.stretch));
  if (spec.input == InputKind::serial && spec.ranks > 1)
    comms.input = duplicate_over_link(comms, "input", spec);
  return comms;
}

}  // namespace scalestudy
