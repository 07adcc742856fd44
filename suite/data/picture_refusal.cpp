#include "data/picture_refusal.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/image.hpp"

namespace scalestudy {

void refuse_picture(const std::string& name,
                    const std::string& problem,
                    const std::string& suggestion) {
  throw BadInput({cat("'", name, "' ", problem), "it cannot be used as a picture", suggestion});
}

void require_credible(const std::string& name, const PictureClaim& claim) {
  const auto size = cat(claim.width_px, " × ", claim.height_px, " pixels");
  if (claim.width_px <= 0 || claim.height_px <= 0)
    refuse_picture(name, cat("claims ", size), "Copy or export it again");
  if (claim.width_px > max_side_px || claim.height_px > max_side_px)
    refuse_picture(name, cat("claims ", size, ", more than ", max_side_px, " a side"),
                   "Crop or shrink it");
  const auto decoded_bytes = claim.width_px * claim.height_px * claim.bytes_per_px;
  const auto decoded = human_bytes(static_cast<double>(decoded_bytes));
  if (decoded_bytes > max_image_bytes)
    refuse_picture(name, cat("claims ", size, ", ", decoded, " when decoded (the limit is 1 GiB)"),
                   "Crop or shrink it");
  // A header that claims more than its data can hold is damaged; believing it would only allocate
  // memory for nothing. Below a mebibyte the allocation is no harm, and the decoder finds out.
  constexpr double harmless_bytes = 1 << 20;
  const auto stored_bytes = static_cast<double>(claim.stored_bytes);
  if (static_cast<double>(decoded_bytes) > harmless_bytes + claim.compression_limit * stored_bytes)
    refuse_picture(name,
                   cat("claims ", size, ", ", decoded, " when decoded, but has only ",
                       human_bytes(stored_bytes)),
                   "It is damaged or truncated; copy or export it again");
}

}  // namespace scalestudy
