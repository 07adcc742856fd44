#include "data/xml_tags.hpp"

#include <algorithm>

namespace scalestudy {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view without_first_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view without_last_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);  // npos + 1 is 0
}

/// Of a tag that begins here; within quotes a bracket ends nothing.
std::size_t length_of_tag(std::string_view xml) {
  char quote = 0;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const char c = xml[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i;
    }
  }
  return xml.size();
}

}  // namespace

std::vector<std::string_view> tags_in(std::string_view xml, std::string_view element) {
  constexpr std::string_view comment = "<!--", end_of_comment = "-->";
  std::vector<std::string_view> tags;
  for (auto rest = xml; rest.find('<') != std::string_view::npos;) {
    rest = rest.substr(rest.find('<'));
    if (rest.starts_with(comment)) {
      rest = rest.substr(std::min(rest.find(end_of_comment, comment.size()), rest.size()));
      continue;
    }
    const auto tag = rest.substr(1, length_of_tag(rest.substr(1)));
    const auto name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    const auto local = name.substr(name.find(':') + 1);  // npos + 1 is 0
    if (local == element) tags.push_back(tag);
    rest = rest.substr(1 + tag.size());
  }
  return tags;
}

std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  auto rest = tag.substr(std::min(tag.find_first_of(blanks), tag.size()));
  for (auto equals = rest.find('='); equals != std::string_view::npos; equals = rest.find('=')) {
    const auto key = without_last_blanks(without_first_blanks(rest.substr(0, equals)));
    rest = without_first_blanks(rest.substr(equals + 1));
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
    const auto end = std::min(rest.find(rest[0], 1), rest.size());
    if (key == name) return rest.substr(1, end - 1);
    rest = rest.substr(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace scalestudy
