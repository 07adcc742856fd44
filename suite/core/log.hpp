#pragma once
/// A rank-aware line log. One object, built in main() and passed down; thread-safe.

#include <mutex>
#include <ostream>
#include <string>
#include <string_view>

namespace scalestudy {

enum class Verbosity { quiet, normal, verbose };

class Log {
 public:
  /// Every line starts with `prefix` ("rank 2: ", or nothing for the driver).
  Log(std::ostream& out, Verbosity verbosity, std::string prefix = "");

  void error(std::string_view line);    ///< always shown
  void warning(std::string_view line);  ///< shown unless quiet
  void info(std::string_view line);     ///< shown unless quiet
  void detail(std::string_view line);   ///< shown when verbose

 private:
  void write(std::string_view label, std::string_view line);

  std::ostream& out_;
  Verbosity verbosity_;
  std::string prefix_;
  std::mutex mutex_;
};

}  // namespace scalestudy
