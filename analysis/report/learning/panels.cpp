#include "analysis/report/learning/panels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

#include "record/run_file/run_file.hpp"

#include "analysis/report/plot/contours.hpp"
#include "analysis/report/plot/png.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/report/text/report_table.hpp"

namespace scalestudy {
namespace {

struct LabelledPanel {
  const Panel* panel;
  std::string label;
};

/// Panels are read again from the files of the few runs whose are shown.
class Panels {
 public:
  /// Of the first run of a rank count that has it: a fixed choice, not the prettiest. Null where
  /// none has.
  const Panel* first(const std::vector<const Run*>& runs, std::string_view name) {
    const auto has_it = [&](const Run* run) {
      return std::ranges::find(run->digest.panel_names, name) != run->digest.panel_names.end();
    };
    const auto found = std::ranges::find_if(runs, has_it);
    return found == runs.end() ? nullptr : whole_panel_named(panels_of(**found), name);
  }

  /// The first one of any rank count.
  const Panel* first(const Series& series, std::string_view name) {
    for (const auto& [ranks, runs] : series.by_ranks)
      if (const Panel* panel = first(runs, name); panel != nullptr) return panel;
    return nullptr;
  }

 private:
  const std::vector<Panel>& panels_of(const Run& run) {
    const auto found = by_run_.find(&run);
    if (found != by_run_.end()) return found->second;
    return by_run_.emplace(&run, read(run)).first->second;
  }

  /// Of the file that was analysed: one that was set aside or replaced meanwhile shows nothing.
  static std::vector<Panel> read(const Run& run) {
    try {
      auto record = read_run_file(run.record.file);
      if (record.content_sha256 == run.record.content_sha256) return std::move(record.panels);
    } catch (const BadInput&) {
    }
    return {};
  }

  std::map<const Run*, std::vector<Panel>> by_run_;
};

std::vector<LabelledPanel> chosen_panels(const Series& series, Panels& panels) {
  std::vector<LabelledPanel> chosen;
  for (const char* name : {"input", "reference"})
    if (const Panel* panel = panels.first(series, name); panel != nullptr)
      chosen.push_back({panel, name});
  for (const auto& [ranks, runs] : series.by_ranks) {
    if (const Panel* panel = panels.first(runs, "prediction"); panel != nullptr) {
      chosen.push_back({panel, ranks_in_words(ranks, false)});
    }
  }
  return chosen;
}

std::string picture_html(const std::string& label,
                         std::int64_t height_px,
                         std::int64_t width_px,
                         const std::vector<std::uint8_t>& png) {
  return cat("<figure class=\"panel\"><img alt=\"", escape_html(label), "\" width=\"", width_px,
             "\" height=\"", height_px, "\" src=\"data:image/png;base64,", base64(png),
             "\"><figcaption>", escape_html(label), "</figcaption></figure>\n");
}

std::string panel_html(const LabelledPanel& shown, const Contrast& contrast) {
  const Panel& panel = *shown.panel;
  return picture_html(shown.label, panel.height_px, panel.width_px, encode_png(panel, contrast));
}

std::string grey_scale_text(const Contrast& contrast, const std::string& of) {
  return cat("black ", significant(contrast.low, 4), ", white ", significant(contrast.high, 4),
             " (0.5th and 99.5th percentile of the ", escape_html(of), ")");
}

/// " of the first run of each rank count", or what of it says something.
std::string of_which_run(const Series& series) {
  return cat(series.has_repeats() ? " of the first run" : "",
             series.by_ranks.size() > 1 ? " of each rank count" : "");
}

/// Denoising and the like: input, reference and predictions are the same kind of picture.
std::string side_by_side_html(const Series& series, Panels& panels) {
  const auto chosen = chosen_panels(series, panels);
  if (chosen.empty()) return "";
  const Contrast contrast = contrast_of(*chosen.front().panel);
  std::string html = "<div class=\"panels\">\n";
  for (const LabelledPanel& shown : chosen) html += panel_html(shown, contrast);
  const bool predicts = panels.first(series, "prediction") != nullptr;
  const std::string predictions =
      predicts ? cat("Prediction of the best weights", of_which_run(series), ". ") : "";
  const std::string grey = chosen.size() > 1 ? "All panels have the same grey scale: " : "";
  return html + cat("</div><p class=\"caption\">", predictions, grey,
                    grey_scale_text(contrast, chosen.front().label), ".</p>\n");
}

constexpr Rgb mask_colour{0x56, 0xb4, 0xe9};
constexpr Rgb prediction_colour{0xff, 0x9f, 0x1c};

bool same_size(const Panel& a, const Panel& b) {
  return a.height_px == b.height_px && a.width_px == b.width_px;
}

bool is_empty(const Panel& probability) {
  return std::none_of(probability.pixels.begin(), probability.pixels.end(),
                      [](float p) { return p > 0.5F; });
}

/// Which outlines the rows show: what stands empty has none.
struct Outlines {
  bool masks = false;
  bool predictions = false;
};

/// Picture, mask, and for each rank count the outlines of both; "" when there is no such sample.
std::string segmentation_row_html(const Series& series,
                                  Panels& panels,
                                  int number,
                                  Outlines& drawn_outlines) {
  const Panel* picture = panels.first(series, cat("input-", number));
  const Panel* mask = panels.first(series, cat("mask-", number));
  if (picture == nullptr || mask == nullptr || !same_size(*picture, *mask)) return "";
  const Contrast contrast = contrast_of(*picture);
  std::string html = "<div class=\"panels large\">\n";
  html += panel_html({picture, cat("picture ", number)}, contrast);
  html += panel_html({mask, is_empty(*mask) ? "mask: empty" : "mask"}, {0, 1});
  for (const auto& [ranks, runs] : series.by_ranks) {
    const Panel* predicted = panels.first(runs, cat("prediction-", number));
    if (predicted == nullptr || !same_size(*picture, *predicted)) continue;
    const std::array contours{Contour{mask, mask_colour},
                              Contour{predicted, prediction_colour, true}};
    drawn_outlines.masks = drawn_outlines.masks || !is_empty(*mask);
    drawn_outlines.predictions = drawn_outlines.predictions || !is_empty(*predicted);
    const RgbImage drawn = with_contours(*picture, contrast, contours);
    html += picture_html(
        ranks_in_words(ranks, false) + (is_empty(*predicted) ? ": nothing predicted" : ""),
        drawn.height_px, drawn.width_px, encode_png(drawn));
  }
  return html + "</div>\n";
}

/// HTML.
std::string outlines_text(const Series& series, const Outlines& drawn) {
  std::vector<std::string> parts;
  if (drawn.masks) parts.emplace_back("<span class=\"outline mask\">true mask</span>");
  if (drawn.predictions)
    parts.push_back(cat(drawn.masks ? "above it, " : "",
                        "<span class=\"outline prediction\">prediction</span> (dashed; "
                        "probability above 0.5) of the best weights",
                        of_which_run(series)));
  return parts.empty() ? "" : cat(" Outlines: ", join(parts, " and, "), ".");
}

std::string segmentation_html(const Series& series, Panels& panels) {
  std::string rows;
  Outlines drawn;
  int count = 0;
  while (true) {
    const std::string row = segmentation_row_html(series, panels, count + 1, drawn);
    if (row.empty()) break;
    rows += row;
    ++count;
  }
  if (rows.empty()) return "";
  return cat(rows, "<p class=\"caption\">",
             count > 1 ? "Evaluated samples spread evenly over the set." : "An evaluated sample.",
             outlines_text(series, drawn),
             " Grey scales are each picture's own: black and white at its 0.5th and 99.5th "
             "percentile.</p>\n");
}

}  // namespace

std::string panels_html(const SeriesAnalysis& analysis) {
  Panels panels;
  return side_by_side_html(analysis.series, panels) + segmentation_html(analysis.series, panels);
}

}  // namespace scalestudy
