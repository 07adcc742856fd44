#pragma once
/// That something is refused, and how the message reads.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace scalestudy::test {

/// `action` must throw BadInput whose text holds each of `parts`.
template <class Action>
void expect_refused(Action action, const std::vector<std::string>& parts) {
  try {
    action();
    FAIL() << "was accepted, instead of a message with: " << parts.back();
  } catch (const BadInput& error) {
    const std::string text = error.what();
    for (const auto& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace scalestudy::test
