#include "study/small_sets.hpp"

#include "core/text.hpp"

namespace scalestudy {

std::string small_set_warning(std::int64_t samples, std::string_view set) {
  if (samples >= fewest_comparable_samples) return "";
  return cat("The evaluation set is small: on ", samples, " ", set,
             samples == 1 ? " sample" : " samples",
             " chance alone can make either model better at every one. Evaluate more before you "
             "compare models.");
}

}  // namespace scalestudy
