#pragma once
/// What `data inspect` shows of a volume, before anyone trains on it.

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "driver/inspect/inspection_json.hpp"

namespace scalestudy {

/// "16,64,64" as (Z, Y, X); nothing for "". Errors: BadInput for anything else.
[[nodiscard]] std::optional<Shape3> patch_in(const std::string& text);

/// Of several stacks the first, unless `asked` says which. Errors: BadInput when it cannot be read,
/// or the patch does not fit.
[[nodiscard]] VolumeInspection inspect_volume(const std::filesystem::path& file,
                                              const StackChoice& asked,
                                              const std::optional<Shape3>& patch);

void print_volume(const VolumeInspection& found, std::ostream& out);

}  // namespace scalestudy
