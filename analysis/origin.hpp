#pragma once
/// Where a run comes from. A ratio of runs that differ in it says something about that, not about
/// numbers of ranks.

#include <array>
#include <string>
#include <vector>

#include "record/run_record.hpp"

namespace scalestudy {

struct Origin {
  std::string study;    ///< its name in the study file
  std::string build;    ///< of the programs that ran
  std::string machine;  ///< kind of machine: processor, hardware threads, operating system
  friend bool operator<(const Origin& a, const Origin& b);
  friend bool operator==(const Origin& a, const Origin& b) = default;
};

[[nodiscard]] Origin origin_of(const RunFacts& record, const std::string& study);

/// One of the things in which origins can differ.
struct OriginPart {
  const char* noun;
  const char* mixed_code;  ///< validity code of a study whose runs differ in it
  std::string Origin::*value;
};
inline constexpr std::array origin_parts{OriginPart{"study", "mixed_studies", &Origin::study},
                                         OriginPart{"build", "mixed_builds", &Origin::build},
                                         OriginPart{"machine", "mixed_machines", &Origin::machine}};

/// "build 0.1.0+g12345678, machine AMD EPYC, …": of `origin` what differs among `all`; else "".
[[nodiscard]] std::string distinction(const Origin& origin, const std::vector<Origin>& all);

}  // namespace scalestudy
