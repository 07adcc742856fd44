#pragma once
/// How the ranks of a host come to have the same file open.

#include <functional>
#include <string>

#include "core/clock.hpp"
#include "core/descriptor.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// Processes with the same one can hand each other open files: boot of the kernel and network
/// namespace, in which the names of sockets live. Local.
[[nodiscard]] std::string host_identity();

/// What `make` gave on the first rank of this rank's host: the same file for all of them. Nothing,
/// and `make` is not called, where a rank is alone on its host. Collective. Errors: those of
/// `make`; RunFailed when a rank of the host does not come before `deadline`.
[[nodiscard]] Descriptor share_on_host(const Communicator& comm,
                                       const std::function<Descriptor()>& make,
                                       Seconds deadline);

}  // namespace scalestudy
