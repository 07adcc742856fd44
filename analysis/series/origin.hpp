#pragma once
/// Where a run comes from. A ratio of runs that differ in it says something about that, not about
/// numbers of ranks.

#include <array>
#include <compare>
#include <string>
#include <vector>

#include "study/run_spec.hpp"

#include "record/run_file/run_record.hpp"

namespace scalestudy {

struct Origin {
  std::string study;      ///< its name in the study file
  std::string build;      ///< of the programs that ran
  std::string machine;    ///< kind of machine: processor, hardware threads, GPUs, system, power
  std::string libraries;  ///< that compute, with their versions; "" where none is recorded
  std::string data;       ///< hash of their content, whatever they are called; "" likewise
  auto operator<=>(const Origin&) const = default;  // NOLINT(modernize-use-nullptr)
};

[[nodiscard]] Origin origin_of(const RunFacts& run, const RunSpec& spec);

/// One of the things in which origins can differ.
struct OriginPart {
  const char* noun;
  const char* plural;
  const char* mixed_code;  ///< validity code of a study whose runs differ in it
  std::string Origin::*value;
};
inline constexpr std::array origin_parts{
    OriginPart{"study", "studies", "mixed_studies", &Origin::study},
    OriginPart{"build", "builds", "mixed_builds", &Origin::build},
    OriginPart{"machine", "machines", "mixed_machines", &Origin::machine},
    OriginPart{"libraries", "libraries", "mixed_libraries", &Origin::libraries},
    OriginPart{"data", "data", "mixed_data", &Origin::data}};

/// "build 0.1.0+g12345678, machine AMD EPYC, …": of `origin` what differs among `all`; else "".
[[nodiscard]] std::string distinction(const Origin& origin, const std::vector<Origin>& all);

}  // namespace scalestudy
