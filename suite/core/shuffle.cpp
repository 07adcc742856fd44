#include "core/shuffle.hpp"

#include <numeric>
#include <utility>

#include "core/hash.hpp"

namespace scalestudy {

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Fisher and Yates; that a remainder favours small numbers does not show below 2^64 draws.
  for (std::size_t left = count; left > 1; --left) {
    seed = mix64(seed);
    std::swap(order[left - 1], order[seed % left]);
  }
  return order;
}

}  // namespace scalestudy
