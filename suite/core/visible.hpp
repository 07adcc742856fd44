#pragma once
/// Texts from files, names and other programs hold what a terminal obeys (colours, deleted lines,
/// titles), what turns the direction of reading, and bytes that are no UTF-8. Here all of that
/// becomes visible: \\u001b, as JSON writes it, and \\x9b for bytes that belong to no character.
/// Tab and line end stay.

#include <string>
#include <string_view>

namespace scalestudy {

[[nodiscard]] std::string visible(std::string_view text);

/// A text of others within a line of ours: line ends are visible, too.
[[nodiscard]] std::string one_line(std::string_view text);

/// One character, or one byte that belongs to none, from the front of `text`. Contract: not empty.
[[nodiscard]] std::string take_visible(std::string_view& text);

/// Whether `text` is the start of one character whose other bytes may still come.
[[nodiscard]] bool is_begun_character(std::string_view text);

}  // namespace scalestudy
