#pragma once
/// A folder for one test that is gone afterwards; its name has a blank and a quote on purpose.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "core/text.hpp"

namespace scalestudy {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto stem = std::filesystem::temp_directory_path() / "scalestudy's test ";
    for (int i = 0; path_.empty(); ++i) {
      const std::filesystem::path candidate = cat(stem.string(), ::getpid(), "-", i);
      if (std::filesystem::create_directory(candidate)) path_ = candidate;
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// For the commands of tests: the folder's name has a blank and a quote, but nothing worse.
inline std::string shell_quoted(const std::filesystem::path& path) {
  return "\"" + path.string() + "\"";
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Makes the folder of the file, too.
inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::ofstream(file) << text;
}

}  // namespace scalestudy
