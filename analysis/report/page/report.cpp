#include "analysis/report/page/report.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "analysis/report/exchange/collectives_figures.hpp"
#include "analysis/report/exchange/collectives_report.hpp"
#include "analysis/report/exchange/exchange_report.hpp"
#include "analysis/report/learning/quality_table.hpp"
#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/page/page.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/published/overlay.hpp"
#include "analysis/report/published/published_figures.hpp"
#include "analysis/report/published/published_report.hpp"
#include "analysis/report/published/published_tables.hpp"
#include "analysis/report/speed/factors_report.hpp"
#include "analysis/report/speed/fair_base_report.hpp"
#include "analysis/report/speed/launch_table.hpp"
#include "analysis/report/speed/prediction_report.hpp"
#include "analysis/report/speed/run_causes_report.hpp"
#include "analysis/report/speed/speedup_table.hpp"
#include "analysis/report/step/arm_tables.hpp"
#include "analysis/report/step/causes_report.hpp"
#include "analysis/report/step/remedies_report.hpp"
#include "analysis/report/step/step_checks_table.hpp"
#include "analysis/report/step/step_table.hpp"
#include "analysis/report/study/completeness.hpp"
#include "analysis/report/study/pending_report.hpp"
#include "analysis/report/study/run_tables.hpp"
#include "analysis/report/study/settings_tables.hpp"
#include "analysis/report/text/label_sentences.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr const char* summary_name = "summary.json";

[[noreturn]] void cannot_write(const fs::path& path, const std::string& reason) {
  throw BadInput({cat("cannot write ", path.string(), ": ", reason), "the report has no place",
                  "Choose another place with --out"});
}

/// What stands there already and is no ordinary file makes room: a link would lead to a file that
/// is no report's, a pipe would wait for a reader.
void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::regular) fs::remove(file, error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.flush();
  if (!out)
    throw RunFailed({cat("cannot write ", file.string(), ": ", std::strerror(errno)),
                     "the report is not complete",
                     "Make room, or choose another place with --out"});
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error.message());
}

/// What an earlier report wrote is replaced. Errors: BadInput when `out` holds something else.
void require_own_folder(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out, error) || fs::is_empty(out, error)) return;
  if (!fs::is_symlink(out / summary_name, error) &&
      start_of_file(out / summary_name, 1 << 20).find("\"made_by\"") != std::string::npos)
    return;
  throw BadInput({cat("'", out.string(), "' is there already and holds no report"),
                  "its figures/ and tables/ would be replaced", "Choose another place with --out"});
}

/// Writes data and script, runs gnuplot, returns the SVG for the page, or "" and a note.
DrawnFigure draw(const Figure& figure, const fs::path& folder, std::vector<std::string>& notes) {
  write_file(folder / (figure.slug + ".tsv"), figure_data(figure));
  write_file(folder / (figure.slug + ".gp"), gnuplot_script(figure));
  const std::string problem = run_gnuplot(folder, figure.slug + ".gp");
  if (!problem.empty()) {
    add_unique(notes, cat("Figures are missing: ", problem,
                          ". Their data (.tsv) and scripts (.gp) "
                          "are in figures/; the tables are complete."));
    return {figure, ""};
  }
  return {figure, inline_svg(readable_text_of_file(folder / (figure.slug + ".svg")).value_or(""),
                             figure.slug + "-", figure.title + ". " + figure.caption)};
}

FiguresBySeries draw_all(const StudyAnalysis& analysis,
                         const fs::path& folder,
                         std::vector<std::string>& notes) {
  FiguresBySeries drawn;
  for (const SeriesAnalysis& one : analysis.studies()) {
    auto& figures = drawn[one.series.slug];
    for (const Figure& figure : figures_of(one, analysis.overlays()))
      figures.push_back(draw(figure, folder, notes));
  }
  for (const Figure& figure : collective_figures(analysis))
    drawn[collectives_slug].push_back(draw(figure, folder, notes));
  for (const PublishedAnalysis& one : analysis.published()) {
    auto& figures = drawn[one.slug];
    for (const Figure& figure : published_figures(one))
      figures.push_back(draw(figure, folder, notes));
  }
  return drawn;
}

std::vector<ReportTable> tables_of(const SeriesAnalysis& one, const SettingWords& words) {
  return {speedup_table(one),
          fair_base_table(one),
          factorisation_table(one),
          factor_bases_table(one),
          target_table(one),
          scaling_models_table(one),
          noise_scale_table(one),
          pop_table(one),
          launch_table(one),
          step_table(one),
          exchange_table(one),
          exchange_fits_table(one),
          buckets_table(one),
          causes_table(one),
          remedies_table(one),
          run_causes_table(one),
          step_checks_table(one),
          smoothness_table(one),
          quality_table(one),
          differing_settings_table(one, words),
          settings_stages_table(one, words),
          time_like_table(one, words)};
}

void write_tables(const StudyAnalysis& analysis,
                  const SettingWords& words,
                  const fs::path& folder) {
  std::vector<ReportTable> tables{run_table(analysis),
                                  skipped_table(analysis),
                                  control_arm_table(analysis),
                                  arm_contrast_table(analysis),
                                  environment_table(analysis),
                                  collectives_table(analysis),
                                  collective_fits_table(analysis)};
  for (const SeriesAnalysis& one : analysis.studies()) {
    for (ReportTable& table : tables_of(one, words)) {
      add_labels(table, label_list(one.series));
      tables.push_back(std::move(table));
    }
  }
  for (const PublishedAnalysis& one : analysis.published()) {
    for (ReportTable table : {published_table(one), published_factors_table(one)}) {
      add_labels(table, external_label);
      tables.push_back(std::move(table));
    }
  }
  for (const ReportTable& table : tables) {
    if (!table.rows.empty()) write_file(folder / (table.slug + ".csv"), to_csv(table));
  }
}

void add_published(const PublishedAnalysis& one, ReportResult& result) {
  for (const ArmAnalysis& arm : one.arms) {
    result.has_answer |= arm.states_speedup();
    result.paragraphs.push_back(cat(one.study.title, ", ", arm.arm.name, " (external):"));
    for (auto& text : published_paragraphs(one.study, arm))
      result.paragraphs.push_back(std::move(text));
  }
}

}  // namespace

ReportResult write_report(const StudyAnalysis& analysis,
                          const fs::path& out,
                          const WorkloadWords& own_words) {
  const SettingWords words(own_words);
  require_own_folder(out);
  make_folder(out);
  ReportResult result;
  result.summary = out / summary_name;
  const auto summary = summary_json(analysis);
  // It tells whose folder this is, also when the first report there is interrupted.
  if (!is_there(result.summary)) write_file(result.summary, summary);
  const PendingReport pending(out);
  const fs::path& place = pending.folder();
  write_file(place / summary_name, summary);
  for (const auto* folder : {"figures", "tables"}) make_folder(place / folder);
  const bool has_folders = !analysis.runs().folders.empty();
  if (const auto note = completeness_sentence(analysis); has_folders && !note.empty())
    result.notes.push_back(note);
  const FiguresBySeries figures = draw_all(analysis, place / "figures", result.notes);
  write_tables(analysis, words, place / "tables");
  result.page = out / "report.html";
  write_file(place / result.page.filename(), report_page(analysis, figures, result.notes, words));
  pending.publish();
  result.data_runs = analysis.data_runs();
  for (const StudyFlag& flag : analysis.flags()) {
    result.flags.push_back(cat(flag.code, ": ", flag.text));
    result.is_mixed |= flag.is_mixture;
  }
  for (const auto* files : {&analysis.runs().unreadable, &analysis.runs().damaged_plans})
    for (const AbsentRun& file : *files) result.unreadable.push_back(file.reason);
  for (const SeriesAnalysis& one : analysis.studies()) {
    if (states_speedup(one)) result.has_answer = true;
    if (analysis.studies().size() > 1) result.paragraphs.push_back(one.series.name + ":");
    for (const auto& answer : conclusions_of(one).answers())
      result.paragraphs.push_back(cat(answer.question, ' ', answer.text));
    if (!analysis.overlays().empty() && states_speedup(one))
      result.paragraphs.push_back(overlay_sentences(one, analysis.overlays()));
  }
  for (auto& text : collective_paragraphs(analysis)) {
    result.has_answer = true;
    result.paragraphs.push_back(std::move(text));
  }
  for (const PublishedAnalysis& one : analysis.published()) add_published(one, result);
  return result;
}

ReportResult write_report(const std::vector<fs::path>& folders,
                          const fs::path& out,
                          const WorkloadWords& own_words,
                          const PublishedInputs& published) {
  return write_report(StudyAnalysis(load_runs(folders), published), out, own_words);
}

}  // namespace scalestudy
