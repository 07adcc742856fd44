#pragma once
/// libtiff reports through callbacks; its last message becomes part of our errors.

#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>

#include <tiffio.h>

namespace scalestudy {

using TiffOptions = std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)>;

/// For opening a file whose last error will stand in `message`; warnings are dropped.
inline TiffOptions tiff_options(std::string& message) {
  const auto keep = [](TIFF*, void* user_data, const char*, const char* format, va_list arguments) {
    std::array<char, 256> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    *static_cast<std::string*>(user_data) = text.data();
    return 1;
  };
  TiffOptions options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep, &message);
  TIFFOpenOptionsSetWarningHandlerExtR(
      options.get(), [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
  return options;
}

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffHandle = std::unique_ptr<TIFF, CloseTiff>;

}  // namespace scalestudy
