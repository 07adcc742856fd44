#pragma once
/// What a report answers: a sentence or two, and notes for who wants to rely on it. UTF-8, not
/// escaped.

#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

struct Answer {
  std::string question = {};  ///< "How much faster?"; "" where none is asked
  std::string text = {};
  std::vector<std::string> notes = {};

  /// Appends to the text, after a blank. Of "" nothing; blanks around it are left out.
  void say(std::string_view sentences);
  /// Likewise a note of its own.
  void note(std::string_view sentences);
};

}  // namespace scalestudy
