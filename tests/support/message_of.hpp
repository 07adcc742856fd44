#pragma once
/// How a refusal reads.

#include <string>

#include "core/error.hpp"

namespace scalestudy {

/// What the `Exception` that `action` throws says, or "accepted".
template <class Exception = BadInput, class Action>
std::string message_of(const Action& action) {
  try {
    static_cast<void>(action());
  } catch (const Exception& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace scalestudy
