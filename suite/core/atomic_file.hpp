#pragma once
/// A file that is replaced as a whole. It is written beside its place (FILE.part), handed to the
/// disk, and renamed: whoever kills the process at any moment finds the old file or the new one.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace scalestudy {

/// Makes a rename in the folder durable; an empty path is the working folder. Errors:
/// std::system_error.
void sync_folder(const std::filesystem::path& folder);

/// Makes a rename of `file` durable; where folders cannot be synchronised it is still atomic.
void sync_folder_of(const std::filesystem::path& file) noexcept;

/// A rename puts a file in the place of a device, pipe or link to nowhere (not of a folder).
/// Errors: BadInput when `file` is one.
void require_replaceable(const std::filesystem::path& file);

class AtomicFile {
 public:
  /// `why`: what depends on the file, for messages. `suffix`: of the name beside its place. Errors:
  /// BadInput as require_replaceable(); RunFailed when that file cannot be made.
  AtomicFile(std::filesystem::path file, std::string why, std::string_view suffix = ".part");
  /// Removes what was not published.
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  /// Never throws, because writers of file formats do not expect it: finish() tells what failed.
  void write(const void* data, std::size_t size_bytes) noexcept;

  /// All bytes are on the disk. Errors: RunFailed with the system's reason (disk full, …).
  void finish();

  /// Takes its place: quick, and durable. After finish(). Errors: RunFailed.
  void publish();

 private:
  [[noreturn]] void refuse(int error_number);
  void close() noexcept;

  std::filesystem::path file_;
  std::filesystem::path part_;
  std::string why_;
  int descriptor_ = -1;
  int error_number_ = 0;  ///< of the first write that failed
  bool pending_ = true;   ///< neither published nor handed over
};

/// The whole of a small text file, replaced. Errors: as AtomicFile.
void replace_file(const std::filesystem::path& file,
                  std::string_view content,
                  const std::string& why);

}  // namespace scalestudy
