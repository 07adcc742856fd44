#pragma once
/// report.html, rendered from the document.

#include <map>
#include <string>
#include <vector>

#include "analysis/report/page/document.hpp"

namespace scalestudy {

/// The SVG of each figure that could be drawn, by its slug.
using Drawings = std::map<std::string, std::string>;

/// The whole page. `notes` are shown on top: what is missing from this report.
[[nodiscard]] std::string report_page(const Document& document,
                                      const Drawings& drawings,
                                      const std::vector<std::string>& notes);

}  // namespace scalestudy
