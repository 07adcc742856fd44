#include "engine/rank_communicators.hpp"

namespace scalestudy {

void RankCommunicators::abort(const std::string& reason, ExitCode exit_code) const noexcept {
  // The control communicator last: with MPI the first abort ends the process.
  for (const auto* comm :
       {batch_norm ? &*batch_norm : nullptr, input ? &*input : nullptr, &gradients, &control})
    if (comm != nullptr) comm->abort(reason, exit_code);
}

RankCommunicators make_rank_communicators(const Communicator& control, const RunSpec& spec) {
  RankCommunicators comms{.control = control, .gradients = control.duplicate("gradients")};
  if (spec.batch_norm_in_force() == BatchNormPolicy::synchronised)
    comms.batch_norm = comms.inner->counted(control.duplicate("batch-norm"));
  if (spec.input == InputKind::serial && spec.ranks > 1) comms.input = control.duplicate("input");
  return comms;
}

}  // namespace scalestudy
