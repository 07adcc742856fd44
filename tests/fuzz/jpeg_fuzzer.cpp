#include <cstddef>
#include <cstdint>

#include "tests/fuzz/accepted.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalestudy::fuzz::expect_whole_picture_or_refusal(
      [=] { return scalestudy::decode_jpeg(std::as_bytes(std::span(data, size)), "fuzz.jpg"); });
  return 0;
}
