#include "analysis/report/page/report.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "analysis/report/page/document.hpp"
#include "analysis/report/page/page.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "analysis/report/plot/gnuplot.hpp"
#include "analysis/report/study/completeness.hpp"
#include "analysis/report/study/pending_report.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr const char* summary_name = "summary.json";

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
  if (error)
    throw BadInput({cat("cannot write ", folder.string(), ": ", error.message()),
                    "the report is written there", "Name a folder that can be written with --out"});
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

/// Writes data and scripts, runs gnuplot; what cannot be drawn is noted.
Drawings draw(const std::vector<const Figure*>& figures,
              const fs::path& folder,
              std::vector<std::string>& notes) {
  Drawings drawings;
  for (const Figure* figure : figures) {
    write_file(folder / (figure->slug + ".tsv"), figure_data(*figure));
    write_file(folder / (figure->slug + ".gp"), gnuplot_script(*figure));
    const std::string problem = run_gnuplot(folder, figure->slug + ".gp");
    if (!problem.empty()) {
      add_unique(notes, cat("Figures are missing: ", problem,
                            ". Their data (.tsv) and scripts (.gp) "
                            "are in figures/; the tables are complete."));
      continue;
    }
    drawings[figure->slug] =
        inline_svg(readable_text_of_file(folder / (figure->slug + ".svg")).value_or(""),
                   figure->slug + "-", figure->title + ". " + figure->caption);
  }
  return drawings;
}

void add_answers(const Document& document, ReportResult& result) {
  for (const Chapter& chapter : document.chapters) {
    result.has_answer |= chapter.has_answer;
    if (chapter.is_named) result.paragraphs.push_back(chapter.name + ":");
    for (const auto& [question, text, notes] : chapter.answers) {
      auto& paragraph =
          result.paragraphs.emplace_back(question.empty() ? text : cat(question, ' ', text));
      for (const auto& note : notes) paragraph += "\n  - " + note;
    }
    if (!chapter.overlay.empty()) result.paragraphs.push_back(chapter.overlay);
  }
}

}  // namespace

ReportResult write_report(const StudyAnalysis& analysis,
                          const fs::path& out,
                          const WorkloadWords& own_words) {
  const auto document = document_of(analysis, SettingWords(own_words));
  require_own_folder(out);
  make_folder(out);
  ReportResult result;
  result.summary = out / summary_name;
  const auto summary = summary_json(document);
  // It tells whose folder this is, also when the first report there is interrupted.
  if (!is_there(result.summary)) write_file(result.summary, summary);
  const PendingReport pending(out);
  const fs::path& place = pending.folder();
  write_file(place / summary_name, summary);
  for (const auto* folder : {"figures", "tables"}) make_folder(place / folder);
  const bool has_folders = !analysis.runs().folders.empty();
  if (const auto note = completeness_sentence(analysis); has_folders && !note.empty())
    result.notes.push_back(note);
  const auto drawings = draw(figures_of(document), place / "figures", result.notes);
  for (const ReportTable* table : tables_of(document))
    write_file(place / "tables" / (table->slug + ".csv"), to_csv(*table));
  result.page = out / "report.html";
  write_file(place / result.page.filename(), report_page(document, drawings, result.notes));
  pending.publish();
  result.data_runs = analysis.data_runs();
  for (const StudyFlag& flag : analysis.flags()) {
    result.flags.push_back(cat(flag.code, ": ", flag.text));
    result.is_mixed |= flag.is_mixture;
  }
  for (const auto* files : {&analysis.runs().unreadable, &analysis.runs().damaged_plans})
    for (const AbsentRun& file : *files) result.unreadable.push_back(file.reason);
  add_answers(document, result);
  return result;
}

ReportResult write_report(const std::vector<fs::path>& folders,
                          const fs::path& out,
                          const WorkloadWords& own_words,
                          const PublishedInputs& published) {
  return write_report(StudyAnalysis(load_runs(folders), published), out, own_words);
}

}  // namespace scalestudy
