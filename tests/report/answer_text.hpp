#pragma once
/// An answer and its notes in one line.

#include <string>

#include "analysis/report/text/answer.hpp"

namespace scalestudy {

inline std::string all(const Answer& answer) {
  auto text = answer.text;
  for (const auto& note : answer.notes) text += ' ' + note;
  return text;
}

}  // namespace scalestudy
