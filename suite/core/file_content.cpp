#include "core/file_content.hpp"

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 33;
constexpr std::int64_t most_text_bytes = std::int64_t{1} << 26;

/// What the system itself would not call an error.
enum class Refusal { no_file = 1, too_long };

class RefusalCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "file content"; }
  [[nodiscard]] std::string message(int code) const override {
    return static_cast<Refusal>(code) == Refusal::no_file ? "it is a device, pipe or socket"
                                                          : "it is longer than any such file";
  }
};

[[noreturn]] void fail(int error_number) {
  throw std::system_error(error_number, std::generic_category());
}

[[noreturn]] void refuse(Refusal refusal) {
  static const RefusalCategory category;
  throw std::system_error(static_cast<int>(refusal), category);
}

class OpenFile {
 public:
  /// Returns at once also where the name stands for a pipe without a writer.
  explicit OpenFile(const std::filesystem::path& file)
      : descriptor_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    // A socket cannot even be opened.
    if (!descriptor_ && errno == ENXIO) refuse(Refusal::no_file);
    if (!descriptor_) fail(errno);
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) fail(errno);
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    if (!S_ISREG(status.st_mode)) refuse(Refusal::no_file);
    size_bytes_ = status.st_size;
  }

  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }

  /// From `start_bytes` on; returns how many there were.
  [[nodiscard]] std::size_t read(std::span<char> bytes, std::int64_t start_bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto count = ::pread(descriptor_.get(), bytes.data() + done, bytes.size() - done,
                                 start_bytes + static_cast<std::int64_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(errno);
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  Descriptor descriptor_;
  std::int64_t size_bytes_ = 0;
};

template <class Content>
Content content_of(const std::filesystem::path& file, std::int64_t limit_bytes) {
  const OpenFile open(file);
  if (open.size_bytes() > limit_bytes) refuse(Refusal::too_long);
  Content content(static_cast<std::size_t>(open.size_bytes()), {});
  content.resize(open.read({reinterpret_cast<char*>(content.data()), content.size()}, 0));
  return content;
}

}  // namespace

std::string absence_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::none)
    return "cannot be reached: " + error.message();
  if (!std::filesystem::exists(status)) return "does not exist";
  const int needed = std::filesystem::is_directory(status) ? R_OK | X_OK : R_OK;
  if (::access(path.c_str(), needed) == 0) return "";
  return "cannot be read: " + std::generic_category().message(errno);
}

bool is_there(const std::filesystem::path& path) noexcept {
  std::error_code error;
  return std::filesystem::symlink_status(path, error).type() !=
         std::filesystem::file_type::not_found;
}

std::vector<std::filesystem::path> entries_in(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> entries;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back(entry->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<std::byte> bytes_of_file(const std::filesystem::path& file) {
  return content_of<std::vector<std::byte>>(file, most_bytes);
}

std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_of_file(const std::filesystem::path& file) {
  return content_of<std::string>(file, most_text_bytes);
}

std::optional<std::string> readable_text_of_file(const std::filesystem::path& file) {
  try {
    return text_of_file(file);
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

std::string start_of_file(const std::filesystem::path& file, std::size_t limit_bytes) {
  try {
    std::string start(limit_bytes, '\0');
    start.resize(OpenFile(file).read(start, 0));
    return start;
  } catch (const std::system_error&) {
    return "";
  }
}

std::string first_line_of(const std::filesystem::path& file) {
  const auto start = start_of_file(file, 4096);
  return start.substr(0, start.find('\n'));
}

std::string end_of_file(const std::filesystem::path& file, std::int64_t limit_bytes) {
  try {
    const OpenFile open(file);
    const auto start_bytes = std::max<std::int64_t>(0, open.size_bytes() - limit_bytes);
    std::string end(static_cast<std::size_t>(open.size_bytes() - start_bytes), '\0');
    end.resize(open.read(end, start_bytes));
    return end;
  } catch (const std::system_error&) {
    return "";
  }
}

}  // namespace scalestudy
