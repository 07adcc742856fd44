#pragma once
/// Which build this is. Results of different builds are never mixed silently.

#include <string>

namespace scalestudy {

/// "0.1.0".
[[nodiscard]] std::string version();

/// Version, commit and build type: "0.1.0+g1a2b3c4d.release"; "-dirty" after the commit when the
/// tree had changes.
[[nodiscard]] std::string build_id();

}  // namespace scalestudy
