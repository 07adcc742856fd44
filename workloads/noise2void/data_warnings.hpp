#pragma once
/// What stands against training on a volume, before anyone does. No LibTorch.

#include <string>
#include <vector>

#include "study/run_spec.hpp"

#include "data/volume.hpp"

namespace scalestudy::noise2void {

/// Of values that teach nothing, or may be meant the other way round; "" for none.
[[nodiscard]] std::string value_warning(const Volume& volume);

/// A sentence each: value_warning(), of noise that neighbouring voxels share, in the volume as the
/// network is shown it, of a reference in other grey values, and of too few validation patches.
/// Errors: BadInput as the readers and make_patches().
[[nodiscard]] std::vector<std::string> data_warnings(const RunSpec& spec);

}  // namespace scalestudy::noise2void
