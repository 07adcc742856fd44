#pragma once
/// Sets of pictures: what belongs to them, and their pixels on demand.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/parallel.hpp"

#include "data/image.hpp"

namespace scalestudy {

class SharedPictures;

struct SampleEntry {
  std::string id;           ///< '/'-separated path from the set's root: "train/RBC/x.jpg"
  std::string split;        ///< "train", "valid" or "test"; "" in an image and mask set
  std::int64_t label = -1;  ///< index into class_names(); −1 in an image and mask set
  bool operator==(const SampleEntry&) const = default;
};

/// A listing; pixels are read on demand. Any number of threads may read at the same time.
class ImageSet {
 public:
  virtual ~ImageSet();

  /// Sorted by id, so that an index means the same sample on every machine.
  [[nodiscard]] virtual const std::vector<SampleEntry>& samples() const = 0;

  /// Sorted; empty in an image and mask set.
  [[nodiscard]] virtual const std::vector<std::string>& class_names() const = 0;

  /// Sizes and channels may differ between samples.
  /// Errors: BadInput naming file and reason, also when the file vanished after opening.
  [[nodiscard]] virtual Image read_image(std::size_t sample) const = 0;

  /// Grey or RGB as stored; data/mask_reading.hpp says what of it is foreground. Only in an image
  /// and mask set. Errors: as read_image.
  [[nodiscard]] virtual Image read_mask(std::size_t sample) const = 0;

  /// For messages: "masks/a.png", or the sample's id where masks have no names.
  [[nodiscard]] virtual std::string mask_name(std::size_t sample) const;

  /// Files beside the pictures that are none.
  [[nodiscard]] virtual std::vector<std::string> passed_over() const { return {}; }

  /// What was left out, a sentence each; of a pack all that was said when it was made.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  /// Whether masks are known to hold 0 and 255 only.
  [[nodiscard]] virtual bool has_binary_masks() const { return false; }
};

/// "'a', 'b', 'c' and 7 more"
[[nodiscard]] std::string first_few(const std::vector<std::string>& names);

/// How many files below `root` were passed over, and their names; "" for none.
[[nodiscard]] std::string passed_over_note(const std::vector<std::string>& files,
                                           const std::filesystem::path& root);

/// That the first picture was inverted as its file says (WhiteIsZero), or is transparent in part;
/// "" where it is neither. Errors: as read_image.
[[nodiscard]] std::string origin_warning(const ImageSet& set);

/// Keeps decoded pictures and masks until they fill `limit_bytes`; what does not fit is read again
/// each time. A reader holds the lock only to look up, so decoding runs in parallel.
[[nodiscard]] std::unique_ptr<ImageSet> with_decode_cache(std::unique_ptr<ImageSet> set,
                                                          std::int64_t limit_bytes);

/// Keeps them together with the other ranks of this host, which all do this at the same time: they
/// decode all pictures before it returns, each by one of them, as far as there is room. Masks are
/// not kept. Errors: an unreadable picture.
[[nodiscard]] std::unique_ptr<ImageSet> with_shared_cache(std::unique_ptr<ImageSet> set,
                                                          std::unique_ptr<SharedPictures> shared,
                                                          const Workers& workers);

}  // namespace scalestudy
