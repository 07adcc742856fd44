#include "study/small_sets.hpp"

#include "core/text.hpp"

namespace scalestudy {

std::string small_set_warning(std::int64_t samples, std::string_view set) {
  if (samples >= fewest_comparable_samples) return "";
  return cat("The evaluation set is small: of ", samples, " ", set,
             samples == 1 ? " sample" : " samples",
             " even a model that is better at every one is not told from an equal one.");
}

}  // namespace scalestudy
