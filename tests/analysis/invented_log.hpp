#pragma once
/// Logs of MLPerf that nobody wrote, and what their import says.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "analysis/importers/importer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy::test {

inline constexpr const char* published_heading =
    "id,workload,device,n,precision,mode,metric,value,unit,source";

struct InventedLog {
  std::string benchmark = "resnet";
  std::string platform = "4xA100";
  std::int64_t start_ms = 1000;
  std::vector<std::string> qualities{"0.5", "0.7", "0.76"};  ///< an epoch of 2 s each
  std::int64_t epoch_step = 1;
  std::string facts = "\"global_batch_size\", \"value\": 32";
  std::int64_t delay_ms = 0;  ///< of this rank's clock
};

inline std::string line(std::int64_t time_ms, const std::string& key_and_rest) {
  return cat(":::MLLOG {\"time_ms\": ", time_ms, ", \"key\": ", key_and_rest, "}\n");
}

inline std::string log_of(const InventedLog& run) {
  const auto start = run.start_ms + run.delay_ms;
  auto text = line(start - 9, cat("\"submission_benchmark\", \"value\": \"", run.benchmark, "\"")) +
              line(start - 9, "\"submission_org\", \"value\": \"Acme\"") +
              line(start - 9, cat("\"submission_platform\", \"value\": \"", run.platform, "\"")) +
              line(start - 9, run.facts) + line(start, "\"run_start\"");
  auto time = start;
  std::int64_t epoch = 0;
  for (const auto& quality : run.qualities) {
    time += 2000;
    epoch += run.epoch_step;
    const auto metadata = cat("\"metadata\": {\"epoch_num\": ", epoch, "}");
    if (run.epoch_step == 1) text += line(time, cat("\"epoch_stop\", ", metadata));
    text += line(time, cat("\"eval_accuracy\", \"value\": ", quality, ", ", metadata));
  }
  return text + line(time, "\"run_stop\", \"metadata\": {\"status\": \"success\"}");
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// What is imported of given texts, of four ranks.
class ImportedLogs : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text, const std::string& name = "log") const {
    auto file = folder_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  static ImportFacts facts(const std::vector<double>& ranks = {4}) {
    ImportFacts facts;
    facts.name = "theirs";
    facts.source = "https://example.org";
    facts.ranks = ranks;
    return facts;
  }
  static const PublishedRun& only_run(const Imported& imported) {
    return imported.studies.at(0).arms.at(0).runs.at(0);
  }
  Imported import(const std::string& text) const {
    return import_files(ImportFormat::mllog, {write(text)}, facts());
  }
  std::vector<PublishedRun> runs_in(const std::string& text) const {
    return import(text).studies.at(0).arms.at(0).runs;
  }
  /// Epoch logs do not say what they train.
  static ImportFacts epoch_facts(const std::vector<double>& ranks = {4}) {
    auto given = facts(ranks);
    given.workload = "unet";
    return given;
  }
  Imported import_epochs(const std::string& text, const std::vector<double>& ranks = {4}) const {
    return import_files(ImportFormat::epoch_csv, {write(text)}, epoch_facts(ranks));
  }
  /// Of files called a, b, c; of four ranks, where nothing else is given.
  Imported import_all(const std::vector<std::string>& texts,
                      const std::vector<double>& ranks = {4},
                      ImportFormat format = ImportFormat::mllog) const {
    std::vector<std::filesystem::path> files;
    for (const auto& text : texts)
      files.push_back(write(text, std::string(1, static_cast<char>('a' + files.size()))));
    return import_files(format, files,
                        format == ImportFormat::epoch_csv ? epoch_facts(ranks) : facts(ranks));
  }
  Imported import_table(const std::string& text) const {
    return import_files(ImportFormat::published_csv, {write(text)}, ImportFacts{});
  }
  std::string refusal(const std::string& text) const {
    return message_of<BadInput>([&] { return import(text); });
  }
  std::string epochs_refusal(const std::string& text) const {
    return message_of<BadInput>([&] { return import_epochs(text); });
  }
  TemporaryFolder folder_;
};

}  // namespace scalestudy::test
