#pragma once
/// A run that measures collective operations, from first call to last row.

#include <memory>

#include "comm/nccl_device.hpp"

#include "engine/rank_services.hpp"

namespace scalestudy::collectives {

/// Measures on the communicator of the gradients and lets rank 0 write the rows, about every
/// second. Collective. Errors: those of the communicator; RunFailed, after all was written and the
/// run marked wrong_result, when any result was wrong. `gpu` as for make_caller().
void measure_run(RankServices& services, const std::shared_ptr<NcclDevice>& gpu = nullptr);

}  // namespace scalestudy::collectives
