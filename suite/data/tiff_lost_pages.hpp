#pragma once
/// Pages that a TIFF holds and its chain of pages does not lead to. Private to the reader of
/// volumes.

#include "data/tiff_pages.hpp"

namespace scalestudy {

/// Looks in what lies between the pixels of `pages` for directories like theirs with pixels of
/// their own. Errors: BadInput naming the file and where such a page is.
void require_no_lost_page(const TiffVolumeFile& file, const TiffPages& pages);

}  // namespace scalestudy
