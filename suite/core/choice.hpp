#pragma once
/// Enumerations whose values have names: one table per enumeration gives every value its name and
/// its meaning, and parsers, schemas, listings and refusals follow from it.
///
///   enum class Device { cpu, cuda };
///   template <>
///   inline constexpr auto choices<Device> = std::array{
///       Choice{Device::cpu, "cpu", "the processor"}, Choice{Device::cuda, "cuda", "a GPU"}};
///
/// That a table is complete and in the enumeration's order is checked when it is compiled; so is,
/// by a switch without default, that every value is dealt with.

#include <array>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace scalestudy {

/// A row without its type, for code that serves all tables.
struct NamedChoice {
  std::string_view name;
  std::string_view summary;  ///< one line, or "" where the name says it
};

template <class Enum>
struct Choice {
  Enum value;
  std::string_view name;
  std::string_view summary = {};
};
template <class Enum>
Choice(Enum, std::string_view, std::string_view = "") -> Choice<Enum>;

/// The table of an enumeration; the primary template stands for "none".
template <class Enum>
inline constexpr auto choices = nullptr;

template <class Enum>
concept ChoiceEnum = std::is_enum_v<Enum> &&
    !std::is_same_v<std::remove_cv_t<decltype(choices<Enum>)>, std::nullptr_t>;

namespace detail {

/// The compiler writes an enumerator by its name, any other value as a cast: "(Device)2".
template <auto value>
constexpr bool is_enumerator() {
  constexpr std::string_view start = "value = ";
  constexpr std::string_view signature = __PRETTY_FUNCTION__;
  return signature[signature.rfind(start) + start.size()] != '(';
}

template <ChoiceEnum Enum>
constexpr bool is_complete_and_in_order() {
  constexpr auto& table = choices<Enum>;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].value) != i) return false;
  return !is_enumerator<static_cast<Enum>(table.size())>();
}

/// The rows without their type, behind `empty_rows` rows named "".
template <ChoiceEnum Enum, std::size_t empty_rows>
constexpr auto untyped_rows() {
  std::array<NamedChoice, choices<Enum>.size() + empty_rows> rows{};
  for (std::size_t i = 0; i < choices<Enum>.size(); ++i)
    rows[i + empty_rows] = {choices<Enum>[i].name, choices<Enum>[i].summary};
  return rows;
}

/// Errors: BadInput naming `json_path`, the known names and the nearest of them.
[[nodiscard]] std::size_t index_of(std::span<const NamedChoice> table,
                                   std::string_view name,
                                   const std::string& json_path);

}  // namespace detail

template <ChoiceEnum Enum>
[[nodiscard]] constexpr std::string_view to_string(Enum value) {
  static_assert(detail::is_complete_and_in_order<Enum>(),
                "the table of names lacks a value or has another order than the enumeration");
  return choices<Enum>[static_cast<std::size_t>(value)].name;
}

/// "" for none.
template <ChoiceEnum Enum>
[[nodiscard]] constexpr std::string_view to_string(const std::optional<Enum>& value) {
  return value ? to_string(*value) : std::string_view();
}

/// Its meaning; "" where the name says it.
template <ChoiceEnum Enum>
[[nodiscard]] constexpr std::string_view summary_of(Enum value) {
  return choices<Enum>[static_cast<std::size_t>(value)].summary;
}

template <ChoiceEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << to_string(value);
}

/// All rows, in the enumeration's order.
template <ChoiceEnum Enum>
[[nodiscard]] std::span<const NamedChoice> named_choices() {
  static_assert(detail::is_complete_and_in_order<Enum>());
  static constexpr auto rows = detail::untyped_rows<Enum, 0>();
  return rows;
}

/// The same behind a row named "", which stands for none.
template <ChoiceEnum Enum>
[[nodiscard]] std::span<const NamedChoice> named_choices_or_none() {
  static_assert(detail::is_complete_and_in_order<Enum>());
  static constexpr auto rows = detail::untyped_rows<Enum, 1>();
  return rows;
}

[[nodiscard]] std::vector<std::string> names_of(std::span<const NamedChoice> table);

/// Errors: always, BadInput "<json_path>: unknown <what> '<name>'" with the known names and the
/// nearest of them.
[[noreturn]] void refuse_unknown(const std::string& json_path,
                                 std::string_view what,
                                 std::string_view name,
                                 const std::vector<std::string>& names);

/// Errors: BadInput naming `json_path`, the known names and the nearest of them.
template <ChoiceEnum Enum>
[[nodiscard]] Enum choice_from(std::string_view name, const std::string& json_path) {
  return static_cast<Enum>(detail::index_of(named_choices<Enum>(), name, json_path));
}

/// Nothing for a name that the table does not have.
template <ChoiceEnum Enum>
[[nodiscard]] std::optional<Enum> find_choice(std::string_view name) {
  for (const auto& row : choices<Enum>)
    if (row.name == name) return row.value;
  return std::nullopt;
}

/// Errors: BadInput "<json_path>: unknown value …" when `name` is in no row.
void expect_choice(std::span<const NamedChoice> table,
                   std::string_view name,
                   const std::string& json_path);

}  // namespace scalestudy
