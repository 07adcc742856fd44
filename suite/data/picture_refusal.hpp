#pragma once
/// What the picture readers refuse alike. Private to the readers.

#include <cstdint>
#include <string>

namespace scalestudy {

/// What a file's header says about the picture, before anything is allocated for it.
struct PictureClaim {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::int64_t bytes_per_px = 0;  ///< decoded
  std::int64_t stored_bytes = 0;  ///< what the file has
  double compression_limit = 0;   ///< decoded ÷ stored bytes that the format can reach at most
};

[[noreturn]] void refuse_picture(const std::string& name,
                                 const std::string& problem,
                                 const std::string& suggestion);

/// Errors: BadInput naming the file when the picture has no pixels, is too large, or larger than
/// the stored bytes can hold.
void require_credible(const std::string& name, const PictureClaim& claim);

}  // namespace scalestudy
