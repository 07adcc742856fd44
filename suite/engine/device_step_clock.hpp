#pragma once
/// The step clock of a rank whose device computes on a stream: marks are events there.

#include <memory>

#include "comm/nccl_device.hpp"

#include "engine/step_clock.hpp"

namespace scalestudy {

/// `computing`: the stream that computes, of `device`; outlives the clock. seconds() waits for the
/// device. Local.
[[nodiscard]] std::unique_ptr<StepClock> make_device_step_clock(std::shared_ptr<NcclDevice> device,
                                                                CudaStream computing);

}  // namespace scalestudy
