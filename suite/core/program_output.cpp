#include "core/program_output.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// Memory for the program's words that can be opened like a file: no disk has to have room for
/// them.
class Scratch {
 public:
  [[nodiscard]] fs::path path() const { return cat("/proc/self/fd/", memory_.get()); }
  [[nodiscard]] std::string text() const { return readable_text_of_file(path()).value_or(""); }

 private:
  Descriptor memory_{::memfd_create("answer", MFD_CLOEXEC)};
};

}  // namespace

ProgramOutput run_program(const std::vector<std::string>& argv, Seconds time_limit) {
  const Scratch scratch;
  bool succeeded = false;
  ProcessPlan plan;
  plan.name = argv.front();
  plan.argv = argv;
  plan.log_file = scratch.path();
  try {
    ChildProcess child(plan);
    const auto end = child.wait(time_limit);
    succeeded = end && end->is_success();
  } catch (const Error& error) {
    return {error.what(), false};
  }
  return {scratch.text(), succeeded};
}

std::optional<std::string> output_of(const std::vector<std::string>& argv, Seconds time_limit) {
  auto output = run_program(argv, time_limit);
  if (!output.succeeded) return {};
  return std::move(output.text);
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
