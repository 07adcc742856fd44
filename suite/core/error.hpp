#pragma once
/// Errors and exit codes. Every exception that reaches a main() has one exit code and one message
/// of the form `<problem> (<why it matters>). <suggestion>.`

#include <stdexcept>
#include <string>
#include <string_view>

namespace scalestudy {

/// What the process tells its caller; the meanings are part of the public interface (README).
enum class ExitCode : int {
  done = 0,
  not_confirmed = 1,  ///< the runs speak against a claim
  bad_input = 2,      ///< usage, study file, damaged result file, mixed builds in one folder
  undecided = 3,      ///< undecided, not comparable, invalid, prediction refused
  unavailable = 4,    ///< this machine or build lacks something (GPU, MPI, launcher, LibTorch)
  run_failed = 5,     ///< a run failed, timed out or diverged; the rest was kept
  internal = 70,      ///< a bug of ours
  interrupted = 130   ///< by the user
};

/// The three parts of every message shown to a user.
struct Message {
  std::string problem;     ///< what is wrong, naming file, JSON path or data set
  std::string why;         ///< why it matters
  std::string suggestion;  ///< what to do about it
  [[nodiscard]] std::string text() const;
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const Message& message);
  [[nodiscard]] ExitCode exit_code() const noexcept { return exit_code_; }

 private:
  ExitCode exit_code_;
};

class BadInput : public Error {
 public:
  explicit BadInput(const Message& message) : Error(ExitCode::bad_input, message) {}
};

class Unavailable final : public Error {
 public:
  explicit Unavailable(const Message& message) : Error(ExitCode::unavailable, message) {}
};

class RunFailed final : public Error {
 public:
  explicit RunFailed(const Message& message) : Error(ExitCode::run_failed, message) {}
};

class Interrupted final : public Error {
 public:
  explicit Interrupted(const Message& message) : Error(ExitCode::interrupted, message) {}
};

/// A broken contract: a bug of ours, never bad input.
class InternalError final : public Error {
 public:
  explicit InternalError(const Message& message) : Error(ExitCode::internal, message) {}
};

namespace detail {
[[noreturn]] void contract_broken(std::string_view condition, std::string_view file, int line);
}  // namespace detail

}  // namespace scalestudy

/// Always-on contract: a training step costs milliseconds, a check nanoseconds.
#define SCALESTUDY_EXPECT(condition)                                                         \
  do {                                                                                       \
    if (!(condition)) ::scalestudy::detail::contract_broken(#condition, __FILE__, __LINE__); \
  } while (false)
