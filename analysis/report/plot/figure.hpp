#pragma once
/// A figure: data as TSV, drawing as a gnuplot script that can be run again anywhere.

#include <string>

#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Where in the report a figure stands.
enum class FigureSection { speed, causes, step, learning, collectives };

struct Figure {
  FigureSection section = FigureSection::speed;
  std::string slug;  ///< file names: <slug>.tsv, .gp, .svg, .pdf
  std::string title;
  std::string caption;  ///< everything needed to judge it, see METRICS.md#captions
  std::string tsv;
  std::string labels;   ///< of its runs, "" without any: every file of the figure says them
  std::string drawing;  ///< gnuplot commands that plot '<slug>.tsv', without terminal and output
};

/// "noise2void · float32 · batch 16 per rank … · n = 5 …": what every caption of a series says.
[[nodiscard]] std::string caption_facts(const SeriesAnalysis& analysis);

/// The data, and before them the labels.
[[nodiscard]] std::string figure_data(const Figure& figure);

/// The complete script: SVG, then PDF.
[[nodiscard]] std::string gnuplot_script(const Figure& figure);

}  // namespace scalestudy
