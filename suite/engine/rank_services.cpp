#include "engine/rank_services.hpp"

namespace scalestudy {

void RankServices::abort_all(const std::string& reason, ExitCode exit_code) const noexcept {
  for (const auto& other : {batch_norm_comm, input_comm})
    if (other) other->abort(reason, exit_code);
  comm.abort(reason, exit_code);
}

}  // namespace scalestudy
