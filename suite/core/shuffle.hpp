#pragma once
/// A random order that is the same on every machine: std::shuffle may differ between standard
/// libraries.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalestudy {

/// The numbers below `count`, each once, in an order that `seed` decides.
[[nodiscard]] std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed);

}  // namespace scalestudy
