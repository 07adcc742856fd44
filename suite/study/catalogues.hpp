#pragma once
/// Names that studies and environments may use, with one line each for `scalestudy list`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

struct NamedChoice {
  std::string_view name;
  std::string_view summary;
};

[[nodiscard]] std::span<const NamedChoice> reductions();
[[nodiscard]] std::span<const NamedChoice> inputs();
[[nodiscard]] std::span<const NamedChoice> launchers();
[[nodiscard]] std::span<const NamedChoice> control_arms();

[[nodiscard]] std::vector<std::string> names_of(std::span<const NamedChoice> choices);

/// Errors: BadInput naming `json_path`, the known names and the nearest of them.
void expect_known(std::span<const NamedChoice> choices,
                  std::string_view name,
                  const std::string& json_path);

}  // namespace scalestudy
