#pragma once
/// The real Python PyTorch that environments/setup.sh --gpu installs, for tests that compare with
/// it.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy::test {

/// Its interpreter, or "" when it is not installed.
inline std::string python_with_torch() {
  namespace fs = std::filesystem;
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  auto installed = variable("SCALESTUDY_DEPS");
  if (installed.empty() && !variable("XDG_CACHE_HOME").empty())
    installed = variable("XDG_CACHE_HOME") + "/scalestudy";
  if (installed.empty()) installed = variable("HOME") + "/.cache/scalestudy";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(installed, error)) {
    const auto name = entry.path().filename().string();
    if (name.rfind("libtorch-", 0) != 0 || entry.path().extension() == ".partial") continue;
    if (name.size() < 4 || name.substr(name.size() - 4) != "-gpu") continue;
    if (fs::exists(entry.path() / "bin/python")) return (entry.path() / "bin/python").string();
  }
  return "";
}

/// Runs `script` with arguments to its end; its exit code, or −1.
inline int run_python(const std::string& python, const std::vector<std::string>& arguments) {
  auto command = shell_quoted(python);
  for (const auto& argument : arguments) command += " " + shell_quoted(argument);
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace scalestudy::test
