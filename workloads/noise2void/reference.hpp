#pragma once
/// The clean counterpart of a noisy volume. No LibTorch.

#include <string>

#include "study/settings.hpp"

#include "data/volume.hpp"

namespace scalestudy::noise2void {

/// Reads data.reference_path, of which a stack is chosen like that of the data where it holds
/// several. Errors: BadInput as read_volume(); a size other than `volume`'s; one grey value only.
[[nodiscard]] Volume read_reference(const DataSettings& data, const Volume& volume);

/// That both are further apart than one's grey values reach, as where their scales differ; "" else.
[[nodiscard]] std::string reference_warning(const Volume& reference, const Volume& volume);

}  // namespace scalestudy::noise2void
