#pragma once
/// What must hold whatever the bytes are. Any other exception than BadInput ends the fuzzer.

#include <cstdlib>

#include "core/error.hpp"

#include "data/image.hpp"

namespace scalestudy::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// A picture of ours that was accepted is whole: `decode` returns one, or throws BadInput.
template <class Decode>
void expect_whole_picture_or_refusal(Decode decode) {
  try {
    const Image image = decode();
    require(image.channels == 1 || image.channels == 3);
    require(image.height_px > 0 && image.height_px <= max_side_px);
    require(image.width_px > 0 && image.width_px <= max_side_px);
    require(image.bytes.size() ==
            static_cast<std::size_t>(image.value_count()) * bytes_per_value(image.type));
    (void)content_hash(image);  // reads every byte
  } catch (const BadInput&) {
  }
}

}  // namespace scalestudy::fuzz
