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
  void add(const Image& image);
  [[nodiscard]] PictureCounts counts() const;

  /// That those of 16 bit all lie in a small part of them, or, where pictures are read `as_grey`,
  /// that coloured ones get much darker by it; "" otherwise.
  [[nodiscard]] std::string range_note(bool as_grey) const;

 private:
  PictureCounts counts_;
  std::int64_t all_ = 0;
  std::int64_t of_any_16_bit_ = 0;
  std::int64_t least_ = 65535, most_ = 0;  ///< values of these
  std::int64_t hot_ = 0;                   ///< that are not in most_
  std::int64_t of_14_bit_ = 0;
  std::int64_t of_16_bit_ = 0;
  std::int64_t coloured_ = 0;
  std::int64_t most_of_colours_ = 0;  ///< of these, in one of their channels
  std::int64_t most_of_greys_ = 0;    ///< likewise, in luma

  [[nodiscard]] std::string luma_note() const;
};

/// A sentence for each count that is not 0.
[[nodiscard]] std::vector<std::string> picture_notes(const PictureCounts& counts);

/// PictureCounter::range_note() of a set, of which all is read only where some pictures give it.
/// What cannot be read is passed over.
[[nodiscard]] std::string range_note(const ImageSet& set);

}  // namespace scalestudy
