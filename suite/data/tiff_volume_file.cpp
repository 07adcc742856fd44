#include "data/tiff_volume_file.hpp"

#include <tiffio.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/image.hpp"

namespace scalestudy {

TiffVolumeFile::TiffVolumeFile(const std::filesystem::path& path) : path_(path) {
  if (const auto absence = absence_of(path); !absence.empty())
    throw BadInput({cat("'", path.string(), "' ", absence), "there is nothing to train on",
                    "Set data.path to a TIFF volume"});
  if (std::filesystem::is_directory(path))
    refuse("is a folder", "Give one TIFF file; save slices that are files as one TIFF stack");
  if (!std::filesystem::is_regular_file(path))
    refuse("is not a regular file", "Give the path of one TIFF file");
  if (stored_bytes() == 0) refuse("is empty", "Copy or export it again");
  const auto options = tiff_options(message_);
  tiff_.reset(TIFFOpenExt(path.c_str(), "r", options.get()));
  if (tiff_) return;
  const auto start = start_of_file(path, 16);
  const auto format = format_of(std::as_bytes(std::span(start)));
  if (!format.empty() && !format.ends_with("TIFF")) message_ = cat("it is ", format);
  refuse(no_readable_tiff(message_), "Give a TIFF volume");
}

std::int64_t TiffVolumeFile::stored_bytes() const {
  return static_cast<std::int64_t>(std::filesystem::file_size(path_));
}

void TiffVolumeFile::refuse(const std::string& problem, const std::string& suggestion) const {
  throw BadInput(
      {cat("'", path_.string(), "' ", problem), "it cannot be used as a volume", suggestion});
}

void TiffVolumeFile::refuse_damaged_page(std::int64_t page) const {
  refuse(cat("is damaged or truncated at page ", page + 1, ": ", message_),
         "Copy or export it again");
}

}  // namespace scalestudy
