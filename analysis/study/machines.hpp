#pragma once
/// The machines that the runs of a report come from.

#include <string>
#include <vector>

#include "analysis/series/run_set.hpp"

namespace scalestudy {

struct Machine {
  std::string kind;   ///< Origin::machine
  std::string words;  ///< short, for people, no other machine's: "AMD EPYC, 2 hardware threads"
};

/// Each kind once, in the order of the runs.
[[nodiscard]] std::vector<Machine> machines_of(const RunSet& set);

/// The words of the machine that a run of `origin` was made on. Contract: it is among `machines`.
[[nodiscard]] const std::string& words_of_machine(const std::vector<Machine>& machines,
                                                  const Origin& origin);

}  // namespace scalestudy
