#pragma once
/// The files of assets/, embedded when CMake configures.

#include <string_view>

namespace scalestudy::assets {

/// The style sheet inside the page: light, dark, print, phone.
extern const std::string_view page_css;

/// What all gnuplot scripts begin with; it wants the colours `ink` and `faint`.
extern const std::string_view preamble_gp;

}  // namespace scalestudy::assets
