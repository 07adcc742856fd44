#include "core/file_content.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/descriptor.hpp"

namespace scalestudy {
namespace {

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

std::vector<std::byte> bytes_of_file(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor) fail("open");
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) fail("fstat");
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("read");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::read(descriptor.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

std::optional<std::string> text_of_file(const std::filesystem::path& file) {
  try {
    const auto bytes = bytes_of_file(file);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace scalestudy
