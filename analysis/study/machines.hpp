#pragma once
/// The machines that the runs of a report come from, and work that was done on several of them.

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

struct SeriesAnalysis;

/// A series among others whose settings and data are the same, but not all of whose machines are.
struct MachineCurve {
  std::string label;  ///< words of its machine, and what else is its own where two share that one
  const SeriesAnalysis* analysis = nullptr;
};

/// Numbers that may stand beside each other and in no ratio: the machine is not all that differs.
struct MachineComparison {
  std::string work;                      ///< what the names of its series begin with
  std::string slug;                      ///< for file names
  std::vector<std::string> differences;  ///< nouns of OriginPart: "machine", "build"
  std::vector<MachineCurve> curves;      ///< in the order of the machines
};

/// `studies` must outlive the result.
[[nodiscard]] std::vector<MachineComparison> compare_machines(
    const std::vector<SeriesAnalysis>& studies, const std::vector<Machine>& machines);

}  // namespace scalestudy
