#pragma once
/// The driver called in this process, as main() would.

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "driver/driver.hpp"

namespace scalestudy {

struct DriverAnswer {
  int code = 0;
  std::string out;
  std::string err;
};

/// `answers`: what somebody types; null: nobody is there.
inline DriverAnswer ask_driver(const std::vector<std::string>& arguments,
                               std::istream* answers = nullptr) {
  std::ostringstream out;
  std::ostringstream err;
  Context context{{}, "/nowhere/bin/scalestudy", out, err, false, false, answers};
  const int code = run_driver(arguments, context);
  return {code, out.str(), err.str()};
}

/// What it says with --json, which must succeed.
inline nlohmann::json json_of_driver(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const auto answer = ask_driver(arguments);
  EXPECT_EQ(answer.code, 0) << answer.err;
  return nlohmann::json::parse(answer.out);
}

}  // namespace scalestudy
