#include "core/choice.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

std::size_t detail::index_of(std::span<const NamedChoice> table,
                             std::string_view name,
                             const std::string& json_path) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NamedChoice& row) { return row.name == name; });
  if (found != table.end()) return static_cast<std::size_t>(found - table.begin());
  refuse_unknown(json_path, "value", name, names_of(table));
}

void refuse_unknown(const std::string& json_path,
                    std::string_view what,
                    std::string_view name,
                    const std::vector<std::string>& names) {
  const auto near = nearest(name, names);
  throw BadInput({cat(json_path, ": unknown ", what, " '", name, "'"),
                  cat("known are ", join(names, ", ")),
                  near.empty() ? "Use one of them" : cat("Perhaps '", near, "' is meant")});
}

std::vector<std::string> names_of(std::span<const NamedChoice> table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

void expect_choice(std::span<const NamedChoice> table,
                   std::string_view name,
                   const std::string& json_path) {
  static_cast<void>(detail::index_of(table, name, json_path));
}

}  // namespace scalestudy
