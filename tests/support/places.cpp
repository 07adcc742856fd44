#include "tests/support/places.hpp"

namespace scalestudy::test {

std::string in_sources(std::string_view path) {
  return std::string(SCALESTUDY_SOURCE_DIR "/").append(path);
}

std::string in_build(std::string_view path) {
  return std::string(SCALESTUDY_BUILD_DIR "/").append(path);
}

}  // namespace scalestudy::test
