#pragma once
/// libtiff reports through callbacks; its last message becomes part of our errors.

#include <memory>
#include <string>

struct tiff;
struct TIFFOpenOptions;

namespace scalestudy {

struct CloseTiff {
  void operator()(tiff* file) const;
};
using TiffHandle = std::unique_ptr<tiff, CloseTiff>;

struct FreeTiffOptions {
  void operator()(TIFFOpenOptions* options) const;
};
using TiffOptions = std::unique_ptr<TIFFOpenOptions, FreeTiffOptions>;

/// For opening a file whose last error will stand in `message`, which outlives it; warnings are
/// dropped.
[[nodiscard]] TiffOptions tiff_options(std::string& message);

/// Words for a file that could not be opened, with what libtiff said: "is not a readable TIFF: …".
[[nodiscard]] std::string no_readable_tiff(const std::string& message);

}  // namespace scalestudy
