#include "driver/terminal/readable_json.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t line_width = 100;
constexpr std::size_t indent_step = 2;

/// `shown` makes the text of a member's value.
template <class Shown>
std::vector<std::string> members_of(const ordered_json& value, const Shown& shown) {
  std::vector<std::string> members;
  for (const auto& [key, member] : value.items())
    members.push_back(value.is_object() ? cat(ordered_json(key).dump(), ": ", shown(member))
                                        : shown(member));
  return members;
}

std::string enclosed(const ordered_json& value, const std::string& text) {
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string on_one_line(const ordered_json& value) {
  if (!value.is_structured()) return value.dump();
  return enclosed(value, join(members_of(value, on_one_line), ", "));
}

/// `indent`: of the line that the value begins on; `used`: what stands there before and after it.
std::string spread(const ordered_json& value, std::size_t indent);

std::string fitting(const ordered_json& value, std::size_t indent, std::size_t used) {
  auto text = on_one_line(value);
  const bool fits = indent + used + display_width(text) <= line_width;
  return fits || !value.is_structured() || value.empty() ? text : spread(value, indent);
}

std::string spread(const ordered_json& value, std::size_t indent) {
  const auto inner = indent + indent_step;
  std::vector<std::string> lines;
  for (const auto& [key, member] : value.items()) {
    const auto name = value.is_object() ? ordered_json(key).dump() + ": " : "";
    const auto comma_and_name = display_width(name) + 1;
    lines.push_back(std::string(inner, ' ') + name + fitting(member, inner, comma_and_name));
  }
  return enclosed(value, cat("\n", join(lines, ",\n"), "\n", std::string(indent, ' ')));
}

}  // namespace

std::string readable_json(const ordered_json& value) {
  const bool is_spread = value.is_structured() && !value.empty();
  return (is_spread ? spread(value, 0) : on_one_line(value)) + "\n";
}

}  // namespace scalestudy
