#include "core/provenance.hpp"

#include "scalestudy_build_info.hpp"  // generated at build time

namespace scalestudy {

std::string version() {
  return SCALESTUDY_VERSION;
}

std::string build_id() {
  return SCALESTUDY_BUILD_ID;
}

}  // namespace scalestudy
