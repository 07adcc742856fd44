#pragma once
/// The pixels of a TIFF volume. Private to the reader of volumes.

#include <cstdint>
#include <vector>

#include "data/tiff_pages.hpp"
#include "data/volume.hpp"

namespace scalestudy {

/// Fills the voxels of `volume`, which has its shape: its slice z is page pages[z] of those listed.
/// Errors: BadInput naming the file: pages that it does not have or shows twice, damage.
void read_pages(TiffVolumeFile& file,
                const TiffPages& listed,
                const std::vector<std::int64_t>& pages,
                Volume& volume);

/// The same of an ImageJ stack that has a directory for its first page alone: all pages stand
/// behind that one's pixels.
void read_contiguous(TiffVolumeFile& file,
                     const TiffPages& listed,
                     const std::vector<std::int64_t>& pages,
                     Volume& volume);

/// No codec of libtiff shrinks data more than about 1100-fold (Deflate); a header that claims
/// more is damaged, and believing it would allocate memory for nothing. Errors: BadInput.
void require_can_hold(const TiffVolumeFile& file, double decoded_bytes);

}  // namespace scalestudy
