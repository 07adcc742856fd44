#include "core/atomic_file.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

void sync_folder(const std::filesystem::path& folder) {
  const auto* const name = folder.empty() ? "." : folder.c_str();
  const Descriptor descriptor(::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) throw std::system_error(errno, std::generic_category(), "open");
  if (::fsync(descriptor.get()) != 0)
    throw std::system_error(errno, std::generic_category(), "fsync");
}

void sync_folder_of(const std::filesystem::path& file) noexcept {
  try {
    sync_folder(file.parent_path());
  } catch (const std::exception&) {
  }
}

void require_replaceable(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  const bool is_free = !exists(std::filesystem::symlink_status(file, error));
  if (is_free || is_regular_file(status) || is_directory(status)) return;
  throw BadInput({cat("'", file.string(), "' is no ordinary file"),
                  "a file would be put in its place", "Choose another name"});
}

AtomicFile::AtomicFile(std::filesystem::path file, std::string why, std::string_view suffix)
    : file_(std::move(file)), part_(cat(file_.string(), suffix)), why_(std::move(why)) {
  require_replaceable(file_);
  ::unlink(part_.c_str());  // left by a process that was killed, or no file at all
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) refuse(errno);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      part_(std::move(other.part_)),
      why_(std::move(other.why_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_number_(other.error_number_),
      pending_(std::exchange(other.pending_, false)) {}

AtomicFile::~AtomicFile() {
  close();
  if (pending_) ::unlink(part_.c_str());
}

void AtomicFile::write(const void* data, std::size_t size_bytes) noexcept {
  const std::string_view bytes(static_cast<const char*>(data), size_bytes);
  if (error_number_ == 0 && !write_all(descriptor_, bytes)) error_number_ = errno;
}

void AtomicFile::finish() {
  if (error_number_ != 0) refuse(error_number_);
  if (::fsync(descriptor_) != 0) refuse(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) refuse(errno);
}

void AtomicFile::publish() {
  SCALESTUDY_EXPECT(pending_ && descriptor_ < 0);
  if (std::rename(part_.c_str(), file_.c_str()) != 0) refuse(errno);
  pending_ = false;
  sync_folder_of(file_);
}

void AtomicFile::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void replace_file(const std::filesystem::path& file,
                  std::string_view content,
                  const std::string& why) {
  AtomicFile replacement(file, why);
  replacement.write(content.data(), content.size());
  replacement.finish();
  replacement.publish();
}

void AtomicFile::refuse(int error_number) {
  throw RunFailed({cat(file_.string(), " cannot be written: ", std::strerror(error_number)), why_,
                   "Free space or choose another output folder; what was there before is kept"});
}

}  // namespace scalestudy
