#include "data/host_batch.hpp"

#include <functional>
#include <numeric>

namespace scalestudy {

void HostArray::resize(std::vector<std::int64_t> new_shape) {
  shape = std::move(new_shape);
  values.resize(static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
}

}  // namespace scalestudy
