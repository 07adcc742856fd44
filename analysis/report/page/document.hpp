#pragma once
/// A report before it is rendered: what it answers, shows and tabulates, in order. Rendered as a
/// page, on the terminal, as CSV files and as summary.json: a new table, figure or paragraph is
/// added here alone.

#include <string>
#include <vector>

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/plot/figure.hpp"
#include "analysis/report/text/report_table.hpp"
#include "analysis/report/text/setting_words.hpp"
#include "analysis/study/study_analysis.hpp"

namespace scalestudy {

/// Tables without rows are not rendered, sections without content neither.
struct Section {
  std::string title;
  std::vector<Figure> figures = {};
  std::vector<ReportTable> tables = {};
  std::string pictures = {};    ///< HTML of what only a page can show
  std::string fold_title = {};  ///< folded on the page behind this; "": open
};

/// A number in large type.
struct Stat {
  std::string value;
  std::string label;
  std::string detail;
};

/// One series, all collective operations or an arm of a published study.
struct Chapter {
  std::string name;
  bool is_named = false;  ///< on the terminal, above its answers
  std::string headline = {};
  std::vector<std::string> labels = {};  ///< without which no number below is to be read
  std::string conditions = {};
  std::vector<Stat> stats = {};
  std::vector<Answer> answers = {};
  std::string overlay = {};  ///< what its captions say of published points
  bool has_answer = false;   ///< a speed-up, or times of collective operations
  std::string kicker = {};   ///< above the title
  std::string title = {};    ///< above its sections; "" where there is no other
  std::vector<Section> sections = {};
};

struct Document {
  std::string title;
  std::vector<std::string> descriptions;  ///< of the studies, in their own words
  std::string facts;                      ///< how many runs of which machine and build
  std::vector<StudyFlag> flags;
  std::vector<std::string> left_out;  ///< why runs are no data
  std::vector<Chapter> chapters;
  std::vector<Section> sections;  ///< of all runs
};

[[nodiscard]] Document document_of(const StudyAnalysis& analysis, const SettingWords& words);

/// All tables that have rows, in their order.
[[nodiscard]] std::vector<const ReportTable*> tables_of(const std::vector<Section>& sections);
[[nodiscard]] std::vector<const ReportTable*> tables_of(const Document& document);

/// Likewise all figures.
[[nodiscard]] std::vector<const Figure*> figures_of(const Document& document);

}  // namespace scalestudy
