#include "data/tiff_messages.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

#include <tiffio.h>

namespace scalestudy {

void CloseTiff::operator()(tiff* file) const {
  TIFFClose(file);
}

void FreeTiffOptions::operator()(TIFFOpenOptions* options) const {
  TIFFOpenOptionsFree(options);
}

TiffOptions tiff_options(std::string& message) {
  const auto keep = [](TIFF*, void* user_data, const char*, const char* format, va_list arguments) {
    std::array<char, 256> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    *static_cast<std::string*>(user_data) = text.data();
    return 1;
  };
  const auto drop = [](TIFF*, void*, const char*, const char*, va_list) { return 1; };
  TiffOptions options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep, &message);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), drop, nullptr);
  return options;
}

std::string no_readable_tiff(const std::string& message) {
  // Of a header alone libtiff says nothing.
  return "is not a readable TIFF: " + (message.empty() ? "it has no page" : message);
}

}  // namespace scalestudy
