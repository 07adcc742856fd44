#include "launchers/study_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void not_writable(const fs::path& path, const std::string& detail) {
  throw BadInput({cat("Cannot write to ", path.string(), ": ", detail),
                  "the study's runs and results are kept there",
                  "Choose another folder with --out, or change its permissions"});
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) not_writable(folder, error.message());
}

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

fs::path first_free_attempt(const fs::path& run_folder) {
  for (int attempt = 1;; ++attempt) {
    auto folder = run_folder / cat("attempt-", attempt);
    if (!fs::exists(folder)) return folder;
  }
}

}  // namespace

StudyFolder::StudyFolder(const fs::path& folder)
    : folder_(fs::absolute(folder).lexically_normal()) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "DIR/" is "DIR"
}

void StudyFolder::create() const {
  make_folders(folder_ / "runs");
  if (::access(folder_.c_str(), W_OK) != 0) not_writable(folder_, std::strerror(errno));
}

void StudyFolder::require_study() const {
  if (fs::exists(folder_ / "plan.json")) return;
  throw BadInput({cat(folder_.string(), " is no study folder: it has no plan.json"),
                  "a study folder is made by 'scalestudy run STUDY --out DIR'",
                  "Check the path, or run a study into it first"});
}

fs::path StudyFolder::run_folder(const std::string& run_id) const {
  return folder_ / "runs" / run_id;
}

bool StudyFolder::has_checkpoint(const std::string& run_id) const {
  return fs::exists(run_folder(run_id) / checkpoint_file_name);
}

void StudyFolder::remove_checkpoint(const std::string& run_id) const {
  std::error_code ignored;  // then it only takes space
  fs::remove(run_folder(run_id) / checkpoint_file_name, ignored);
}

std::optional<fs::path> StudyFolder::set_aside(const std::string& run_id, CheckpointUse use) const {
  const auto folder = run_folder(run_id);
  std::error_code missing;
  fs::remove(folder / cat(checkpoint_file_name, ".part"), missing);  // half of one, and large
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const bool stays =
        use == CheckpointUse::resume && entry.path().filename() == checkpoint_file_name;
    if (!entry.is_directory() && !stays) files.push_back(entry.path());
  }
  if (files.empty()) return {};
  auto attempt = first_free_attempt(folder);
  make_folders(attempt);
  for (const auto& file : files) fs::rename(file, attempt / file.filename());
  return attempt;
}

std::vector<std::string> StudyFolder::run_ids() const {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ / "runs", error)) {
    if (entry.is_directory()) ids.push_back(entry.path().filename().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<fs::path> StudyFolder::result_files() const {
  std::vector<fs::path> files;
  for (const auto& id : run_ids()) {
    const auto file = run_folder(id) / "run.h5";
    const auto part = run_folder(id) / "run.h5.part";
    if (fs::exists(file)) {
      files.push_back(file);
    } else if (fs::exists(part)) {
      files.push_back(part);
    }
  }
  return files;
}

DriverLock::DriverLock(const StudyFolder& folder) {
  const auto file = lock_file(folder);
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) not_writable(file, std::strerror(errno));
  auto lock = whole_file_lock();
  if (::fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) {
    const auto other = process_id_in(descriptor_);
    ::close(descriptor_);
    throw BadInput(
        {cat("Another scalestudy run (process ", other, ") works in ", folder.path().string()),
         "two drivers in one folder would start every run twice",
         "Wait for it, watch it with 'scalestudy status', or choose another --out"});
  }
  const auto text = cat(::getpid(), "\n");
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, text.data(), text.size(), 0) < 0) {
    not_writable(file, std::strerror(errno));
  }
}

DriverLock::~DriverLock() {
  ::close(descriptor_);
}

std::optional<pid_t> DriverLock::holder(const StudyFolder& folder) {
  const int descriptor = ::open(lock_file(folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  auto lock = whole_file_lock();
  std::optional<pid_t> holder;
  if (::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
    holder = process_id_in(descriptor);
  }
  ::close(descriptor);
  return holder;
}

}  // namespace scalestudy
