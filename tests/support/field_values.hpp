#pragma once
/// One field of many rows.

#include <vector>

namespace scalestudy {

template <class Rows, class Row, class Value>
std::vector<Value> values_of(const Rows& rows, Value Row::*field) {
  std::vector<Value> values;
  for (const auto& row : rows) values.push_back(row.*field);
  return values;
}

}  // namespace scalestudy
