/// scalestudy report DIR...: the page, figures and tables of one or more study folders.

#include "analysis/report/report.hpp"

#include <memory>

#include <CLI/CLI.hpp>

#include "core/text.hpp"

#include "app/command.hpp"
#include "app/output_json.hpp"

namespace scalestudy {
namespace {

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;
};

void print_report(const ReportResult& report, Context& context) {
  for (const auto& line : report.headlines) context.out << line << '\n';
  context.out << "Report: " << report.page.string() << '\n';
  if (context.options.quiet) return;
  for (const auto& note : report.notes) context.err << "note: " << note << '\n';
  for (const auto& file : report.unreadable) context.err << "left out: " << file << '\n';
}

ExitCode write(Context& context, const ReportOptions& options) {
  const std::vector<std::filesystem::path> folders(options.folders.begin(), options.folders.end());
  const auto out =
      options.out.empty() ? folders.front() / "report" : std::filesystem::path(options.out);
  const auto report = write_report(folders, out);
  if (context.options.json) {
    context.out << report_json(report);
  } else {
    print_report(report, context);
  }
  if (!report.unreadable.empty()) return ExitCode::bad_input;
  return report.data_runs > 0 ? ExitCode::done : ExitCode::undecided;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  app.add_option("DIR", options->folders, "Folders of studies")->required();
  app.add_option("--out", options->out, "Where to write; without it DIR/report")->type_name("DIR");
  return [options](Context& context) { return write(context, *options); };
}

}  // namespace

extern const Command report_command;
const Command report_command{"report", "Write report.html, figures and tables of studies",
                             "scalestudy report results/quickstart", define};

}  // namespace scalestudy
