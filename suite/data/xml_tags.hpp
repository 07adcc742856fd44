#pragma once
/// As much of XML as descriptions of TIFF pages need: start tags and their attributes. Pure.

#include <optional>
#include <string_view>
#include <vector>

namespace scalestudy {

/// The start tags of an element, without their brackets: "Pixels SizeZ="8" …". None in comments.
[[nodiscard]] std::vector<std::string_view> tags_in(std::string_view xml, std::string_view element);

/// The value as it stands there, with entities as such.
[[nodiscard]] std::optional<std::string_view> attribute(std::string_view tag,
                                                        std::string_view name);

}  // namespace scalestudy
