#include "analysis/report/panels.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/text.hpp"

#include "analysis/report/numbers.hpp"
#include "analysis/report/png.hpp"
#include "analysis/report/report_table.hpp"

namespace scalestudy {
namespace {

struct LabelledPanel {
  const Panel* panel;
  std::string label;
};

bool is_complete(const Panel& panel) {
  return panel.width_px > 0 && panel.height_px > 0 &&
         panel.pixels.size() == static_cast<std::size_t>(panel.width_px * panel.height_px);
}

const Panel* panel_named(const Run& run, std::string_view name) {
  const auto& panels = run.record.panels;
  const auto found = std::find_if(panels.begin(), panels.end(),
                                  [&](const Panel& p) { return p.name == name && is_complete(p); });
  return found == panels.end() ? nullptr : &*found;
}

/// The first run of a rank count that has this panel: a fixed choice, not the prettiest.
const Panel* first_panel(const std::vector<const Run*>& runs, std::string_view name) {
  for (const Run* run : runs) {
    if (const Panel* panel = panel_named(*run, name); panel != nullptr) return panel;
  }
  return nullptr;
}

std::vector<LabelledPanel> chosen_panels(const Series& series) {
  std::vector<LabelledPanel> chosen;
  for (const char* name : {"input", "reference"}) {
    for (const auto& [ranks, runs] : series.by_ranks) {
      if (const Panel* panel = first_panel(runs, name); panel != nullptr) {
        chosen.push_back({panel, name});
        break;
      }
    }
  }
  for (const auto& [ranks, runs] : series.by_ranks) {
    if (const Panel* panel = first_panel(runs, "prediction"); panel != nullptr) {
      chosen.push_back({panel, ranks_in_words(ranks, false)});
    }
  }
  return chosen;
}

std::string panel_html(const LabelledPanel& shown, const Contrast& contrast) {
  const Panel& panel = *shown.panel;
  return cat("<figure class=\"panel\"><img alt=\"", escape_html(shown.label), "\" width=\"",
             panel.width_px, "\" height=\"", panel.height_px, "\" src=\"data:image/png;base64,",
             base64(encode_png(panel, contrast)), "\"><figcaption>", escape_html(shown.label),
             "</figcaption></figure>\n");
}

}  // namespace

std::string panels_html(const SeriesAnalysis& analysis) {
  const auto panels = chosen_panels(analysis.series);
  if (panels.empty()) return "";
  const Contrast contrast = contrast_of(*panels.front().panel);
  std::string html = "<div class=\"panels\">\n";
  for (const LabelledPanel& shown : panels) html += panel_html(shown, contrast);
  return html + cat("</div><p class=\"caption\">Prediction of the best weights of the first run of "
                    "each rank count. All panels have the same grey scale: black ",
                    significant(contrast.low, 4), ", white ", significant(contrast.high, 4),
                    " (0.5th and 99.5th percentile of the ", escape_html(panels.front().label),
                    ").</p>\n");
}

}  // namespace scalestudy
