#include "core/error.hpp"

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// A part may be a whole message of another error, which ends in one.
std::string without_full_stop(const std::string& part) {
  return part.ends_with('.') ? part.substr(0, part.size() - 1) : part;
}

}  // namespace

std::string Message::text() const {
  // What a user gave is quoted in them, whatever its length.
  constexpr std::size_t most_bytes = 2000;
  auto text = without_full_stop(shortened(problem, most_bytes));
  if (!why.empty()) text += cat(" (", without_full_stop(shortened(why, most_bytes)), ")");
  text += ".";
  if (!suggestion.empty()) text += cat(" ", without_full_stop(suggestion));
  if (!suggestion.empty() && !suggestion.ends_with('?')) text += ".";
  return text;
}

Error::Error(ExitCode exit_code, const Message& message)
    : std::runtime_error(message.text()), exit_code_(exit_code) {}

namespace detail {

void contract_broken(std::string_view condition, std::string_view file, int line) {
  const auto name = file.substr(file.find_last_of('/') + 1);
  throw InternalError({cat("Contract '", condition, "' broken at ", name, ":", line),
                       "this is a bug in scalestudy, not in the input",
                       "Please report it with the command that led here"});
}

}  // namespace detail
}  // namespace scalestudy
