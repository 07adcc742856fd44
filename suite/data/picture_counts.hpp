#pragma once
/// How many pictures of a set are read otherwise than a viewer shows them.

#include <cstdint>
#include <string>
#include <vector>

#include "data/image_set.hpp"

namespace scalestudy {

struct PictureCounts {
  std::int64_t inverted = 0;     ///< their 0 is white
  std::int64_t transparent = 0;  ///< with alpha below its maximum
  std::int64_t reduced = 0;      ///< in small beside it, which is left out
  std::int64_t of_12_bit = 0;    ///< fill 12 of 16 bits, where all others fill more than 14
  bool operator==(const PictureCounts&) const = default;
};

class PictureCounter {
 public:
  void add(const Image& image, const std::string& name);
  [[nodiscard]] PictureCounts counts() const;

  /// That pictures have one value everywhere, that values all lie in a quarter of what is possible,
  /// or, where pictures are read `as_grey`, that coloured ones get much darker by it; "" otherwise.
  [[nodiscard]] std::string range_note(bool as_grey) const;

 private:
  /// Of pictures of one type.
  struct Range {
    std::int64_t full = 0;  ///< largest possible value
    std::int64_t pictures = 0;
    std::int64_t least = 65535, most = 0;  ///< values
    std::int64_t hot = 0;                  ///< pixels that are not in `most`
  };

  [[nodiscard]] std::string note_of(const Range& range) const;
  [[nodiscard]] std::string luma_note() const;

  PictureCounts counts_;
  std::int64_t all_ = 0;
  std::vector<std::string> flat_;  ///< names of those with one value everywhere
  Range of_8_bit_{255}, of_16_bit_{65535};
  bool fills_14_bit_ = false;  ///< some of 16 bit
  bool fills_16_bit_ = false;
  std::int64_t coloured_ = 0;
  std::int64_t most_of_colours_ = 0;  ///< of these, in one of their channels
  std::int64_t most_of_greys_ = 0;    ///< likewise, in luma
};

/// A sentence for each count that is not 0.
[[nodiscard]] std::vector<std::string> picture_notes(const PictureCounts& counts);

/// PictureCounter::range_note() of a set, of which all is read only where some pictures give it.
/// What cannot be read is passed over.
[[nodiscard]] std::string range_note(const ImageSet& set);

}  // namespace scalestudy
