#pragma once
/// Runs gnuplot without a shell and makes its SVG part of the page.

#include <array>
#include <filesystem>
#include <string>

namespace scalestudy {

/// A gnuplot string literal: single-quoted, nothing in it is interpreted.
[[nodiscard]] std::string gnuplot_quoted(const std::string& text);

/// A line of comment, in data and scripts: no text of others ends it, or goes on in the next one.
[[nodiscard]] std::string gnuplot_comment(const std::string& text);

/// Whether gnuplot finds axes for it: finite, and 0 or of a size from 1e-100 to 1e100. Else a range
/// overflows, or is too narrow for numbers that a drawing is computed with.
[[nodiscard]] bool is_plottable(double value);

/// For data of a figure: full precision, "NaN" for what is not plottable, which is not drawn.
[[nodiscard]] std::string plotted(double value);

/// How many blocks of data `tsv` has; the next one is plotted by this index.
[[nodiscard]] std::size_t data_block_count(const std::string& tsv);

/// Runs `gnuplot script` with `folder` as working directory; "" on success, else why it failed
/// ("gnuplot is not installed", its exit code, its last words). Blocking, at most a minute.
[[nodiscard]] std::string run_gnuplot(const std::filesystem::path& folder,
                                      const std::string& script);

/// gnuplot's SVG for use inside HTML: ids unique by `id_prefix`, ink and palette as CSS variables
/// (light and dark), background removed, `label` for screen readers.
[[nodiscard]] std::string inline_svg(const std::string& svg,
                                     const std::string& id_prefix,
                                     const std::string& label);

/// Colours as they stand in the .gp files (Okabe & Ito's palette, told apart by all common kinds
/// of colour vision, greys and a dark violet) and the CSS variables that replace them in the page.
struct PaletteColour {
  const char* hex;
  const char* css_variable;
};
inline constexpr PaletteColour ink{"#1b1f24", "--ink"};
inline constexpr PaletteColour faint{"#b9bec6", "--faint"};
inline constexpr PaletteColour palette[] = {
    {"#0072b2", "--c1"}, {"#d55e00", "--c2"}, {"#009e73", "--c3"},
    {"#cc79a7", "--c4"}, {"#e69f00", "--c5"}, {"#56b4e9", "--c6"},
    {"#8a8f98", "--c7"}, {"#454c57", "--c8"}, {"#5e2a84", "--c9"}};
inline constexpr std::size_t palette_size = std::size(palette);

/// gnuplot's point types, told apart without colour.
inline constexpr std::array filled_markers{7, 5, 9, 13, 11, 15};

}  // namespace scalestudy
