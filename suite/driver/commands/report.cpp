/// scalestudy report DIR...: what the study shows, as a self-contained page with figures and
/// tables.

#include "analysis/report/report.hpp"

#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "study/study.hpp"

#include "record/study_folder.hpp"

#include "driver/commands/command.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;
  bool accept_mixed = false;
};

void print_result(const ReportResult& result, Context& context) {
  for (const std::string& text : result.flags) context.out << text << "\n\n";
  for (const std::string& text : result.paragraphs)
    if (!text.empty()) context.out << text << "\n\n";
  for (const std::string& note : result.notes) context.err << one_line(note) << '\n';
  context.out << "Report: " << result.page.string() << '\n';
}

/// The report lists damaged files and is complete without them; the caller still has to know.
void refuse_unreadable(const ReportResult& result) {
  if (result.unreadable.empty()) return;
  auto list = join(first_of(result.unreadable, 20, "in the report's run table"), "\n  ");
  if (list.ends_with('.')) list.pop_back();
  throw BadInput({counted(result.unreadable.size(), "file") + " could not be read",
                  "the report goes without them", "What to do about each:\n  " + list});
}

/// The report keeps them apart, which is no answer to what was asked.
void refuse_mixture(const ReportResult& result) {
  if (!result.is_mixed) return;
  throw BadInput({"runs of several origins are mixed, see above",
                  "they are not compared with each other",
                  "Report each on its own, or accept groups of their own with --accept-mixed"});
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  app.add_option("DIR", options->folders, "Study folders made by `scalestudy run --out DIR`")
      ->required();
  app.add_option("--out", options->out, "Where the report goes (default: report/ in the first DIR)")
      ->type_name("FOLDER");
  app.add_flag(
      "--accept-mixed", options->accept_mixed,
      "Runs of several studies, builds, machines, libraries or data are groups of their own, "
      "and no error");
  return [options](Context& context) {
    const std::vector<std::filesystem::path> folders(options->folders.begin(),
                                                     options->folders.end());
    for (const auto& folder : folders) require_study_folder(folder);
    const std::filesystem::path out =
        options->out.empty() ? folders.front() / "report" : std::filesystem::path(options->out);
    if (options->out.empty()) require_inside(folders.front(), out);
    const ReportResult result =
        write_report(folders, out, words_of_workloads(workload_catalogue()));
    if (context.options.json) {
      context.out << std::ifstream(result.summary).rdbuf();
    } else {
      print_result(result, context);
    }
    refuse_unreadable(result);
    if (!options->accept_mixed) refuse_mixture(result);
    return result.has_answer ? ExitCode::done : ExitCode::undecided;
  };
}

}  // namespace

extern const Command report_command;
const Command report_command{"report", "Show what one or more study folders say, as an HTML page",
                             "scalestudy report out/quickstart", define};

}  // namespace scalestudy
