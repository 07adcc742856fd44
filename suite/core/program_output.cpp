#include "core/program_output.hpp"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

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
  [[nodiscard]] std::string text() const { return readable_text_of_file(path_).value_or(""); }

 private:
  fs::path path_;
};

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& argv, Seconds time_limit) {
  const ScratchFile scratch;
  ProcessPlan plan;
  plan.name = argv.front();
  plan.argv = argv;
  plan.log_file = scratch.path();
  try {
    ChildProcess child(plan);
    const auto end = child.wait(time_limit);
    if (!end || !end->is_success()) return {};
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
