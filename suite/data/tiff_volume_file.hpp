#pragma once
/// A TIFF that is read as a volume. Private to the reader of volumes.

#include <filesystem>
#include <string>

#include "data/tiff_messages.hpp"

namespace scalestudy {

class TiffVolumeFile {
 public:
  /// Errors: BadInput naming the file: missing, a folder, empty, unreadable, no TIFF.
  explicit TiffVolumeFile(const std::filesystem::path& path);
  TiffVolumeFile(const TiffVolumeFile&) = delete;
  TiffVolumeFile& operator=(const TiffVolumeFile&) = delete;

  [[nodiscard]] tiff* get() const { return tiff_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::int64_t stored_bytes() const;

  /// What libtiff said last since it was forgotten.
  [[nodiscard]] const std::string& message() const { return message_; }
  void forget_message() { message_.clear(); }

  /// Throws BadInput.
  [[noreturn]] void refuse(const std::string& problem, const std::string& suggestion) const;

  /// Says which page it is: from 0.
  [[noreturn]] void refuse_damaged_page(std::int64_t page) const;

 private:
  std::filesystem::path path_;
  std::string message_;
  TiffHandle tiff_;  // uses the message
};

}  // namespace scalestudy
