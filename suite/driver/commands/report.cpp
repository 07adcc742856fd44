/// scalestudy report DIR...: what the study shows, as a self-contained page with figures and
/// tables.

#include "analysis/report/page/report.hpp"

#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "study/shipped_files.hpp"

#include "record/study_folder/study_folder.hpp"

#include "driver/commands/command.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/inspect/unreadable_runs.hpp"
#include "driver/terminal/text_table.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace report_parts {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;
  std::vector<std::string> overlays;
  bool accept_mixed = false;
};

/// What the arguments name.
struct ReportInputs {
  std::vector<std::filesystem::path> folders;  ///< of studies
  PublishedInputs published;
};

/// A file is a published study, a folder may hold some.
ReportInputs inputs_of(const std::vector<std::string>& arguments, const ShippedFiles& shipped) {
  ReportInputs inputs;
  for (const auto& argument : arguments) {
    if (const auto file = published_named(argument, shipped)) {
      inputs.published.studies.push_back(read_published_study(*file));
      continue;
    }
    const std::filesystem::path path = argument;
    const auto files =
        is_study_folder(path) ? std::vector<std::filesystem::path>() : published_files(path);
    for (const auto& file : files) inputs.published.studies.push_back(read_published_study(file));
    if (!files.empty()) continue;
    require_study_folder(path);
    inputs.folders.push_back(path);
  }
  return inputs;
}

/// Errors: BadInput when there is nothing to draw them into.
std::vector<PublishedStudy> overlays_named(const std::vector<std::string>& names,
                                           const ReportInputs& inputs,
                                           const Context& context) {
  if (!names.empty() && inputs.folders.empty())
    throw BadInput({"--overlay has no effect here", "it draws into figures of measured studies",
                    "Name a study folder too, or leave it out"});
  std::vector<PublishedStudy> overlays;
  for (const auto& name : names)
    overlays.push_back(read_published_study(ShippedFiles(context.executable).find_published(name)));
  return overlays;
}

/// report/ in the first folder, or beside the first file.
std::filesystem::path own_place(const std::filesystem::path& first) {
  const auto folder = std::filesystem::is_directory(first) ? first : first.parent_path();
  auto out = folder / "report";
  if (!folder.empty()) require_inside(folder, out);
  return out;
}

/// A terminal would break lines within words.
void print_paragraph(const std::string& text, Context& context) {
  for (const auto& line : split(text, '\n'))
    context.out << (context.out_is_terminal ? wrapped(line, line.starts_with("  - ") ? 4 : 0)
                                            : line)
                << '\n';
  context.out << '\n';
}

void print_result(const ReportResult& result, Context& context) {
  for (const std::string& text : result.flags) print_paragraph(text, context);
  for (const std::string& text : result.paragraphs)
    if (!text.empty()) print_paragraph(text, context);
  for (const std::string& note : result.notes) context.err << one_line(note) << '\n';
  context.out << "Report: " << result.page.string() << '\n';
}

/// The report keeps them apart, which is no answer to what was asked.
void refuse_mixture(const ReportResult& result) {
  if (!result.is_mixed) return;
  throw BadInput({"runs that are not comparable are given together, see above",
                  "they are not compared with each other",
                  "Report each on its own, or accept groups of their own with --accept-mixed"});
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  app.add_option("DIR", options->folders,
                 "Study folders made by `scalestudy run --out DIR`; published studies, by name "
                 "(`scalestudy list published`), as files or folders of them")
      ->required();
  app.add_option("--out", options->out, "Where the report goes (default: report/ in the first DIR)")
      ->type_name("FOLDER");
  app.add_option("--overlay", options->overlays,
                 "Published points in the speed-up figure: a shipped study (`scalestudy list "
                 "published`) or a file; can be repeated")
      ->type_name("NAME|FILE")
      ->take_all()
      ->expected(1);
  app.add_flag(
      "--accept-mixed", options->accept_mixed,
      "Report runs of different settings, studies, builds, machines, libraries or data as separate "
      "groups, without an error");
  return [options](Context& context) {
    auto inputs = inputs_of(options->folders, ShippedFiles(context.executable));
    inputs.published.overlays = overlays_named(options->overlays, inputs, context);
    const std::filesystem::path out = options->out.empty() ? own_place(options->folders.front())
                                                           : std::filesystem::path(options->out);
    const ReportResult result = write_report(
        inputs.folders, out, words_of_workloads(workload_catalogue()), inputs.published);
    if (context.options.json) {
      context.out << std::ifstream(result.summary).rdbuf();
    } else {
      print_result(result, context);
    }
    // The report lists damaged files and is complete without them; the caller still has to know.
    refuse_unreadable(result.unreadable, "the report goes without them",
                      "in the report's run table");
    if (!options->accept_mixed) refuse_mixture(result);
    return result.has_answer ? ExitCode::done : ExitCode::undecided;
  };
}

}  // namespace report_parts

extern const Command report_command{"report", "Write an HTML report of one or more study folders",
                                    "scalestudy report out/quickstart\n"
                                    "scalestudy report out/quickstart --overlay biapol-n2v",
                                    report_parts::define};

}  // namespace scalestudy
