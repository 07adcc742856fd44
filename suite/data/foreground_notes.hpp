#pragma once
/// What is said of how much of masks is foreground. Pure.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/fit.hpp"

namespace scalestudy {

/// What is amiss with masks of such shares of foreground; "" for nothing. `names` are theirs.
[[nodiscard]] std::string foreground_note(const std::vector<double>& foreground_frac,
                                          const std::vector<std::string>& names);

using HashOfSample = std::function<std::uint64_t(std::size_t sample)>;

/// That a mask with foreground and background stands beside several pictures; "" otherwise. Samples
/// are those of `names`.
[[nodiscard]] std::string repeated_mask_note(const std::vector<double>& foreground_frac,
                                             const std::vector<std::string>& names,
                                             const HashOfSample& mask_hash,
                                             const HashOfSample& picture_hash);

/// Masks that have foreground as they are stored, and none once they are resized.
class LostForeground {
 public:
  /// `size`: what masks are resized to.
  explicit LostForeground(const PictureSize& size) : size_(size) {}

  /// A mask that has foreground as stored, and whether some is left.
  void add(const std::string& mask_name, bool is_left);

  /// How many masks lose all their foreground, and which; "" for none.
  [[nodiscard]] std::string note() const;

  /// Errors: BadInput when all masks with foreground lose it.
  void require_some_left() const;

 private:
  [[nodiscard]] std::string size_text() const;

  PictureSize size_;
  std::int64_t count_ = 0;
  std::vector<std::string> lost_;
};

}  // namespace scalestudy
