#pragma once
/// The layers of model.cpp, counted without LibTorch.

#include <optional>

#include "study/network_size.hpp"

namespace scalestudy::unet {

[[nodiscard]] std::optional<NetworkSize> network_size(const RunSpec& spec);

}  // namespace scalestudy::unet
