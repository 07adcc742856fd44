#include "analysis/report/learning/confusion.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"

#include "analysis/report/plot/png.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/report/text/report_table.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t most_classes_in_table = 20;

struct ConfusionMatrix {
  std::vector<std::string> classes;
  std::vector<double> counts;  ///< (classes, classes), rows: true class
  std::size_t runs = 0;

  [[nodiscard]] double at(std::size_t truth, std::size_t predicted) const {
    return counts[truth * classes.size() + predicted];
  }
  [[nodiscard]] double row_sum(std::size_t truth) const {
    double sum = 0;
    for (std::size_t column = 0; column < classes.size(); ++column) sum += at(truth, column);
    return sum;
  }
};

/// As the run recorded them; numbers where it recorded none.
std::vector<std::string> class_names(const Run& run, std::size_t classes) {
  auto names =
      texts_in_json_list(value_named(flatten_json(run.record.effective_settings), "class_names"));
  if (names.size() == classes) return names;
  names.clear();
  for (std::size_t i = 0; i < classes; ++i) names.push_back(cat("class ", i));
  return names;
}

/// Over all runs that have one with the classes of the first; no runs when none has.
ConfusionMatrix summed(const std::vector<const Run*>& runs) {
  ConfusionMatrix matrix;
  for (const Run* run : runs) {
    const Panel* panel = confusion_panel(*run);
    if (panel == nullptr) continue;
    if (matrix.runs == 0) {
      matrix.classes = class_names(*run, static_cast<std::size_t>(panel->width_px));
      matrix.counts.assign(panel->pixels.size(), 0);
    }
    if (panel->pixels.size() != matrix.counts.size()) continue;
    for (std::size_t i = 0; i < matrix.counts.size(); ++i)
      matrix.counts[i] += static_cast<double>(panel->pixels[i]);
    ++matrix.runs;
  }
  return matrix;
}

std::string whole(double count) {
  return fmt::format("{:.0f}", count);
}

/// The share of the row shades the cell; never so dark that the number cannot be read.
std::string cell_html(double count, double row_sum) {
  const double shade = row_sum > 0 ? 0.55 * count / row_sum : 0;
  return cat("<td class=\"number\" style=\"background:rgba(0,114,178,", significant(shade, 2),
             ")\">", whole(count), "</td>");
}

std::string table_html(const ConfusionMatrix& matrix) {
  std::string html =
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>true ↓ · predicted →</th>";
  for (const auto& name : matrix.classes)
    html += cat("<th class=\"number\">", escape_html(name), "</th>");
  html += "<th class=\"number\">right</th></tr></thead><tbody>\n";
  for (std::size_t row = 0; row < matrix.classes.size(); ++row) {
    const double sum = matrix.row_sum(row);
    html += cat("<tr><th scope=\"row\">", escape_html(matrix.classes[row]), "</th>");
    for (std::size_t column = 0; column < matrix.classes.size(); ++column)
      html += cell_html(matrix.at(row, column), sum);
    html += cat("<td class=\"number\">",
                sum > 0 ? percent(matrix.at(row, row) / sum) : missing_number, "</td></tr>\n");
  }
  return html + "</tbody></table></div>\n";
}

/// Each row divided by its sum: white is every sample of the class.
std::string picture_html(const ConfusionMatrix& matrix) {
  const auto side = static_cast<std::int64_t>(matrix.classes.size());
  Panel shares{"confusion", side, side, {}};
  for (std::size_t row = 0; row < matrix.classes.size(); ++row)
    for (std::size_t column = 0; column < matrix.classes.size(); ++column)
      shares.pixels.push_back(
          static_cast<float>(matrix.at(row, column) / std::max(1.0, matrix.row_sum(row))));
  return cat("<div class=\"panel\"><img alt=\"confusion matrix\" width=\"", side, "\" height=\"",
             side, "\" src=\"data:image/png;base64,", base64(encode_png(shares, {0, 1})),
             "\"></div>\n");
}

bool is_small(const ConfusionMatrix& matrix) {
  return matrix.classes.size() <= most_classes_in_table;
}

std::string matrix_html(std::int64_t ranks, const ConfusionMatrix& matrix) {
  double all = 0, right = 0;
  for (std::size_t row = 0; row < matrix.classes.size(); ++row) {
    all += matrix.row_sum(row);
    right += matrix.at(row, row);
  }
  return cat("<div class=\"chart\"><h3>", escape_html(ranks_in_words(ranks, true)), "</h3>",
             is_small(matrix) ? table_html(matrix) : picture_html(matrix), "<p class=\"caption\">",
             whole(right), " of ", whole(all), " right (",
             all > 0 ? percent(right / all) : missing_number, "), ", counted(matrix.runs, "run"),
             ".</p></div>\n");
}

}  // namespace

std::string confusion_html(const SeriesAnalysis& analysis) {
  std::string matrices;
  bool sums = false, shades = false;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    const auto matrix = summed(runs);
    if (matrix.runs == 0) continue;
    matrices += matrix_html(ranks, matrix);
    sums = sums || matrix.runs > 1;
    shades = is_small(matrix);
  }
  if (matrices.empty()) return "";
  const bool compares = analysis.series.by_ranks.size() > 1;
  const std::string runs =
      sums ? cat(", summed over the runs", compares ? " of each rank count" : "") : "";
  return cat(
      "<div class=\"charts\">\n", matrices,
      "</div><p class=\"caption\">Counts over the final evaluation set with the best weights", runs,
      "; ",
      shades ? "the shade is the share of the true class"
             : "rows are true classes, columns predicted ones; white is all of a true class",
      ".</p>\n");
}

}  // namespace scalestudy
