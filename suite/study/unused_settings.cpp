#include "study/unused_settings.hpp"

#include "core/text.hpp"

namespace scalestudy {

std::string unused_denoising_setting(const RunSpec& spec) {
  if (!spec.data.reference_path.empty())
    return cat("data.reference_path has no meaning for ", spec.workload);
  if (spec.data.added_noise_std > 0)
    return cat("data.added_noise_std has no meaning for ", spec.workload);
  return "";
}

}  // namespace scalestudy
