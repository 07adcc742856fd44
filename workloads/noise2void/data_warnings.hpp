#pragma once
/// What stands against training on a volume, before anyone does. No LibTorch.

#include <string>
#include <vector>

#include "study/run_spec.hpp"

namespace scalestudy::noise2void {

/// A sentence each: of noise that neighbouring voxels share, in the volume as the network is shown
/// it, and of too few validation patches. Errors: BadInput as the reader and make_patches().
[[nodiscard]] std::vector<std::string> data_warnings(const RunSpec& spec);

}  // namespace scalestudy::noise2void
