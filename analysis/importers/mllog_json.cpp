/// MLPerf's log of runs: lines with ":::MLLOG {json}" among anything else
/// (github.com/mlcommons/logging).

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

#include "analysis/importers/formats.hpp"
#include "analysis/importers/log_text.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

constexpr std::string_view mark = ":::MLLOG";
/// Of 2018 and 2019: ":::MLPv0.5.0 resnet 1541710000.10 (train.py:10) run_start"
constexpr std::string_view old_mark = ":::MLPv";

/// What eval_accuracy must reach: the least that any round of MLPerf Training asked for
/// (mlperf_logging/compliance_checker of github.com/mlcommons/logging, rounds 0.7 to 5.1).
struct Target {
  std::string_view benchmark;
  double value;
  bool is_least = true;
};
constexpr std::array targets{Target{"resnet", 0.759},
                             Target{"ssd", 0.23},
                             Target{"unet3d", 0.908},
                             Target{"bert", 0.712},
                             Target{"dlrm", 0.8025},
                             Target{"dlrm_dcnv2", 0.80275},
                             Target{"gnn", 0.72},
                             Target{"minigo", 0.5},
                             Target{"rnnt", 0.058, false},
                             Target{"gpt3", 2.69, false},
                             Target{"llama2_70b_lora", 0.925, false},
                             Target{"llama31_405b", 5.6, false}};

/// What is said beside runs, mostly before them.
struct Facts {
  double global_batch_size = not_available;
  double train_samples = not_available;
  double eval_samples = not_available;
  std::string benchmark, organisation, platform;
};

/// What is kept of one run, as its lines come.
struct Log {
  std::size_t line = 0;  ///< of its run_start
  double start_ms = not_available;
  std::optional<double> stop_ms;
  double last_ms = not_available;
  std::string status;
  std::size_t unnumbered_stops = 0;
  std::set<double> stopped, evaluated;  ///< epoch_num of epoch_stop and of eval_accuracy
  std::vector<double> throughputs, qualities;
  std::size_t nan_line = 0;  ///< of the first evaluation that is not a number; 0: none
  Facts facts;
};

double number_of(const json& value) {
  return value.is_number() ? value.get<double>() : not_available;
}

std::string text_of(const json& value) {
  return value.is_string() ? shortened(value.get<std::string>(), 200) : "";
}

json member(const json& object, const char* name) {
  return object.is_object() ? object.value(name, json()) : json();
}

void set(double& number, const json& value) {
  if (value.is_number()) number = value.get<double>();
}

/// Python writes NaN and Infinity, which JSON does not have: they become texts.
std::string with_quoted_nan(std::string_view payload) {
  std::string text;
  for (bool in_text = false; !payload.empty();) {
    std::size_t length = 1;
    if (payload.front() == '"') in_text = !in_text;
    if (in_text && payload.starts_with('\\')) length = std::min<std::size_t>(2, payload.size());
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
      if (!in_text && payload.starts_with(word)) length = word.size();
    const bool is_word = !in_text && length > 1;
    text.append(is_word ? "\"" : "").append(payload.substr(0, length)).append(is_word ? "\"" : "");
    payload.remove_prefix(length);
  }
  return text;
}

bool is_not_a_number(const json& value) {
  return value == "NaN" || value == "nan" || value == "Infinity" || value == "-Infinity";
}

class EventReader {
 public:
  explicit EventReader(std::string origin) : origin_(std::move(origin)) {}

  std::vector<Log> read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_) {
      const auto end = std::min(text.find('\n'), text.size());
      const auto line = text.substr(0, end);
      if (const auto at = line.find(mark); at != std::string_view::npos)
        take_payload(line.substr(at + mark.size()));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!logs_.empty()) logs_.back().facts = facts_;
    return std::move(logs_);
  }
  [[nodiscard]] std::size_t unreadable() const { return unreadable_; }

 private:
  /// What two handlers wrote is one event: it has one time.
  void take_payload(std::string_view payload) {
    if (!seen_.insert(payload).second) return;
    const auto event = json_or_discarded(with_quoted_nan(payload));
    const double time_ms = number_of(member(event, "time_ms"));
    const auto key = text_of(member(event, "key"));
    if (key.empty() || !std::isfinite(time_ms)) {
      ++unreadable_;
      return;
    }
    const auto value = member(event, "value");
    const auto metadata = member(event, "metadata");
    take_facts(key, value);
    take_clock(key, time_ms, metadata);
    if (is_running()) take_progress(key, value, metadata);
    if (!logs_.empty() && (is_running() || key == "run_stop")) logs_.back().last_ms = time_ms;
  }

  [[nodiscard]] bool is_running() const { return !logs_.empty() && !logs_.back().stop_ms; }

  void take_facts(const std::string& key, const json& value) {
    if (key == "global_batch_size") set(facts_.global_batch_size, value);
    if (key == "train_samples") set(facts_.train_samples, value);
    if (key == "eval_samples") set(facts_.eval_samples, value);
    if (key == "submission_benchmark") facts_.benchmark = text_of(value);
    if (key == "submission_org") facts_.organisation = text_of(value);
    if (key == "submission_platform") facts_.platform = text_of(value);
  }

  void take_clock(const std::string& key, double time_ms, const json& metadata) {
    if (key == "run_start") {
      if (is_running())
        throw BadInput(
            {cat(origin_, ", line ", line_, ": a second run_start before a run_stop"),
             cat("two runs, or two ranks, cannot be told from the one of line ", logs_.back().line),
             "Keep one rank and one run, or cut the file there"});
      logs_.push_back({.line = line_, .start_ms = time_ms});
    }
    if (key != "run_stop" || !is_running()) return;
    auto& log = logs_.back();
    log.stop_ms = time_ms;
    log.status = text_of(member(metadata, "status"));
    log.facts = facts_;
  }

  /// What happened while the clock ran.
  void take_progress(const std::string& key, const json& value, const json& metadata) {
    auto& log = logs_.back();
    const double epoch = number_of(member(metadata, "epoch_num"));
    if (key == "epoch_stop")
      std::isfinite(epoch) ? (void)log.stopped.insert(epoch) : (void)++log.unnumbered_stops;
    if (key == "tracked_stats") {
      const double rate = number_of(member(value, "throughput"));
      if (rate > 0 && std::isfinite(rate)) log.throughputs.push_back(rate);
    }
    if (key != "eval_accuracy") return;
    log.qualities.push_back(number_of(value));
    if (std::isfinite(epoch)) log.evaluated.insert(epoch);
    if (is_not_a_number(value) && log.nan_line == 0) log.nan_line = line_;
  }

  std::string origin_;
  std::size_t line_ = 0;
  std::set<std::string_view> seen_;
  Facts facts_;
  std::vector<Log> logs_;
  std::size_t unreadable_ = 0;
};

/// BERT counts samples in epoch_num: numbers that are nowhere closer than a batch, and 100, to each
/// other. NaN where it counts epochs.
double samples_in_epoch_num(const Log& log) {
  auto numbers = log.evaluated;
  numbers.insert(log.stopped.begin(), log.stopped.end());
  if (numbers.empty()) return not_available;
  double step = *numbers.begin();
  for (auto at = std::next(numbers.begin()); at != numbers.end(); ++at)
    step = std::min(step, *at - *std::prev(at));
  const double batch = std::isfinite(log.facts.global_batch_size) ? log.facts.global_batch_size : 0;
  return step >= std::max(100.0, batch) ? *numbers.rbegin() : not_available;
}

double epochs_of(const Log& log) {
  const auto stops = log.unnumbered_stops + log.stopped.size();
  if (stops > 0) return static_cast<double>(stops);
  return log.evaluated.empty() ? not_available : *log.evaluated.rbegin();
}

/// Why it counts as ended without what it ran for; "" where it reached it.
std::string censored_reason(const Log& log) {
  if (!log.stop_ms) return "no run_stop: the log ends before the run";
  if (log.status == "success") return "";
  return log.status.empty() ? "run_stop without status" : cat("status ", log.status);
}

/// "" where the target was reached, or is not known.
std::string missed_target(const Log& log) {
  const auto target = std::ranges::find(targets, log.facts.benchmark, &Target::benchmark);
  const auto qualities = finite(log.qualities);
  if (target == targets.end() || qualities.empty()) return "";
  const double best = target->is_least ? std::ranges::max(qualities) : std::ranges::min(qualities);
  if (target->is_least ? best >= target->value : best <= target->value) return "";
  return cat("quality not reached: best eval_accuracy ", best, ", MLPerf asks ", target->benchmark,
             " for ", target->is_least ? "at least " : "at most ", target->value);
}

void set_outcome(const Log& log, ImportedRun& imported) {
  auto& run = imported.run;
  if (log.nan_line > 0) {
    run.outcome = PublishedOutcome::quality_nan;
    imported.notes.push_back(cat("eval_accuracy is no number in line ", log.nan_line));
  } else if (const auto missed = missed_target(log); !missed.empty()) {
    run.outcome = PublishedOutcome::quality_missed;
    imported.notes.push_back(missed);
  }
  if (const auto reason = censored_reason(log); !reason.empty()) {
    run.outcome = PublishedOutcome::censored;
    imported.notes.push_back(cat("kept as censored: ", reason));
  }
}

ImportedRun run_of(const Log& log, const std::string& place) {
  ImportedRun imported;
  imported.place = place;
  PublishedRun& run = imported.run;
  run.training_time_s = (log.stop_ms.value_or(log.last_ms) - log.start_ms) / 1e3;
  if (!(run.training_time_s > 0))
    throw BadInput({cat(place, ": the run stops no later than it starts"),
                    "it has no time to quality", "Check its time_ms"});
  imported.samples = samples_in_epoch_num(log);
  if (std::isfinite(imported.samples))
    imported.notes.push_back(cat("epoch_num counts samples, not epochs: ",
                                 static_cast<std::int64_t>(imported.samples), " trained"));
  else
    run.epochs = epochs_of(log);
  if (!log.throughputs.empty()) run.samples_per_s = median(log.throughputs);
  run.samples_per_epoch = log.facts.train_samples;
  run.global_batch_size = log.facts.global_batch_size;
  if (!log.qualities.empty()) run.quality = log.qualities.back();
  run.evaluated_sample_count = log.facts.eval_samples;
  run.platform = log.facts.platform;
  if (!log.qualities.empty()) imported.quality_metric = "eval_accuracy";
  imported.workload = log.facts.benchmark;
  imported.organisation = log.facts.organisation;
  set_outcome(log, imported);
  return imported;
}

void refuse_old_format(std::string_view text, const std::string& origin) {
  const auto at = text.find(old_mark);
  if (at == std::string_view::npos) return;
  const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
  const auto word = text.substr(at, text.find_first_of(" \n", at) - at);
  throw BadInput({cat(origin, ", line ", line, ": MLPerf's format of 2018 and 2019 (",
                      shortened(std::string(word), 40), ")"),
                  "its keys and times are others",
                  "Give a log of round 0.7 or later, ':::MLLOG {…}'"});
}

}  // namespace

std::vector<ImportedRun> runs_from_mllog(const std::string& text, const std::string& origin) {
  const auto lines = one_rank_of(text, "run_start");
  EventReader reader(origin);
  const auto logs = reader.read(lines);
  if (logs.empty()) {
    refuse_old_format(text, origin);
    throw BadInput({cat(origin, " has no run_start"), "the time to quality starts there",
                    "Give the log of a whole run, with lines ':::MLLOG {…}'"});
  }
  std::vector<ImportedRun> runs;
  for (const auto& log : logs)
    runs.push_back(run_of(log, logs.size() == 1 ? origin : cat(origin, ", line ", log.line)));
  if (reader.unreadable() > 0)
    runs.front().notes.push_back(
        cat(counted(reader.unreadable(), "line"), " of the log cannot be read"));
  return runs;
}

}  // namespace scalestudy
