#include "analysis/report/text/answer.hpp"

#include <algorithm>

namespace scalestudy {
namespace {

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);  // npos + 1 is 0
}

}  // namespace

void Answer::say(std::string_view sentences) {
  sentences = without_blanks(sentences);
  if (!text.empty() && !sentences.empty()) text += ' ';
  text += sentences;
}

void Answer::note(std::string_view sentences) {
  sentences = without_blanks(sentences);
  if (!sentences.empty()) notes.emplace_back(sentences);
}

}  // namespace scalestudy
