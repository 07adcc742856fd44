#pragma once
/// Runs a function on N ranks of a back-end, in threads or in forked processes, and collects what
/// each reports.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "study/choices.hpp"

#include "comm/communicator.hpp"

namespace scalestudy {

/// What the rank found wrong, "" for nothing; "exception: …" when it threw.
using RankBody = std::function<std::string(const Communicator&)>;

/// What a rank reports that did not come to its end: "killed by signal 9".
[[nodiscard]] std::vector<std::string> run_ranks(CommunicatorKind back_end,
                                                 WorldSize world_size,
                                                 Seconds deadline,
                                                 const RankBody& body);

/// N forked processes, each with its own index; no communicator yet.
[[nodiscard]] std::vector<std::string> run_processes(
    int count, const std::function<std::string(int index)>& body);

/// A key that no other test uses, also not one running beside.
[[nodiscard]] std::string unique_key();

}  // namespace scalestudy
