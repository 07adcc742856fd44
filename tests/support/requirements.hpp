#pragma once
/// A test whose tool is missing is skipped, or fails where SCALESTUDY_REQUIRE lists the tool.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace scalestudy::test {

inline bool is_required(const std::string& tool) {
  const char* required = std::getenv("SCALESTUDY_REQUIRE");
  return required != nullptr &&
         ("," + std::string(required) + ",").find("," + tool + ",") != std::string::npos;
}

}  // namespace scalestudy::test

#define SCALESTUDY_NEEDS(tool, available)                                        \
  do {                                                                           \
    if (available) break;                                                        \
    if (::scalestudy::test::is_required(tool)) FAIL() << tool << " is required"; \
    GTEST_SKIP() << "there is no " << tool;                                      \
  } while (false)
