#pragma once
/// What the pages of a TIFF say of themselves, each for itself: in the tag of Micro-Manager (in its
/// own stacks and in NDTiff), or in a description of MetaMorph, PerkinElmer or MIBI. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/stack_axes.hpp"

namespace scalestudy {

/// A number, or 0 and a name.
using PageChannel = std::pair<std::int64_t, std::string>;

/// Where a page belongs.
struct PagePlace {
  PageChannel channel = {};
  std::int64_t slice = 0;
  std::int64_t time = 0;
  std::string others = {};  ///< "position 1" and what other axes there are
};

/// The texts of a page, "" where it has none.
struct PageTexts {
  std::string micro_manager = {};
  std::string description = {};
};

/// Channels are ordered by number, then by name. A problem where a page has no place.
[[nodiscard]] StackAxes axes_of_places(const std::vector<std::optional<PagePlace>>& pages,
                                       std::string_view origin);

/// Pages that are added in their order, from 0.
class PagePlaces {
 public:
  /// By the first of the texts that says a place; Micro-Manager's tag has the word where there is
  /// one.
  void add(const PageTexts& page);

  /// Whether some page said its place.
  [[nodiscard]] bool are_said() const { return !origin_.empty(); }

  [[nodiscard]] StackAxes axes() const;

 private:
  std::vector<std::optional<PagePlace>> pages_;
  std::string_view origin_ = {};
};

}  // namespace scalestudy
