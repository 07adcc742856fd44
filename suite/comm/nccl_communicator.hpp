#pragma once
/// The back-end nccl: one GPU per rank, joined by NCCL.
///
/// Buffers are memory of the device, or of the host where the device reaches it. Blocking
/// operations expect them ready: the caller has waited for the stream that fills them. Their result
/// is there when they return. All element types of BufferView are NCCL's own, and sums are
/// bit-equal on all ranks: NCCL computes each element at one rank and hands the result on.
///
/// Beside NCCL goes a host communicator of the same ranks, by which they meet before each blocking
/// operation. It says when the last rank came (as exactly as that back-end does, some µs between
/// processes of a host), who is silent, who calls something else and who has aborted; barriers are
/// its alone. What is started on streams waits for nobody on the host; only the first ones, by
/// which NCCL connects the ranks, wait for the peers to call them too. A thread looks on: whoever
/// does not come within two deadlines is named by it, and what waits for the device goes on and
/// throws.
///
/// Order: blocking operations of a device's communicators take turns (NcclDevice::turns), so that
/// any threads may use them. What one starts on streams is in the order of the calls; several
/// communicators of a device that start operations do so from one thread, in the same order on all
/// ranks, and blocking operations of others wait until these have ended.
///
/// When an operation fails, all communicators of the device end with it. On an H100 with
/// NCCL 2.28.9 ranks are joined within 0.6 s; the end of a communicator takes half a second, by an
/// abort of a sum that hangs, too.

#include <memory>

#include "comm/communicator.hpp"
#include "comm/nccl_device.hpp"

namespace scalestudy {

/// Joins the ranks of `host`, each with its device. `host` is used by the result alone, and its
/// deadline is that of operations. Collective. Errors: RunFailed when a rank does not come before
/// `deadline`, or NCCL fails.
[[nodiscard]] std::shared_ptr<CommunicatorInterface> make_nccl_communicator(
    std::shared_ptr<NcclDevice> device, const Communicator& host, Seconds deadline);

}  // namespace scalestudy
