#include "core/log.hpp"

#include <utility>

namespace scalestudy {

Log::Log(std::ostream& out, Verbosity verbosity, std::string prefix)
    : out_(out), verbosity_(verbosity), prefix_(std::move(prefix)) {}

void Log::error(std::string_view line) {
  write("error: ", line);
}

void Log::warning(std::string_view line) {
  if (verbosity_ != Verbosity::quiet) write("warning: ", line);
}

void Log::info(std::string_view line) {
  if (verbosity_ != Verbosity::quiet) write("", line);
}

void Log::detail(std::string_view line) {
  if (verbosity_ == Verbosity::verbose) write("", line);
}

void Log::write(std::string_view label, std::string_view line) {
  const std::lock_guard lock(mutex_);
  out_ << prefix_ << label << line << std::endl;  // flushed: a killed rank keeps its last words
}

}  // namespace scalestudy
