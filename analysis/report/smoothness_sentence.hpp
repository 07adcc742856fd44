#pragma once
/// Whether the loss curve of N ranks is smoother than averaging over their samples makes it, in
/// words.

#include <string>

#include "analysis/smoothness.hpp"

namespace scalestudy {

/// A prediction within the interval is compatible with it, and where no change is as well, both are
/// said.
[[nodiscard]] std::string smoothness_sentence(const Smoothness& s);

}  // namespace scalestudy
