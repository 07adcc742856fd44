/// scalestudy inspect RUN.h5: what a run file holds, whether it is valid, what became of its
/// settings.

#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "record/measures/validity.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "driver/commands/command.hpp"
#include "driver/inspect/inspection_json.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace inspect_parts {

struct InspectOptions {
  std::string path;
  bool all_settings = false;
};

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

/// "1" stands for a pure number.
std::string unit(const Column& column) {
  return column.unit == "1" ? "" : std::string(column.unit);
}

std::string or_none(const std::vector<std::string>& words) {
  return words.empty() ? "none" : join(words, ", ");
}

std::string status_of(const RunHeader& header) {
  std::string text(to_string(header.status));
  if (header.failed_rank >= 0) text += cat(": rank ", header.failed_rank);
  if (!header.failed_phase.empty()) text += cat(" in phase ", header.failed_phase);
  if (!header.reason.empty()) text += cat(": ", header.reason);
  return text;
}

/// As the run's specification has them; "" for none.
std::string injections_of(const RunRecord& record) {
  if (!record.header.has_label(RunLabel::injected)) return "";
  for (const auto& setting : setting_stages(record))
    if (setting.name == "injections") return setting.resolved.value_or("");
  return "";
}

void print_header(const RunRecord& record, std::ostream& out) {
  const auto& header = record.header;
  const bool is_open = record.file.extension() == ".part";
  const auto invalid = validity_codes_of(record);
  out << "Run       " << one_line(header.run_id) << '\n'
      << "File      " << record.file.string() << '\n'
      << "Status    " << one_line(status_of(header)) << '\n';
  if (is_open) out << "          not closed yet: the run is at work, or its driver has died\n";
  out << "Validity  " << (invalid.empty() ? "valid" : "INVALID: " + one_line(or_none(invalid)))
      << '\n'
      << "Labels    " << one_line(or_none(header.labels)) << '\n';
  if (const auto injected = injections_of(record); !injected.empty())
    out << "Injected  " << one_line(injected) << '\n';
  out << "Build     " << one_line(header.build_id) << '\n';
}

void print_summary(const RunRecord& record, std::ostream& out) {
  out << "\nSummary\n";
  TextTable table;
  table.add_column("value", Align::left);
  table.add_column("", Align::right);
  table.add_columns({"unit", "meaning"}, Align::left);
  bool is_empty = true;
  for (const auto& column : columns_of<SummaryRow>) {
    const auto value = record.summary_value(column);
    if (!value) continue;
    is_empty = false;
    table.add_row(
        {std::string(column.name), number(*value), unit(column), std::string(column.description)});
  }
  is_empty ? (void)(out << "  none yet\n") : table.print(out, "  ");
}

std::vector<SettingStages> settings_to_show(const RunRecord& record, bool all) {
  auto settings = setting_stages(record);
  if (!all) std::erase_if(settings, [](const auto& setting) { return !setting.differs(); });
  return settings;
}

void print_settings(const RunRecord& record, bool all, std::ostream& out) {
  const auto settings = settings_to_show(record, all);
  out << (all ? "\nSettings" : "\nSettings that did not stay as they were asked for") << '\n';
  if (settings.empty()) {
    out << "  none\n";
    return;
  }
  TextTable table;
  table.add_columns({"setting", "asked for", "planned", "used"}, Align::left);
  const auto shown = [](const std::optional<std::string>& value) {
    return value ? *value : "not stated";
  };
  for (const auto& setting : settings)
    table.add_row({setting.name, shown(setting.requested), shown(setting.resolved),
                   shown(setting.effective)});
  table.print(out, "  ");
}

std::string size_of(const TableContents& table) {
  if (table.shape.size() == 2) {
    return cat(counted(table.shape[0], "rank"), " x ", grouped_digits(table.shape[1]),
               table.shape[1] == 1 ? " step" : " steps");
  }
  return cat(grouped_digits(table.shape[0]), table.shape[0] == 1 ? " row" : " rows");
}

bool is_text(const ColumnContents& column) {
  return column.column.storage == Storage::text;
}

bool is_without_value(const ColumnContents& column) {
  return is_text(column) ? column.first_text.empty() : !std::isfinite(column.least);
}

void print_table(const TableContents& contents, std::ostream& out) {
  out << '\n' << contents.group << ": " << size_of(contents) << '\n';
  if (contents.shape.back() == 0) return;
  TextTable table;
  table.add_columns({"column", "unit"}, Align::left);
  table.add_columns({"least", "median", "most"}, Align::right);
  table.add_column("meaning", Align::left);
  std::vector<std::string> without_value;
  for (const auto& column : contents.columns) {
    if (is_without_value(column)) {
      without_value.emplace_back(column.column.name);
      continue;
    }
    std::string meaning(column.column.description);
    if (is_text(column)) {
      meaning += cat(" ('", column.first_text, "')");
      table.add_row({std::string(column.column.name), "text", "", "", "", meaning});
      continue;
    }
    if (column.missing_count > 0) {
      meaning += cat(" (", grouped_digits(column.missing_count), " without a value)");
    }
    table.add_row({std::string(column.column.name), unit(column.column), number(column.least),
                   number(column.median), number(column.most), meaning});
  }
  table.print(out, "  ");
  if (!without_value.empty())
    out << wrapped("  without any value: " + join(without_value, ", "), 4) << '\n';
}

void print_run(const RunRecord& record, bool all_settings, std::ostream& out) {
  print_header(record, out);
  print_summary(record, out);
  print_settings(record, all_settings, out);
  for (const auto& table : contents_of(record)) print_table(table, out);
  out << "\n/panels: " << record.panels.size() << '\n';
  for (const auto& panel : record.panels) {
    out << "  " << one_line(panel.name) << ": " << panel.height_px << " x " << panel.width_px
        << " px\n";
  }
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  app.add_option("RUN", options->path, "run.h5, run.h5.part, or the folder that holds one")
      ->required();
  app.add_flag("--all-settings", options->all_settings, "Also the settings that are the same");
  return [options](Context& context) {
    const auto folder = std::filesystem::absolute(options->path).parent_path();
    if (!std::filesystem::is_directory(options->path)) require_inside(folder, options->path);
    refuse_data(options->path);
    const auto record = read_run_file(find_run_file(options->path));
    if (context.options.json) {
      context.out << run_json(record, settings_to_show(record, options->all_settings));
    } else {
      print_run(record, options->all_settings, context.out);
    }
    return ExitCode::done;
  };
}

}  // namespace inspect_parts

extern const Command inspect_command{
    "inspect", "Show what a run recorded, its validity and its settings",
    "scalestudy inspect out/quickstart/runs/noise2void-r1-*-rep0-*/run.h5", inspect_parts::define};

}  // namespace scalestudy
