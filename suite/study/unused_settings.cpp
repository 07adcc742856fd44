#include "study/unused_settings.hpp"

#include "core/text.hpp"

namespace scalestudy {

std::string unused_volume_setting(const RunSpec& spec) {
  const auto& data = spec.data;
  const auto* const name = !data.reference_path.empty()   ? "reference_path"
                           : data.added_noise_std > 0     ? "added_noise_std"
                           : data.stack.channel > 0       ? "channel"
                           : data.stack.time > 0          ? "time"
                           : data.stack.frames_are_slices ? "frames_are_slices"
                                                          : "";
  return *name == '\0' ? "" : cat("data.", name, " has no meaning for ", spec.workload);
}

}  // namespace scalestudy
