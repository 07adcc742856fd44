#pragma once
/// What Micro-Manager's tag of each page says of it, in its own stacks and in NDTiff. Pure.

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

/// Of the JSON in the tag; nothing where it names neither channel, slice nor time.
[[nodiscard]] std::optional<PagePlace> micro_manager_place(const std::string& metadata);

/// Of all pages in their order; channels are ordered by number, then by name.
[[nodiscard]] StackAxes micro_manager_axes(const std::vector<std::optional<PagePlace>>& pages);

}  // namespace scalestudy
