#pragma once
/// What a column is, and how a table's columns follow from the fields of its row: each column is
/// declared once, with the field that holds its value. Its name is the field's, its storage that of
/// the field's type.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "hdf5/storage.hpp"

namespace scalestudy {

/// What no number was recorded for.
inline constexpr double not_recorded = std::numeric_limits<double>::quiet_NaN();

enum class Better { higher, lower, none };

struct Column {
  std::string_view name;
  std::string_view unit;  ///< "s", "samples", "1" …
  std::string_view description;
  Better better = Better::none;
  std::string_view aggregation = "none";  ///< how it is summarised over ranks and steps
  Storage storage = Storage::float64;
};

template <class Row>
using Field = std::variant<double Row::*, std::int64_t Row::*, std::string Row::*>;

template <class Row>
struct RowColumn : Column {
  Field<Row> field;
};

/// A constexpr array of RowColumn<Row> for each row type, in the order of the file.
template <class Row>
inline constexpr auto columns_of = nullptr;

namespace column_detail {

template <class Row, class Value>
Row row_type(Value Row::*);
template <class Row, class Value>
Value value_type(Value Row::*);

/// "epoch_s" of &EpochRow::epoch_s. The compilers end it with ";" or "]".
template <auto member>
consteval std::string_view name_of_field() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const auto start = function.rfind("::", function.find_first_of(";]", function.find("member = ")));
  return function.substr(start + 2, function.find_first_of(";]", start) - start - 2);
}

template <class Value>
inline constexpr Storage storage_of = Storage::float64;
template <>
inline constexpr Storage storage_of<std::int64_t> = Storage::int64;
template <>
inline constexpr Storage storage_of<std::string> = Storage::text;

template <class Row, class Value>
constexpr std::size_t size_of(Value Row::*) {
  return sizeof(Value);
}

}  // namespace column_detail

/// Declares the column of a field.
template <auto member>
consteval auto column(std::string_view unit,
                      std::string_view description,
                      Better better = Better::none,
                      std::string_view aggregation = "none") {
  using Row = decltype(column_detail::row_type(member));
  using Value = decltype(column_detail::value_type(member));
  return RowColumn<Row>{{column_detail::name_of_field<member>(), unit, description, better,
                         aggregation, column_detail::storage_of<Value>},
                        member};
}

/// Every field has a column, and none has two.
template <class Row>
consteval bool columns_cover_row() {
  std::size_t bytes = 0;
  for (const auto& one : columns_of<Row>) {
    bytes += std::visit([](auto member) { return column_detail::size_of(member); }, one.field);
    if (std::ranges::count(columns_of<Row>, one.name, &Column::name) != 1) return false;
  }
  return bytes == sizeof(Row);
}

/// A column, named by its field: &StepRow::step_s.
template <class Row>
class ColumnOf {
 public:
  template <class Value>
  constexpr ColumnOf(Value Row::*member) : index_(index_of(member)) {}
  constexpr ColumnOf(const RowColumn<Row>& one) : index_(index_of(one.field)) {}
  [[nodiscard]] constexpr std::size_t index() const { return index_; }
  [[nodiscard]] constexpr const RowColumn<Row>& operator*() const {
    return columns_of<Row>[index_];
  }
  constexpr const RowColumn<Row>* operator->() const { return &columns_of<Row>[index_]; }

 private:
  static constexpr std::size_t index_of(Field<Row> field) {
    std::size_t index = 0;
    while (columns_of<Row>[index].field != field) ++index;
    return index;
  }
  std::size_t index_;
};

/// The column of a field, for what works with columns of several tables.
template <class Row, class Value>
constexpr const Column& column_of(Value Row::*member) {
  return *ColumnOf<Row>(member);
}

/// A number of a row. Contract: the column is no text.
template <class Row>
double number_in(const Row& row, const RowColumn<Row>& one) {
  if (const auto* whole = std::get_if<std::int64_t Row::*>(&one.field))
    return static_cast<double>(row.**whole);
  return row.*std::get<double Row::*>(one.field);
}

/// What a file holds may be anything: what is no whole number of 64 bits becomes 0.
constexpr std::int64_t whole_number_of(double value) {
  constexpr double limit = 9.2e18;
  return value > -limit && value < limit ? static_cast<std::int64_t>(value) : 0;
}

/// Contract: the column is no text.
template <class Row>
void set_number(Row& row, const RowColumn<Row>& one, double value) {
  if (const auto* whole = std::get_if<std::int64_t Row::*>(&one.field))
    row.** whole = whole_number_of(value);
  else
    row.*std::get<double Row::*>(one.field) = value;
}

/// Of as many rows as there are values, and the other way round. Contract: the column is no text.
template <class Row>
void set_numbers(std::span<Row> rows, const RowColumn<Row>& one, std::span<const double> values) {
  const auto count = std::min(rows.size(), values.size());
  if (const auto* whole = std::get_if<std::int64_t Row::*>(&one.field))
    for (std::size_t i = 0; i < count; ++i) rows[i].** whole = whole_number_of(values[i]);
  else
    for (std::size_t i = 0; i < count; ++i) rows[i].*std::get<double Row::*>(one.field) = values[i];
}

}  // namespace scalestudy
