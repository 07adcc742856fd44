#include "analysis/importers/importer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "core/ascii.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/importers/formats.hpp"
#include "analysis/importers/log_text.hpp"
#include "analysis/importers/one_launch.hpp"
#include "analysis/importers/runs_together.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using LogReader = std::vector<ImportedRun> (*)(const std::string&, const std::string&);

std::string shown(const fs::path& file) {
  return one_line(file.filename().string());
}

/// By which messages name it: with its folder where another has the same name.
std::string name_among(const fs::path& file, const std::vector<fs::path>& files) {
  const auto is_namesake = [&](const fs::path& other) {
    return other.filename() == file.filename();
  };
  return std::ranges::count_if(files, is_namesake) == 1 ? shown(file) : one_line(file.string());
}

std::string text_of(const fs::path& file) {
  try {
    auto bytes = text_of_file(file);
    if (const auto packing = packing_of(bytes); !packing.empty())
      throw BadInput({cat(one_line(file.string()), " is packed with ", packing),
                      "its text is to be read",
                      packing == "zip" ? "Save a spreadsheet as CSV; unpack anything else"
                                       : "Unpack it and give what comes out"});
    auto text = plain_text_of(std::move(bytes));
    if (text.empty())
      throw BadInput({cat(one_line(file.string()), " is empty"), "its numbers are to be imported",
                      "Copy it again from where it came from"});
    return text;
  } catch (const std::system_error& error) {
    throw BadInput({cat("cannot read ", one_line(file.string()), ": ", error.code().message()),
                    "its numbers are to be imported", "Check the path"});
  }
}

/// Of the i-th of so many files; NaN where it is not said.
double value_at(const std::vector<double>& values,
                std::size_t i,
                std::size_t files,
                const char* option) {
  if (values.empty()) return not_available;
  if (values.size() == 1) return values.front();
  if (values.size() != files)
    throw BadInput(
        {cat(option, " has ", counted(values.size(), "value"), " for ", counted(files, "file")),
         comma_between, "Give one value for all, or one for each file"});
  return values[i];
}

void require_fact(const std::string& fact, const char* option, const char* why) {
  if (fact.empty()) throw BadInput({cat(option, " is missing"), why, cat("Give ", option)});
}

/// 8 of "XE9680x8H100-SXM-80GB": so many GPUs has each machine of this name; 1 where it does not
/// say.
double count_in_machine(std::string_view name) {
  for (auto at = name.find('x', 1); at != std::string_view::npos; at = name.find('x', at + 1)) {
    std::int64_t count = 0;
    const auto* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + at + 1, end, count);
    const bool is_of_gpus =
        rest != end && is_letter(*rest) && (is_letter(name[at - 1]) || is_digit(name[at - 1]));
    if (error == std::errc() && is_of_gpus && count > 0 && count <= 72)
      return static_cast<double>(count);
  }
  return 1;
}

/// "XE8545x2-4xA100" -> 8, "C4140-K-4xV100" -> 4; NaN where no such part says it.
double count_behind_dash(std::string_view platform) {
  for (auto at = platform.find('-'); at != std::string_view::npos;
       at = platform.find('-', at + 1)) {
    double count = 0, machines = 1;
    const auto* const end = platform.data() + platform.size();
    const auto [rest, error] = std::from_chars(platform.data() + at + 1, end, count);
    if (error != std::errc() || end - rest < 2 || *rest != 'x' || !is_letter(rest[1])) continue;
    const auto x = platform.rfind('x', at);
    if (x != std::string_view::npos) {
      double number = 0;
      const auto* const dash = platform.data() + at;
      if (std::from_chars(platform.data() + x + 1, dash, number).ptr == dash) machines = number;
    }
    return machines * count;
  }
  return not_available;
}

/// "4xA100" -> 4, "32xDGX" -> 32, of GPUs or of machines; "2xXE9680x8H100" -> 16; NaN where none is
/// said.
double count_in_platform(std::string_view platform) {
  double count = 0;
  const auto [end, error] =
      std::from_chars(platform.data(), platform.data() + platform.size(), count);
  const auto rest = platform.substr(static_cast<std::size_t>(end - platform.data()));
  if (error != std::errc() || rest.find_first_of("xX") != 0) return count_behind_dash(platform);
  return count * count_in_machine(rest.substr(1));
}

/// "2x DGX A100", "2xp4d.24xlarge": each has several GPUs.
bool names_machines(const std::string& platform) {
  constexpr std::array names{"dgx", "hgx", "p3.", "p3dn.",      "p4d.",  "p4de.",
                             "p5.", "a2-", "a3-", "standard_n", "bm.gpu"};
  const auto text = in_lower_case(platform);
  return std::ranges::any_of(
      names, [&](const char* name) { return text.find(name) != std::string::npos; });
}

/// Errors: BadInput when the log says another number of ranks.
double ranks_of(const ImportedRun& imported, double given) {
  const auto& [stated, name] = imported.ranks;
  if (!std::isfinite(given)) return stated;
  if (std::isfinite(stated) && given != stated)
    throw BadInput(
        {cat(imported.place, " says ", name, ' ', stated, ", --ranks ", given),
         "a point has its place by it, and one of them is wrong",
         name == number_of_ranks
             ? "Leave --ranks out, or give the log of that many ranks"
             : cat("Correct --ranks, or take ", name, " out if it counts something else")});
  return given;
}

/// What is given beats what the log says, which is noted.
void apply(const ImportFacts& facts, std::size_t i, std::size_t files, ImportedRun& imported) {
  auto& run = imported.run;
  const double ranks = ranks_of(imported, value_at(facts.ranks, i, files, "--ranks"));
  if (!std::isfinite(ranks))
    throw BadInput({"--ranks is missing", "the logs do not say how many ranks ran",
                    "Give one number for all files, or one for each: --ranks 1,2,4"});
  if (!(ranks >= 1 && ranks <= 1e6 && ranks == std::floor(ranks)))
    throw BadInput({cat("--ranks: ", ranks, " is no number of ranks"),
                    "a point has its place by it", "Give whole numbers from 1 on"});
  run.ranks = static_cast<std::int64_t>(ranks);
  if (facts.ranks.empty() && imported.ranks.name != number_of_ranks)
    imported.remarks.push_back(cat("its ", imported.ranks.name, " counts as ranks"));
  const double platform_count = count_in_platform(run.platform);
  if (!std::isfinite(imported.ranks.count) && std::isfinite(platform_count) &&
      platform_count != ranks)
    imported.remarks.push_back(
        cat("--ranks ", ranks, " counts, where the platform is ", one_line(run.platform)));
  if (!std::isfinite(imported.ranks.count) && platform_count == ranks &&
      names_machines(run.platform))
    imported.remarks.push_back(cat("--ranks ", ranks, " counts ranks, and the platform ",
                                   one_line(run.platform), " as many machines of several GPUs"));
  const auto& mentioned = imported.mentioned_ranks;
  if (!facts.ranks.empty() && std::fmod(ranks, mentioned.count) > 0)
    imported.remarks.push_back(cat("--ranks ", ranks, " counts, where a comment says ",
                                   mentioned.count, ' ', mentioned.name));
  const auto set = [&](double& number, const std::vector<double>& given, const char* option) {
    const double value = value_at(given, i, files, option);
    if (given.empty()) return;
    if (!(value >= 1 && value <= most_of_anything))
      throw BadInput(
          {cat(option, ": ", value, " is no count"), comma_between, "Give numbers from 1 on"});
    if (std::isfinite(number) && number != value)
      imported.remarks.push_back(
          fmt::format("{} {} counts, where the log says {}", option, value, number));
    number = value;
  };
  set(run.samples_per_epoch, facts.samples_per_epoch, "--samples-per-epoch");
  set(run.global_batch_size, facts.global_batch_size, "--global-batch-size");
  set(run.evaluated_sample_count, facts.evaluated_sample_count, "--evaluated");
  if (!(facts.global_batch_size.empty() && facts.samples_per_epoch.empty()) &&
      run.global_batch_size > run.samples_per_epoch)
    imported.remarks.push_back(
        cat("a global batch of ", static_cast<std::int64_t>(run.global_batch_size),
            " is more than the ", static_cast<std::int64_t>(run.samples_per_epoch),
            " samples of an epoch"));
  if (!std::isfinite(imported.samples)) return;
  if (!std::isfinite(run.samples_per_epoch)) run.samples_per_epoch = imported.samples;
  run.epochs = imported.samples / run.samples_per_epoch;
  imported.computed.emplace_back("epochs");
}

/// Of all runs; "" where they differ.
std::string common(const std::vector<ImportedRun>& runs, std::string (*text)(const ImportedRun&)) {
  for (const auto& run : runs)
    if (text(run) != text(runs.front())) return "";
  return text(runs.front());
}

std::string workload_of(const std::vector<ImportedRun>& runs) {
  for (const auto& run : runs)
    if (run.workload != runs.front().workload)
      throw BadInput({cat(run.place, " trains '", one_line(run.workload), "', ", runs.front().place,
                          " '", one_line(runs.front().workload), "'"),
                      "a study is of one workload", "Import each with a --name of its own"});
  return one_line(runs.front().workload);
}

/// Of a log that says all three: "resnet, Acme, 4xA100", without what runs differ in.
std::string title_of(const std::vector<ImportedRun>& runs) {
  if (runs.front().organisation.empty() || runs.front().run.platform.empty()) return "";
  std::vector<std::string> parts{runs.front().workload,
                                 common(runs, [](const auto& run) { return run.organisation; }),
                                 common(runs, [](const auto& run) { return run.run.platform; })};
  std::erase(parts, "");
  return one_line(join(parts, ", "));
}

/// "16" and "2" of "log_16gpu_2.csv"
std::vector<double> numbers_in(const std::string& name) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at])) continue;
    const auto end = std::min(name.find_first_not_of("0123456789", at), name.size());
    numbers.push_back(std::stod(name.substr(at, end - at)));
    at = end;
  }
  return numbers;
}

/// A shell sorts "log_16" before "log_8".
void require_ranks_as_named(const std::vector<fs::path>& files, const std::vector<double>& ranks) {
  if (files.size() != ranks.size()) return;
  std::vector<std::vector<double>> names;
  for (const auto& file : files) names.push_back(numbers_in(name_among(file, files)));
  for (std::size_t k = 0; k < names.front().size(); ++k) {
    std::vector<double> named;
    for (const auto& numbers : names)
      if (numbers.size() == names.front().size()) named.push_back(numbers[k]);
    if (named == ranks) return;
    if (!std::ranges::is_permutation(named, ranks)) continue;
    const auto wrong = std::ranges::mismatch(named, ranks).in1 - named.begin();
    const auto at = static_cast<std::size_t>(wrong);
    throw BadInput({cat("--ranks gives ", shown(files[at]), ' ', ranks[at],
                        ": the names of the files have its numbers in another order"),
                    "a point has its place by it",
                    cat("Give --ranks ", join(named, ","),
                        ", or rename the files where they number something else")});
  }
}

/// Launches of one point are of one machine: where they are not, each platform is an arm.
std::vector<PublishedArm> arms_by_platform(PublishedArm all) {
  std::map<std::int64_t, std::set<std::string>> platforms;
  for (const auto& run : all.runs) platforms[run.ranks].insert(run.platform);
  if (std::ranges::all_of(platforms, [](const auto& at) { return at.second.size() == 1; }))
    return {std::move(all)};
  std::vector<PublishedArm> arms;
  for (const auto& run : all.runs) {
    const auto name = run.platform.empty() ? "platform not stated" : run.platform;
    auto arm = std::ranges::find(arms, name, &PublishedArm::name);
    if (arm == arms.end()) {
      arms.push_back(all);
      arm = std::prev(arms.end());
      arm->name = name;
      arm->runs.clear();
    }
    arm->runs.push_back(run);
  }
  return arms;
}

std::vector<ImportedRun> read_logs(const std::vector<fs::path>& files,
                                   const ImportFacts& facts,
                                   LogReader read) {
  std::vector<ImportedRun> all;
  Spelling spelling;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (auto& one : read(text_of(files[i]), name_among(files[i], files))) {
      apply(facts, i, files.size(), one);
      one.run.platform = one_line(one.run.platform);
      for (auto* name : {&one.run.platform, &one.workload, &one.organisation})
        *name = spelling.of(*name);
      all.push_back(std::move(one));
    }
  return one_of_each_launch(std::move(all));
}

/// With the name of its log in front, once.
std::string placed(const std::string& place, const std::string& text) {
  return text.starts_with(cat(place, ", line ")) ? text : cat(place, ": ", text);
}

/// What the report is to say of the import: each text once, with the logs that it is of.
std::string remark_of(const std::vector<ImportedRun>& runs) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> places;
  for (const auto& run : runs)
    for (const auto& text : run.remarks) {
      add_unique(texts, text);
      add_unique(places[text], run.place);
    }
  for (auto& text : texts) text = placed(join(first_of(places[text], 3, "so"), ", "), text);
  if (texts.empty()) return "";
  return shortened(cat("When imported: ", join(first_of(texts, 5, "noted"), "; "), "."), 900);
}

PublishedArm arm_of(const std::vector<ImportedRun>& runs, const ImportFacts& facts) {
  PublishedArm arm;
  for (const auto& one : runs) {
    arm.runs.push_back(one.run);
    if (arm.quality_metric.empty()) arm.quality_metric = one.quality_metric;
    for (const auto& name : one.computed) add_unique(arm.computed, name);
  }
  arm.name = facts.arm.empty() ? "all" : facts.arm;
  arm.device = facts.device;
  arm.precision = facts.precision;
  arm.scaling_rule = facts.scaling_rule;
  arm.remark = remark_of(runs);
  return arm;
}

/// All runs of one study.
Imported study_from_logs(const std::vector<fs::path>& files,
                         const ImportFacts& facts,
                         LogReader read) {
  require_fact(facts.name, "--name", "the study and its file are called by it");
  require_fact(facts.source, "--source", "a published number without its source says nothing");
  require_ranks_as_named(files, facts.ranks);
  auto runs = read_logs(files, facts, read);
  look_at_together(runs, facts.scaling_rule);
  Imported imported;
  PublishedStudy study;
  for (const auto& one : runs)
    for (const auto* notes : {&one.remarks, &one.notes})
      for (const auto& note : *notes) imported.notes.push_back(placed(one.place, note));
  const auto found = workload_of(runs);
  study.workload = facts.workload.empty() ? found : facts.workload;
  require_fact(study.workload, "--workload", "the logs do not say what was trained");
  study.name = facts.name;
  study.title = facts.title.empty() ? title_of(runs) : facts.title;
  if (study.title.empty()) study.title = cat(study.workload, ": ", facts.name);
  study.repository = facts.source;
  study.commit = facts.commit;
  if (!facts.sample_noun.empty()) study.sample_noun = facts.sample_noun;
  study.arms = arms_by_platform(arm_of(runs, facts));
  imported.studies = {std::move(study)};
  return imported;
}

Imported studies_from_tables(const std::vector<fs::path>& files, const ImportFacts& facts) {
  if (facts != ImportFacts{})
    throw BadInput({"published-csv takes no facts of runs", "its rows say them all",
                    "Leave out the options other than --out"});
  Imported all;
  for (const auto& file : files) {
    auto one = studies_from_published_csv(text_of(file), shown(file));
    all.studies.insert(all.studies.end(), one.studies.begin(), one.studies.end());
    all.notes.insert(all.notes.end(), one.notes.begin(), one.notes.end());
  }
  return all;
}

/// They would be written into one file.
void require_distinct(const std::vector<PublishedStudy>& studies) {
  for (auto one = studies.begin(); one != studies.end(); ++one)
    for (auto other = std::next(one); other != studies.end(); ++other)
      if (one->name == other->name)
        throw BadInput({cat("two studies would be called '", one->name, "'"),
                        "the file of one would replace that of the other",
                        "Import them into folders of their own, or rename one"});
}

}  // namespace

bool is_setting(std::string_view name) {
  constexpr std::array names{
      "model",       "model_name", "arch",       "architecture", "network",        "backbone",
      "dataset",     "precision",  "dtype",      "amp",          "gpu_name",       "gpu_type",
      "device_name", "image_size", "img_size",   "input_size",   "input_shape",    "crop_size",
      "patch_size",  "tile_size",  "resolution", "image_height", "num_frames",     "seq_len",
      "seq_length",  "max_length", "block_size", "context_size", "context_length", "num_workers",
      "grad_accum",  "optimizer",  "compile"};
  return name.find("accumul") != std::string_view::npos ||
         name.find("sequence_length") != std::string_view::npos ||
         std::ranges::any_of(names, [&](std::string_view one) {
           return name == one || name.ends_with(cat('_', one));
         });
}

bool is_batch(std::string_view name) {
  return name.find("batch_size") != std::string_view::npos || name == "batch" || name == "bs" ||
         name == "gbs" || name == "global_batch" || name == "minibatch_size";
}

bool is_evaluation(const std::string& phase) {
  const auto text = in_lower_case(phase);
  return text.starts_with("val") || text.starts_with("test") || text.starts_with("eval");
}

Imported import_files(ImportFormat format,
                      const std::vector<fs::path>& files,
                      const ImportFacts& facts) {
  auto imported = [&] {
    switch (format) {
      case ImportFormat::epoch_csv:
        return study_from_logs(files, facts, runs_from_epoch_csv);
      case ImportFormat::published_csv:
        return studies_from_tables(files, facts);
      case ImportFormat::mllog:
        return study_from_logs(files, facts, runs_from_mllog);
    }
    return Imported{};
  }();
  require_distinct(imported.studies);
  return imported;
}

}  // namespace scalestudy
