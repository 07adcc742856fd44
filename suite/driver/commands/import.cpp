/// scalestudy import FORMAT FILE... --out DIR: published studies from files of others.

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "study/fields.hpp"

#include "analysis/importers/importer.hpp"
#include "driver/commands/command.hpp"
#include "driver/terminal/listing.hpp"
#include "driver/terminal/readable_json.hpp"

namespace scalestudy {
namespace import_parts {

namespace fs = std::filesystem;

struct ImportCommandOptions {
  std::string format;
  std::vector<std::string> files;
  std::string out;
  std::string rule;
  ImportFacts facts;
  std::vector<std::string> ranks, samples_per_epoch, global_batch_size, evaluated;
};

/// Errors: BadInput when something else stands there.
void require_free(const fs::path& file, const std::string& text) {
  if (!is_there(file) || readable_text_of_file(file) == text) return;
  throw BadInput({cat("'", file.string(), "' is there already, and says something else"),
                  "it would be lost", "Choose another --out or name, or remove it"});
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw BadInput({cat("cannot make ", folder.string(), ": ", error.message()),
                    "the studies are written there", "Choose another --out"});
}

/// All texts are made, which refuses what is no study, before the first file is written.
std::vector<fs::path> write_studies(const std::vector<PublishedStudy>& studies,
                                    const fs::path& out) {
  std::vector<std::pair<fs::path, std::string>> texts;
  for (const auto& study : studies) {
    texts.emplace_back(out / (study.name + ".json"), readable_json(to_json(study)));
    require_free(texts.back().first, texts.back().second);
  }
  make_folder(out);
  std::vector<fs::path> files;
  for (const auto& [file, text] : texts) {
    replace_file(file, text, "the published study is written there");
    files.push_back(file);
  }
  return files;
}

std::size_t run_count(const PublishedStudy& study) {
  std::size_t count = 0;
  for (const auto& arm : study.arms) count += arm.runs.size();
  return count;
}

void print(const Imported& imported, const std::vector<fs::path>& files, Context& context) {
  for (std::size_t i = 0; i < files.size(); ++i)
    context.out << files[i].string() << ": " << counted(imported.studies[i].arms.size(), "arm")
                << ", " << counted(run_count(imported.studies[i]), "run") << '\n';
  for (const auto& note : imported.notes) context.err << one_line(note) << '\n';
  if (!files.empty())
    context.out << "Next: scalestudy report "
                << (files.size() == 1 ? files[0] : files[0].parent_path()).string() << '\n';
}

void print_json(const Imported& imported, const std::vector<fs::path>& files, Context& context) {
  nlohmann::json names = nlohmann::json::array();
  for (const auto& file : files) names.push_back(file.string());
  context.out << json_text_of({{"files", names}, {"notes", imported.notes}});
}

ExitCode import_studies(const ImportCommandOptions& options, Context& context) {
  const auto format = choice_from<ImportFormat>(options.format, "FORMAT");
  auto facts = options.facts;
  if (!options.rule.empty())
    facts.scaling_rule = choice_from<PublishedRule>(options.rule, "--rule");
  facts.ranks = numbers_of_files(options.ranks, "--ranks");
  facts.samples_per_epoch = numbers_of_files(options.samples_per_epoch, "--samples-per-epoch");
  facts.global_batch_size = numbers_of_files(options.global_batch_size, "--global-batch-size");
  facts.evaluated_sample_count = numbers_of_files(options.evaluated, "--evaluated");
  const auto imported = import_files(format, {options.files.begin(), options.files.end()}, facts);
  const auto files = write_studies(imported.studies, options.out);
  context.options.json ? print_json(imported, files, context) : print(imported, files, context);
  return files.empty() ? ExitCode::undecided : ExitCode::done;
}

void add_text(CLI::App& app, const char* name, std::string& text, const char* help) {
  app.add_option(name, text, help)->type_name("TEXT");
}

void add_numbers(CLI::App& app,
                 const char* name,
                 std::vector<std::string>& numbers,
                 const char* help) {
  app.add_option(name, numbers, help)->type_name("N[,N...]");
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ImportCommandOptions>();
  auto& facts = options->facts;
  app.add_option("FORMAT", options->format, explained(named_choices<ImportFormat>()))->required();
  app.add_option("FILE", options->files, "Files of that format")->required();
  app.add_option("--out", options->out, "Folder for the studies")->type_name("DIR")->required();
  add_numbers(app, "--ranks", options->ranks, "Of logs: one number for all files, or one for each");
  add_numbers(app, "--samples-per-epoch", options->samples_per_epoch,
              "Likewise, dropped ones not counted");
  add_numbers(app, "--global-batch-size", options->global_batch_size, "Likewise");
  add_numbers(app, "--evaluated", options->evaluated,
              "Likewise, how many samples the quality was judged on");
  add_text(app, "--name", facts.name, "Of logs: what the study is called, a-z, 0-9 and -");
  add_text(app, "--source", facts.source, "Where it is published: repository or address");
  add_text(app, "--commit", facts.commit, "Which version of it");
  add_text(app, "--title", facts.title, "What was compared, for people");
  add_text(app, "--workload", facts.workload, "What was trained");
  add_text(app, "--samples", facts.sample_noun, "What is counted as samples: images, patches");
  add_text(app, "--arm", facts.arm, "What the curve is called");
  add_text(app, "--device", facts.device, "What a rank computed on");
  add_text(app, "--precision", facts.precision, "As the source calls it");
  app.add_option("--rule", options->rule, join(names_of(named_choices<PublishedRule>()), ", "))
      ->type_name("RULE");
  return [options](Context& context) { return import_studies(*options, context); };
}

}  // namespace import_parts

extern const Command import_command{
    "import", "Import published results of others (logs, tables) for report",
    "scalestudy import mllog result_*.txt --ranks 8 --name dell --source URL --out out/published\n"
    "scalestudy import epoch-csv log_1.csv log_2.csv --ranks 1,2 --name theirs --source URL "
    "--workload unet --samples-per-epoch 1792 --out out/published\n"
    "scalestudy import published-csv published.csv --out out/published",
    import_parts::define};

}  // namespace scalestudy
