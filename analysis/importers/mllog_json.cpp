/// MLPerf's log of one run: lines with ":::MLLOG {json}" among anything else
/// (github.com/mlcommons/logging).

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

#include "analysis/importers/formats.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

constexpr std::string_view mark = ":::MLLOG";

/// What is kept of the log, as its lines come.
struct Log {
  std::optional<double> start_ms, stop_ms;
  double last_ms = not_available;
  std::string status;
  std::size_t epoch_stops = 0;
  double last_epoch = not_available;  ///< by its number in evaluations, from 1
  std::vector<double> throughputs;
  double global_batch_size = not_available;
  double train_samples = not_available;
  double eval_samples = not_available;
  double quality = not_available;
  std::string benchmark, organisation, platform;
  std::size_t unreadable = 0;

  [[nodiscard]] bool is_running() const { return start_ms && !stop_ms; }
};

double number_of(const json& value) {
  return value.is_number() ? value.get<double>() : not_available;
}

std::string text_of(const json& value) {
  return value.is_string() ? shortened(value.get<std::string>(), 200) : "";
}

double member(const json& object, const char* name) {
  return object.is_object() ? number_of(object.value(name, json())) : not_available;
}

void set_once(double& number, const json& value) {
  if (!std::isfinite(number)) number = number_of(value);
}

/// What happened while the clock ran.
void take_progress(const std::string& key, const json& value, const json& metadata, Log& log) {
  if (!log.is_running()) return;
  if (key == "epoch_stop") ++log.epoch_stops;
  if (key == "tracked_stats") {
    const double rate = member(value, "throughput");
    if (rate > 0 && std::isfinite(rate)) log.throughputs.push_back(rate);
  }
  if (key == "eval_accuracy") {
    log.quality = number_of(value);
    log.last_epoch = member(metadata, "epoch_num");
  }
}

void take_clock(const std::string& key, double time_ms, const json& metadata, Log& log) {
  if (key == "run_start" && !log.start_ms) log.start_ms = time_ms;
  if (key != "run_stop" || !log.is_running()) return;
  log.stop_ms = time_ms;
  if (metadata.is_object()) log.status = text_of(metadata.value("status", json()));
}

void take_facts(const std::string& key, const json& value, Log& log) {
  if (key == "global_batch_size") set_once(log.global_batch_size, value);
  if (key == "train_samples") set_once(log.train_samples, value);
  if (key == "eval_samples") set_once(log.eval_samples, value);
  if (key == "submission_benchmark") log.benchmark = text_of(value);
  if (key == "submission_org") log.organisation = text_of(value);
  if (key == "submission_platform") log.platform = text_of(value);
}

void take(const json& event, Log& log) {
  const double time_ms = member(event, "time_ms");
  const auto key = event.is_object() ? text_of(event.value("key", json())) : "";
  if (key.empty() || !std::isfinite(time_ms)) {
    ++log.unreadable;
    return;
  }
  const auto value = event.value("value", json());
  const auto metadata = event.value("metadata", json());
  take_facts(key, value, log);
  take_progress(key, value, metadata, log);
  take_clock(key, time_ms, metadata, log);
  log.last_ms = time_ms;
}

Log read_log(std::string_view text) {
  Log log;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    const auto end = std::min(text.find('\n', at), text.size());
    const auto event = json_or_discarded(std::string(text.substr(at, end - at)));
    event.is_discarded() ? (void)++log.unreadable : take(event, log);
  }
  return log;
}

double epochs_of(const Log& log) {
  return log.epoch_stops > 0 ? static_cast<double>(log.epoch_stops) : log.last_epoch;
}

/// Why it counts as ended without what it ran for; "" where it reached it.
std::string censored_reason(const Log& log) {
  if (!log.stop_ms) return "no run_stop: the log ends before the run";
  if (log.status == "success") return "";
  return log.status.empty() ? "run_stop without status" : cat("status ", log.status);
}

}  // namespace

ImportedRun run_from_mllog(const std::string& text, const std::string& origin) {
  const Log log = read_log(text);
  if (!log.start_ms)
    throw BadInput({cat(origin, " has no run_start"), "the time to quality starts there",
                    "Give the log of a whole run, with lines ':::MLLOG {…}'"});
  ImportedRun imported;
  PublishedRun& run = imported.run;
  run.training_time_s = (log.stop_ms.value_or(log.last_ms) - *log.start_ms) / 1e3;
  if (!(run.training_time_s > 0))
    throw BadInput({cat(origin, ": the run stops no later than it starts"),
                    "it has no time to quality", "Check its time_ms"});
  run.epochs = epochs_of(log);
  if (!log.throughputs.empty()) run.samples_per_s = median(log.throughputs);
  run.samples_per_epoch = log.train_samples;
  run.global_batch_size = log.global_batch_size;
  run.quality = log.quality;
  run.evaluated_sample_count = log.eval_samples;
  if (std::isfinite(run.quality)) imported.quality_metric = "eval_accuracy";
  if (const auto reason = censored_reason(log); !reason.empty()) {
    run.outcome = PublishedOutcome::censored;
    imported.notes.push_back(cat("kept as censored: ", reason));
  }
  if (log.unreadable > 0)
    imported.notes.push_back(cat(counted(log.unreadable, "line"), " of the log cannot be read"));
  imported.workload = log.benchmark;
  imported.title = join({log.benchmark, log.organisation, log.platform}, ", ");
  if (log.organisation.empty() || log.platform.empty()) imported.title.clear();
  return imported;
}

}  // namespace scalestudy
