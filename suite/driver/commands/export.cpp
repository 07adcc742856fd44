/// scalestudy export DIR --to FORMAT: what runs recorded, for other programs.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/ascii.hpp"
#include "core/choice.hpp"
#include "core/error.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

#include "analysis/export/chrome_trace.hpp"
#include "analysis/export/table_lines.hpp"
#include "driver/commands/command.hpp"
#include "driver/export/export_folder.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/inspect/run_contents.hpp"
#include "driver/inspect/unreadable_runs.hpp"
#include "driver/terminal/listing.hpp"
#include "driver/terminal/readable_json.hpp"

namespace scalestudy {

enum class ExportFormat { csv, json, chrome_trace };
template <>
inline constexpr auto choices<ExportFormat> =
    std::array{Choice{ExportFormat::csv, "csv", "a file for each table, all runs in it"},
               Choice{ExportFormat::json, "json", "likewise, as JSON Lines"},
               Choice{ExportFormat::chrome_trace, "chrome-trace",
                      "a file for each run, its steps for Perfetto and chrome://tracing"}};

namespace export_parts {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string path;
  std::string format;
  std::string out;
  std::string steps;
};

[[noreturn]] void refuse_steps(const std::string& text, const std::string& problem) {
  throw BadInput({cat("--steps ", text, " ", problem), "it says which steps are exported",
                  "Give two whole numbers, the second one greater, as 100:120 for 100 to 119"});
}

std::int64_t step_number(std::string_view digits, const std::string& text) {
  std::int64_t number = 0;
  const auto* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) refuse_steps(text, "is no range of steps");
  return number;
}

/// Nothing: the format's own choice.
std::optional<StepRange> steps_asked_for(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto colon = text.find(':');
  if (colon == std::string::npos) refuse_steps(text, "is no range of steps");
  const std::string_view view = text;
  const StepRange range{step_number(view.substr(0, colon), text),
                        step_number(view.substr(colon + 1), text)};
  if (range.end <= range.first) refuse_steps(text, "holds no step");
  return range;
}

struct FoundRuns {
  fs::path folder;  ///< they lie in it
  std::vector<fs::path> files;
};

FoundRuns runs_in(const fs::path& path) {
  refuse_data(path);
  if (fs::is_directory(path) && is_study_folder(path)) {
    auto files = StudyFolder(path).result_files();
    if (files.empty())
      throw BadInput({cat("'", path.string(), "' holds no run"), "there is nothing to export",
                      "Run the study first: scalestudy run STUDY --out DIR"});
    return {path, std::move(files)};
  }
  const auto file = find_run_file(path);
  auto folder = fs::is_directory(path) ? path : fs::absolute(path).parent_path();
  return {std::move(folder), {file}};
}

/// Run ids come from files of others.
std::string file_name_of(std::string run_id) {
  for (char& c : run_id)
    if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_' && c != '.') c = '_';
  return cat(run_id.substr(0, 200), ".trace.json");
}

class Export {
 public:
  Export(ExportFormat format, std::optional<StepRange> steps, const fs::path& out)
      : format_(format), steps_(steps), folder_(out) {}

  void add(const RunRecord& record) {
    const bool is_trace = format_ == ExportFormat::chrome_trace;
    const auto steps = steps_.value_or(is_trace ? middle_steps(record) : StepRange());
    const auto count = record.steps.steps();
    most_steps_ = std::max(most_steps_, count);
    if ((is_trace || steps_) && steps.first >= count)
      notes_.push_back(
          cat(record.header.run_id, " has ", counted(count, "step"), ": none of them is exported"));
    is_trace ? add_trace(record, steps) : add_rows(record, steps);
    ++run_count_;
  }

  /// Errors: BadInput when no run has a step that was asked for.
  void require_steps() const {
    if (!steps_ || steps_->first < most_steps_) return;
    throw BadInput(
        {cat("--steps ", steps_->first, ":", steps_->end, " holds no step of these runs"),
         cat("the longest has ", counted(most_steps_, "step"), ", counted from 0"),
         most_steps_ > 0 ? cat("Give a range in 0:", most_steps_) : "Leave it out"});
  }

  void publish(const std::vector<std::string>& left_out) {
    nlohmann::ordered_json description{{"format", "scalestudy-export"},
                                       {"to", to_string(format_)},
                                       {"build_id", build_id()},
                                       {"runs", run_count_},
                                       {"left_out", left_out}};
    if (steps_) description["steps"] = {steps_->first, steps_->end};
    file_count_ = folder_.file_count();
    folder_.publish(readable_json(description));
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }

  [[nodiscard]] std::size_t run_count() const { return run_count_; }
  [[nodiscard]] std::size_t file_count() const { return file_count_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add_trace(const RunRecord& record, const StepRange& steps) {
    const auto name = file_name_of(record.header.run_id);
    bool is_new = false;
    write_chrome_trace(record, steps, folder_.file(name, is_new));
    folder_.close(name);
  }

  void add_rows(const RunRecord& record, const StepRange& steps) {
    const bool is_csv = format_ == ExportFormat::csv;
    visit_rows(record, steps, [&](const ExportTable& table, const std::vector<ExportCell>& cells) {
      bool is_new = false;
      auto& file = folder_.file(table.name + (is_csv ? ".csv" : ".jsonl"), is_new);
      if (is_csv && is_new) file << csv_header(table);
      file << (is_csv ? csv_line(cells) : json_line(table, cells));
    });
  }

  ExportFormat format_;
  std::optional<StepRange> steps_;
  ExportFolder folder_;
  std::int64_t most_steps_ = 0;
  std::size_t run_count_ = 0;
  std::size_t file_count_ = 0;
  std::vector<std::string> notes_;
};

/// What cannot be read is left out; returns why. A copy of what is exported is noted.
std::vector<std::string> add_all(const FoundRuns& runs, Export& exported) {
  std::vector<std::string> reasons;
  std::vector<RunFacts> strays;
  std::set<std::string> contents;
  RunFileReader reader;
  for (std::size_t i = 0; i < runs.files.size(); ++i) {
    const auto& file = runs.files[i];
    const bool has_next = i + 1 < runs.files.size() && is_inside(runs.folder, runs.files[i + 1]);
    try {
      require_inside(runs.folder, file);
      const auto record = reader.read(file, has_next ? runs.files[i + 1] : fs::path());
      if (!is_in_own_folder(record)) {
        strays.push_back(record);
        continue;
      }
      exported.add(record);
      contents.insert(record.content_sha256);
    } catch (const BadInput& error) {
      reasons.push_back(visible(error.what()));
    }
  }
  for (const auto& stray : strays) {
    try {
      if (!contents.contains(stray.content_sha256)) require_own_folder(stray);
      exported.note(cat(stray.file.string(), " is a copy of run ", stray.header.run_id,
                        ": it is exported once"));
    } catch (const BadInput& error) {
      reasons.push_back(visible(error.what()));
    }
  }
  return reasons;
}

fs::path place_of(const ExportOptions& options, const FoundRuns& runs) {
  if (!options.out.empty()) return options.out;
  auto place = runs.folder / "export" / options.format;
  require_inside(runs.folder, place);
  return place;
}

void print(const Export& exported, ExportFormat format, const fs::path& out, Context& context) {
  if (context.options.json) {
    context.out << json_text_of({{"folder", out.string()},
                                 {"files", exported.file_count()},
                                 {"runs", exported.run_count()},
                                 {"notes", exported.notes()}});
    return;
  }
  for (const auto& note : exported.notes()) context.err << one_line(note) << '\n';
  context.out << counted(exported.run_count(), "run") << " in "
              << counted(exported.file_count(), "file") << ": " << out.string() << '\n';
  if (format == ExportFormat::chrome_trace)
    context.out << "Open them in https://ui.perfetto.dev or chrome://tracing.\n";
}

ExitCode export_runs(const ExportOptions& options, Context& context) {
  const auto format = choice_from<ExportFormat>(options.format, "--to");
  const auto steps = steps_asked_for(options.steps);
  const auto runs = runs_in(options.path);
  const auto out = place_of(options, runs);
  Export exported(format, steps, out);
  const auto reasons = add_all(runs, exported);
  if (exported.run_count() > 0) {
    exported.require_steps();
    exported.publish(reasons);
    print(exported, format, out, context);
  }
  refuse_unreadable(reasons, "the export goes without them",
                    "in the run table of scalestudy report");
  return ExitCode::done;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  app.add_option("DIR", options->path,
                 "Folder of a study or of one run, or a run file (run.h5, run.h5.part)")
      ->required();
  app.add_option("--to", options->format, explained(named_choices<ExportFormat>()))
      ->type_name("FORMAT")
      ->required();
  app.add_option("--out", options->out,
                 "Folder for the files (default: export/FORMAT in DIR); an export that is there is "
                 "replaced")
      ->type_name("FOLDER");
  app.add_option("--steps", options->steps,
                 cat("Only the steps from A up to, not including, B (default: all; in traces ",
                     default_trace_steps, " in the middle of the steady ones)"))
      ->type_name("A:B");
  return [options](Context& context) { return export_runs(*options, context); };
}

}  // namespace export_parts

extern const Command export_command{
    "export", "Write what runs recorded for other programs",
    "scalestudy export out/quickstart --to csv\n"
    "scalestudy export out/quickstart --to chrome-trace --steps 100:120",
    export_parts::define};

}  // namespace scalestudy
