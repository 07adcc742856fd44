#include "engine/rank_communicators.hpp"

#include "study/injection_reach.hpp"

#include "comm/hierarchical_communicator.hpp"
#include "comm/observed_communicator.hpp"

namespace scalestudy {
namespace {

Communicator over_injected_link(const Communicator& comm, const RunSpec& spec) {
  for (const auto& injection : injections_on(spec, comm.rank().value()))
    if (injection.fault == Fault::slow_link) return slowed(comm, injection.rate_bytes_per_s);
  return comm;
}

Communicator for_gradients(const Communicator& control, const RunSpec& spec) {
  const auto comm = over_injected_link(control.duplicate("gradients"), spec);
  if (spec.reduction != Reduction::hierarchical) return comm;
  return hierarchical(comm, {.joined_by = spec.communicator,
                             .ranks_per_host = spec.settings.hierarchical.ranks_per_host,
                             .deadline = Seconds(spec.settings.timeouts.collective_deadline_s)});
}

}  // namespace

void RankCommunicators::abort(const std::string& reason, ExitCode exit_code) const noexcept {
  // The control communicator last: with MPI the first abort ends the process.
  for (const auto* comm :
       {batch_norm ? &*batch_norm : nullptr, input ? &*input : nullptr, &gradients, &control})
    if (comm != nullptr) comm->abort(reason, exit_code);
}

RankCommunicators make_rank_communicators(const Communicator& control, const RunSpec& spec) {
  RankCommunicators comms{.control = control, .gradients = for_gradients(control, spec)};
  if (!spec.injections.empty()) comms.stretch = std::make_shared<ComputeStretch>();
  if (spec.batch_norm_in_force() == BatchNormPolicy::synchronised)
    comms.batch_norm =
        comms.inner->counted(stretched(control.duplicate("batch-norm"), comms.stretch));
  if (spec.input == InputKind::serial && spec.ranks > 1) comms.input = control.duplicate("input");
  return comms;
}

}  // namespace scalestudy
