#pragma once
/// The layers of model.cpp, counted without LibTorch.

#include <optional>

#include "study/network_size.hpp"

namespace scalestudy::noise2void {

[[nodiscard]] std::optional<NetworkSize> network_size(const RunSpec& spec);

}  // namespace scalestudy::noise2void
