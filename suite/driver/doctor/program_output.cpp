#include "driver/doctor/program_output.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "launchers/process.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// A file for the program's words, gone afterwards.
class ScratchFile {
 public:
  ScratchFile() {
    auto name = (fs::temp_directory_path() / "scalestudy-answer-XXXXXX").string();
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) return;
    ::close(descriptor);
    path_ = name;
  }
  ~ScratchFile() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  fs::path path_;
};

bool succeeds_in_time(ChildProcess& child, Seconds time_limit) {
  const Stopwatch since;
  while (!child.poll()) {
    if (since.elapsed_s() > time_limit.count()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return child.poll()->is_success();
}

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& argv, Seconds time_limit) {
  const ScratchFile scratch;
  ProcessPlan plan;
  plan.name = argv.front();
  plan.argv = argv;
  plan.log_file = scratch.path();
  try {
    ChildProcess child(plan);
    if (!succeeds_in_time(child, time_limit)) return {};
  } catch (const RunFailed&) {
    return {};
  }
  return scratch.text();
}

std::string find_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return "";
  for (const auto& folder : split(path, ':')) {
    const auto file = fs::path(folder.empty() ? "." : folder) / program;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file.string();
  }
  return "";
}

}  // namespace scalestudy
