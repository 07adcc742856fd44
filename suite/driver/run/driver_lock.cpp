#include "driver/run/driver_lock.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "driver/run/writable_study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// An exclusive lock of the open file description: asking for its holder takes no lock, so that
/// `status` never stands in the way of `run`; the kernel releases it when the process dies.
struct flock whole_file_lock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

fs::path lock_file(const StudyFolder& folder) {
  return folder.path() / "driver.lock";
}

pid_t process_id_in(int descriptor) {
  std::array<char, 32> text{};
  const auto size = ::pread(descriptor, text.data(), text.size(), 0);
  pid_t id = 0;
  if (size > 0) std::from_chars(text.data(), text.data() + size, id);
  return id;
}

}  // namespace

DriverLock::DriverLock(const StudyFolder& folder) {
  const auto file = lock_file(folder);
  descriptor_ = Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!descriptor_) refuse_unwritable(file, std::strerror(errno));
  auto lock = whole_file_lock();
  const bool is_refused = ::fcntl(descriptor_.get(), F_OFD_SETLK, &lock) != 0;
  if (is_refused && (errno == EAGAIN || errno == EACCES)) {
    const auto other = process_id_in(descriptor_.get());
    throw BadInput({cat("Another scalestudy run", other > 0 ? cat(" (process ", other, ")") : "",
                        " works in ", folder.path().string()),
                    "two drivers in one folder would start every run twice",
                    "Wait for it, watch it with 'scalestudy status', or choose another --out"});
  }
  if (is_refused)
    warning_ =
        cat("The file system of ", folder.path().string(), " has no locks (", std::strerror(errno),
            "): a second scalestudy run in this folder would not be refused, and start every run "
            "twice. Start one at a time.");
  const auto text = cat(::getpid(), "\n");
  if (::ftruncate(descriptor_.get(), 0) != 0 ||
      ::pwrite(descriptor_.get(), text.data(), text.size(), 0) < 0) {
    refuse_unwritable(file, std::strerror(errno));
  }
}

std::optional<pid_t> DriverLock::holder(const StudyFolder& folder) {
  const Descriptor descriptor(
      ::open(lock_file(folder).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor) return {};
  auto lock = whole_file_lock();
  std::optional<pid_t> holder;
  if (::fcntl(descriptor.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
    holder = process_id_in(descriptor.get());
  }
  return holder;
}

}  // namespace scalestudy
