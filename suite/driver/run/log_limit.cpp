#include "driver/run/log_limit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {

LogLimit::LogLimit(const std::vector<std::filesystem::path>& logs) {
  for (const auto& log : logs) left_out_bytes_.emplace(log, 0);
}

void LogLimit::apply() {
  for (const auto& [log, left_out_bytes] : left_out_bytes_) {
    struct stat status {};
    const bool is_file = ::stat(log.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (is_file && status.st_size > most_bytes) cut(log, status.st_size);
  }
}

// In place: its writers keep the file open, and append to whatever end it has.
void LogLimit::cut(const std::filesystem::path& log, std::int64_t size_bytes) {
  const auto end = end_of_file(log, kept_bytes);
  const Descriptor descriptor(::open(log.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor || ::ftruncate(descriptor.get(), kept_bytes) != 0) return;
  auto& left_out = left_out_bytes_[log];
  left_out += size_bytes - kept_bytes - std::ssize(end);
  const auto text = cat("\n[scalestudy left out about ", human_bytes(static_cast<double>(left_out)),
                        " here: a log holds no more than ", human_bytes(most_bytes), "]\n", end);
  // A full disk leaves less of it; the run goes on.
  [[maybe_unused]] const auto written = ::write(descriptor.get(), text.data(), text.size());
}

}  // namespace scalestudy
