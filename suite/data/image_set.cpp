#include "data/image_set.hpp"

namespace scalestudy {

ImageSet::~ImageSet() = default;

}  // namespace scalestudy
