#include "analysis/report/plot/gnuplot.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/process.hpp"
#include "core/program_output.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/report/text/numbers.hpp"
#include "analysis/report/text/report_table.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
constexpr Seconds gnuplot_deadline{60};

std::string replace_all(const std::string& text, const std::string& from, const std::string& to) {
  std::string replaced;
  std::size_t done = 0;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
    replaced.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  return replaced.append(text, done);
}

/// Removes every <tag …>…</tag>.
std::string without_elements(std::string text, const std::string& tag) {
  const std::string open_tag = "<" + tag, close_tag = "</" + tag + ">";
  for (std::size_t at = text.find(open_tag); at != std::string::npos;
       at = text.find(open_tag, at)) {
    const std::size_t end = text.find(close_tag, at);
    if (end == std::string::npos) break;
    text.erase(at, end + close_tag.size() - at);
  }
  return text;
}

std::string css_for_rgb(const std::array<int, 3>& rgb) {
  std::array<char, 8> hex{};
  std::snprintf(hex.data(), hex.size(), "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
  std::vector<PaletteColour> known(std::begin(palette), std::end(palette));
  known.insert(known.end(), {ink, faint});
  for (const PaletteColour& colour : known) {
    if (hex.data() == std::string_view(colour.hex)) return cat("var(", colour.css_variable, ")");
  }
  return hex.data();
}

/// "rgb( 27,  31,  36)" -> "var(--ink)".
std::string with_css_colours(const std::string& svg) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = svg.find("rgb("); at != std::string::npos; at = svg.find("rgb(", done)) {
    const std::size_t end = svg.find(')', at);
    std::array<int, 3> rgb{};
    if (end == std::string::npos ||
        std::sscanf(svg.c_str() + at, "rgb( %d , %d , %d", &rgb[0], &rgb[1], &rgb[2]) != 3) {
      break;
    }
    out += svg.substr(done, at - done) + css_for_rgb(rgb);
    done = end + 1;
  }
  return out + svg.substr(done);
}

}  // namespace

std::string gnuplot_comment(const std::string& text) {
  auto line = "# " + one_line(text);
  if (line.ends_with('\\')) line += ' ';
  return line + '\n';
}

std::string gnuplot_quoted(const std::string& text) {
  return "'" + replace_all(replace_all(visible(text), "\n", " "), "'", "''") + "'";
}

bool is_plottable(double value) {
  constexpr double most = 1e100;
  const double size = std::abs(value);
  return value == 0 || (size >= 1 / most && size <= most);
}

std::size_t data_block_count(const std::string& tsv) {
  std::size_t blocks = 1;
  for (auto at = tsv.find("\n\n\n"); at != std::string::npos; at = tsv.find("\n\n\n", at + 3))
    ++blocks;
  return blocks;
}

std::string plotted(double value) {
  return is_plottable(value) ? exact(value) : "NaN";
}

std::string run_gnuplot(const fs::path& folder, const std::string& script) {
  if (find_on_path("gnuplot").empty()) return "gnuplot is not installed";
  ProcessPlan plan;
  plan.name = "gnuplot";
  plan.argv = {"gnuplot", script};
  plan.working_folder = folder;
  plan.log_file = fs::absolute(folder / (script + ".log"));
  try {
    ChildProcess gnuplot(plan);
    const auto end = gnuplot.wait(gnuplot_deadline);
    const std::string words = last_line_of(readable_text_of_file(plan.log_file).value_or(""));
    fs::remove(plan.log_file);
    if (!end) return "gnuplot did not finish within a minute";
    return end->is_success() ? "" : "gnuplot failed: " + words;
  } catch (const RunFailed& error) {
    return error.what();
  }
}

std::string inline_svg(const std::string& svg,
                       const std::string& id_prefix,
                       const std::string& label) {
  const std::size_t start = svg.find("<svg");
  if (start == std::string::npos) return "";
  std::string text = svg.substr(start);
  text = without_elements(without_elements(without_elements(text, "title"), "desc"), "filter");
  text = replace_all(text, "fill=\"#ffffff\"/>", "fill=\"none\"/>");
  text = replace_all(text, "color=\"black\"", "color=\"var(--ink)\"");
  text = replace_all(text, "color=\"#FFFFFF\"", "color=\"var(--card)\"");
  text = replace_all(text, "color='#FFFFFF'", "color='var(--card)'");
  text = replace_all(text, "id='", "id='" + id_prefix);
  text = replace_all(text, "id=\"", "id=\"" + id_prefix);
  text = replace_all(text, "href='#", "href='#" + id_prefix);
  text = replace_all(text, "url(#", "url(#" + id_prefix);
  for (const char* declaration :
       {"xmlns=\"http://www.w3.org/2000/svg\"", "xmlns:xlink=\"http://www.w3.org/1999/xlink\""}) {
    text = replace_all(text, declaration, "");  // known to HTML; the page then holds no address
  }
  text = with_css_colours(text);
  const std::string attributes = cat(" role=\"img\" aria-label=\"", escape_html(label), "\"");
  return text.insert(4, attributes);
}

}  // namespace scalestudy
