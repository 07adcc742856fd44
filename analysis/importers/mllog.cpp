/// Runs of MLPerf's logs, judged by what MLPerf asks of their benchmark.

#include "analysis/importers/mllog.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "analysis/importers/formats.hpp"
#include "analysis/importers/log_text.hpp"

namespace scalestudy {
namespace {

/// Of 2018 and 2019: ":::MLPv0.5.0 resnet 1541710000.10 (train.py:10) run_start", ":::MLL
/// 1561576000.123 run_start: {…}"
constexpr std::array<std::string_view, 2> old_marks{":::MLPv", ":::MLL "};

/// What eval_accuracy must reach: the least that any round of MLPerf Training asked for
/// (mlperf_logging/compliance_checker of github.com/mlcommons/logging, rounds 0.7 to 5.1, and of
/// MLPerf HPC). Of a benchmark with several all must be reached at once.
struct Target {
  std::string_view benchmark;
  double value;
  bool is_least = true;
  std::string_view part = {};  ///< of eval_accuracy; "" where it has one number

  [[nodiscard]] bool is_of(const LoggedQuality& quality) const {
    return part.empty() || quality.part == part;
  }
  [[nodiscard]] bool is_met_by(double quality) const {
    return is_least ? quality >= value : quality <= value;
  }
  [[nodiscard]] bool is_share() const { return is_least && value > 0 && value < 1; }
};
constexpr std::array targets{Target{"resnet", 0.759},
                             Target{"ssd", 0.23},
                             Target{"retinanet", 0.34},
                             Target{"maskrcnn", 0.377, true, "BBOX"},
                             Target{"maskrcnn", 0.339, true, "SEGM"},
                             Target{"unet3d", 0.908},
                             Target{"bert", 0.712},
                             Target{"dlrm", 0.8025},
                             Target{"dlrm_dcnv2", 0.80275},
                             Target{"gnn", 0.72},
                             Target{"rgat", 0.72},
                             Target{"minigo", 0.5},
                             Target{"stable_diffusion", 90, false, "FID"},
                             Target{"stable_diffusion", 0.15, true, "CLIP"},
                             Target{"rnnt", 0.058, false},
                             Target{"gpt3", 2.69, false},
                             Target{"llama2_70b_lora", 0.925, false},
                             Target{"llama31_8b", 3.3, false},
                             Target{"llama31_405b", 5.6, false},
                             Target{"flux1", 0.586, false},
                             Target{"cosmoflow", -0.124},
                             Target{"deepcam", 0.82},
                             Target{"oc20", -0.036}};

/// Rounds 2.0 to 4.1 called RetinaNet "ssd", too: it trains on 1,170,301 images, SSD on 117,266.
std::string_view benchmark_of(const LoggedRun& run) {
  constexpr double most_of_ssd = 500'000;
  if (run.facts.benchmark == "ssd" && run.facts.number("train_samples") > most_of_ssd)
    return "retinanet";
  return run.facts.benchmark;
}

std::vector<Target> targets_of(const LoggedRun& run) {
  std::vector<Target> found;
  for (const auto& target : targets)
    if (target.benchmark == benchmark_of(run)) found.push_back(target);
  return found;
}

/// "eval_accuracy", "eval_accuracy FID"
std::string metric_of(std::string_view part) {
  return part.empty() ? "eval_accuracy" : cat("eval_accuracy ", part);
}

/// BERT counts samples in epoch_num: numbers that are nowhere closer than a batch, and 100, to each
/// other, and further apart than a block has epochs. The last one, and how close they come; nothing
/// where it counts epochs.
struct SampleNumbers {
  double last = not_available;
  double step = not_available;
};
SampleNumbers samples_in_epoch_num(const LoggedRun& run) {
  std::set<double> numbers;
  for (const auto& [number, time_ms] : run.evaluated) numbers.insert(number);
  // One epoch may enclose all evaluations.
  if (run.stopped.size() > 1 || numbers.empty())
    for (const auto& [number, count] : run.stopped) numbers.insert(number);
  if (numbers.empty()) return {};
  double step = *numbers.begin();
  for (auto at = std::next(numbers.begin()); at != numbers.end(); ++at)
    step = std::min(step, *at - *std::prev(at));
  const double batch = run.facts.number("global_batch_size");
  if (step >= std::fmax(100.0, batch) && !(step <= run.block_epochs))
    return {*numbers.rbegin(), step};
  return {};
}

/// By how many epochs the first is judged later than its epoch_num says, by the time from it to the
/// last: about 0 where epochs count from 1, and 1 where they do from 0. NaN of one alone.
double epochs_late(const LoggedRun& run) {
  if (run.evaluated.empty()) return not_available;
  const auto& [first, first_ms] = *run.evaluated.begin();
  const auto& [last, last_ms] = *run.evaluated.rbegin();
  return (first_ms - run.start_ms) * (last - first) / (last_ms - first_ms) - first;
}

/// Number of the first epoch that began, or ended; where none is numbered, of the first that was
/// judged far too early to be trained from the start. NaN where none is.
double first_epoch(const LoggedRun& run) {
  constexpr double least_epochs = 2, least_part = 0.25;
  if (!run.started.empty()) return run.started.begin()->first;
  if (std::isfinite(run.first_block)) return run.first_block;
  if (!run.stopped.empty()) return run.stopped.begin()->first;
  const double early = -epochs_late(run);
  const bool is_later = early >= least_epochs && early >= least_part * run.evaluated.begin()->first;
  return is_later ? std::round(early) + 1 : not_available;
}

/// Whether another log holds its first epochs.
bool goes_on(const LoggedRun& run) {
  const auto samples = samples_in_epoch_num(run);
  return first_epoch(run) > (std::isfinite(samples.last) ? samples.step : 1);
}

/// How many epochs had begun when the last was judged; NaN where epoch_start does not number them
/// as eval_accuracy does, or one less.
double begun_epochs(const LoggedRun& run) {
  const auto& [judged, judged_ms] = *run.evaluated.rbegin();
  double begun = not_available;
  for (const auto& [number, time_ms] : run.started)
    if (time_ms <= judged_ms) begun = number - run.started.begin()->first + 1;
  return begun == judged || begun == judged + 1 ? begun : not_available;
}

/// As logs that count from 1 judge: after epoch 1, or every fourth from the fourth on.
bool is_judged_from_one(const LoggedRun& run) {
  std::int64_t interval = 0;
  const auto first = static_cast<std::int64_t>(run.evaluated.begin()->first);
  for (const auto& [number, time_ms] : run.evaluated)
    interval = std::gcd(interval, static_cast<std::int64_t>(number) - first);
  return first == 1 || (first > 1 && interval > 1 && first % interval == 0);
}

/// Of epochs that are only judged. Epoch_num 0 may also be what was there before the training.
void count_judged_epochs(const LoggedRun& run, ImportedRun& imported) {
  const double first = run.evaluated.begin()->first, last = run.evaluated.rbegin()->first;
  imported.run.epochs = last;
  const auto set = [&](bool is_from_zero, const std::string& why) {
    imported.run.epochs += is_from_zero ? 1 : 0;
    imported.remarks.push_back(cat(why, ": ", imported.run.epochs,
                                   imported.run.epochs == 1 ? " epoch counts" : " epochs count"));
  };
  const auto is_count = [](const auto& one) {
    constexpr double most = 1e12;
    return one.first == std::floor(one.first) && one.first >= 0 && one.first <= most;
  };
  if (!std::ranges::all_of(run.evaluated, is_count)) return;
  if (run.first_block == 1 && first > 0) return;
  if (goes_on(run)) {
    imported.run.epochs = last - first_epoch(run) + 1;
    return;
  }
  const double begun = begun_epochs(run), late = epochs_late(run);
  const auto by_times = [](const auto&... parts) {
    return cat("by the times of eval_accuracy, epoch_num ", parts...);
  };
  if (begun > last) {
    set(true, "by epoch_start, epoch_num counts from 0");
  } else if (begun == last || is_judged_from_one(run)) {
    return;
  } else if (first == 0) {
    const bool is_epoch = last == 0 || late > 0.5;
    set(is_epoch, by_times("0 is ", is_epoch ? "the first epoch" : "before the training"));
  } else if (std::isfinite(late)) {
    const bool is_from_zero = late > 0.75;
    set(is_from_zero, by_times("counts from ", is_from_zero ? 0 : 1));
  } else {
    set(false, "whether epoch_num counts from 0 or from 1 is not said");
  }
}

/// How many epochs end with each numbered epoch_stop: its epoch_count, where the next is numbered
/// by as many more. Where it is not, epoch_count is of the whole training, and one ends.
std::map<double, double> ended_epochs(const LoggedRun& run) {
  auto ended = run.stopped;
  const auto is_too_near = [](const auto& one, const auto& next) {
    return next.first - one.first < one.second;
  };
  const bool is_of_all =
      ended.size() < 2 || std::ranges::adjacent_find(ended, is_too_near) != ended.end();
  if (is_of_all)
    for (auto& [number, count] : ended) count = 1;
  return ended;
}

/// By how many ended, else by which was judged last.
void set_epochs(const LoggedRun& run, ImportedRun& imported) {
  const auto ended = ended_epochs(run);
  auto stops = static_cast<double>(run.unnumbered_stops);
  for (const auto& [number, count] : ended) stops += count;
  imported.run.epochs = stops > 0 ? stops : not_available;
  if (stops == 0 && !run.evaluated.empty()) count_judged_epochs(run, imported);
  if (stops == 1 && !run.evaluated.empty())  // which may enclose a training that is no epoch
    if (const double last = run.evaluated.rbegin()->first; last != std::floor(last)) {
      imported.run.epochs = last - std::floor(run.evaluated.begin()->first);
      return;
    }
  if (ended.empty()) return;
  const double first = ended.begin()->first;
  const double last = ended.rbegin()->first + ended.rbegin()->second - 1;
  const double missing = last - first + 1 - (stops - static_cast<double>(run.unnumbered_stops));
  if (missing > 0)
    imported.remarks.push_back(cat("from epoch_stop ", first, " to ", last, ' ', missing,
                                   missing == 1 ? " is" : " are", " missing, and not counted"));
  if (!run.evaluated.empty() && run.evaluated.rbegin()->first > last)
    imported.remarks.push_back(cat("epoch ", run.evaluated.rbegin()->first,
                                   " was evaluated, and the last epoch_stop is ", last,
                                   ": what lies between is not counted"));
}

/// Why it counts as ended without what it ran for; "" where it reached it.
std::string censored_reason(const LoggedRun& run) {
  if (goes_on(run))
    return cat("it goes on from ",
               std::isfinite(samples_in_epoch_num(run).last) ? "sample " : "epoch ",
               fmt::format("{}", first_epoch(run)));
  if (!run.status) return "no run_stop: the log ends before the run";
  if (*run.status == "success") return "";
  return run.status->empty() ? "run_stop without status" : cat("status ", *run.status);
}

/// Why nothing can be said of its quality; "" where something can.
std::string unreadable_reason(const LoggedRun& run, const std::vector<Target>& asked) {
  if (run.qualities.empty())
    return run.unreadable_line > 0 ? cat("eval_accuracy of line ", run.unreadable_line,
                                         " is no number, nor numbers with names")
                                   : "no eval_accuracy from run_start to run_stop";
  std::set<std::string> parts;
  for (const auto& quality : run.qualities) parts.insert(quality.part);
  const bool is_one = asked.empty() || asked.front().part.empty();
  if (is_one && parts.size() > 1)
    return cat("eval_accuracy is several numbers, ",
               join(first_of({parts.begin(), parts.end()}, 5, "in it"), ", "));
  for (const auto& target : asked)
    if (!is_one && !parts.contains(std::string(target.part)))
      return cat("eval_accuracy does not say its ", target.part);
  return "";
}

/// A percentage would reach any target.
void require_shares(const LoggedRun& run,
                    const std::vector<Target>& asked,
                    const std::string& origin) {
  for (const auto& target : asked)
    for (const auto& quality : run.qualities)
      if (target.is_share() && target.is_of(quality) && quality.value > 1 &&
          std::isfinite(quality.value))
        throw BadInput({cat(origin, ", line ", quality.line, ": ", metric_of(target.part), " = ",
                            quality.value, " is above 1"),
                        cat("that of ", target.benchmark, " is a share from 0 to 1"),
                        "Divide percentages by 100"});
}

bool is_reached(const LoggedRun& run, const std::vector<Target>& asked) {
  std::map<double, std::set<std::string_view>> met;  // by moment
  for (const auto& quality : run.qualities)
    for (const auto& target : asked)
      if (target.is_of(quality) && target.is_met_by(quality.value))
        met[quality.moment].insert(target.part);
  return std::ranges::any_of(met, [&](const auto& at) { return at.second.size() == asked.size(); });
}

std::string missed_sentence(const LoggedRun& run, const std::vector<Target>& asked) {
  std::vector<std::string> parts;
  for (const auto& target : asked) {
    std::vector<double> values;
    for (const auto& quality : run.qualities)
      if (target.is_of(quality)) values.push_back(quality.value);
    values = finite(std::move(values));
    if (values.empty()) continue;
    const double best = target.is_least ? std::ranges::max(values) : std::ranges::min(values);
    parts.push_back(cat("best ", metric_of(target.part), " ", best, ", MLPerf asks ",
                        target.benchmark, " for ", target.is_least ? "at least " : "at most ",
                        target.value));
  }
  return cat("quality not reached: ", join(parts, "; "), asked.size() > 1 ? ", at once" : "");
}

void set_quality(const LoggedRun& run, const std::string& origin, ImportedRun& imported) {
  const auto asked = targets_of(run);
  require_shares(run, asked, origin);
  if (run.facts.benchmark.empty() && run.qualities.empty() && run.unreadable_line == 0) {
    imported.notes.emplace_back(
        "without submission_benchmark and eval_accuracy: no quality is asked");
    return;
  }
  const auto unreadable = unreadable_reason(run, asked);
  if (!unreadable.empty()) {
    imported.run.outcome = PublishedOutcome::quality_unread;
    imported.notes.push_back(cat("quality not readable: ", unreadable));
    return;
  }
  const auto last = std::ranges::find_if(
      run.qualities.rbegin(), run.qualities.rend(),
      [&](const LoggedQuality& quality) { return asked.empty() || asked.front().is_of(quality); });
  imported.run.quality = last->value;
  imported.quality_metric = metric_of(last->part);
  if (run.unreadable_line > 0)
    imported.notes.push_back(
        cat("eval_accuracy of line ", run.unreadable_line, " is no number: it is not counted"));
  if (run.facts.benchmark == "ssd" && !std::isfinite(run.facts.number("train_samples")))
    imported.notes.emplace_back(
        "without train_samples ssd is judged as SSD: if it is RetinaNet, more is asked of it");
  const auto nan = std::ranges::find_if(run.qualities,
                                        [](const auto& one) { return !std::isfinite(one.value); });
  if (nan != run.qualities.end()) {
    imported.run.outcome = PublishedOutcome::quality_nan;
    imported.notes.push_back(cat("eval_accuracy is no number in line ", nan->line));
  } else if (asked.empty()) {
    imported.notes.push_back(cat("no target is known of '", run.facts.benchmark,
                                 "': whether its quality suffices is not judged"));
  } else if (!is_reached(run, asked)) {
    imported.run.outcome = PublishedOutcome::quality_missed;
    imported.notes.push_back(missed_sentence(run, asked));
  }
}

/// Processes of one launch know the same, and other launches train to other numbers.
std::map<std::string, std::string> said_in(const LoggedRun& run) {
  std::map<std::string, std::string> said;
  if (run.status) said["status"] = *run.status;
  for (const auto& [key, number] : run.facts.numbers) said[key] = fmt::format("{}", number.value);
  for (const auto& quality : run.qualities)
    said[cat(metric_of(quality.part), " at ", quality.moment)] = fmt::format("{}", quality.value);
  return said;
}

/// As stated, else a rank for each accelerator.
StatedRanks ranks_of(const LoggedFacts& facts) {
  const double stated = facts.number(number_of_ranks);
  const double product = facts.number(number_of_nodes) * facts.number(accelerators_per_node);
  if (std::isfinite(stated) || !std::isfinite(product)) return {.count = stated};
  return {product, cat(number_of_nodes, " × ", accelerators_per_node)};
}

void note_large_batch(const LoggedRun& run, ImportedRun& imported) {
  if (!(imported.run.global_batch_size > imported.run.samples_per_epoch)) return;
  const auto line = run.facts.numbers.find("global_batch_size")->second.line;
  imported.notes.push_back(cat("global_batch_size ", line > 0 ? cat("of line ", line, " ") : "",
                               "is ", static_cast<std::int64_t>(imported.run.global_batch_size),
                               ", more than train_samples, ",
                               static_cast<std::int64_t>(imported.run.samples_per_epoch)));
}

/// Logs of MLPerf write dates. Of a clock of its own seconds are more likely than epochs as short.
void require_milliseconds(const LoggedRun& run, const ImportedRun& imported) {
  constexpr double a_date_ms = 1e11, least_epoch_ms = 100;
  const double took_ms = run.end_ms - run.start_ms;
  const double epochs = imported.run.epochs;
  if (run.start_ms >= a_date_ms || took_ms >= least_epoch_ms * std::fmax(1, epochs)) return;
  throw BadInput({cat(imported.place, ": by time_ms the run took ", took_ms, " ms",
                      std::isfinite(epochs) ? cat(", and ended ", epochs, " epochs") : ""),
                  "time_ms may be in seconds since a start, and all times wrong by a factor",
                  "Convert each time_ms to milliseconds"});
}

ImportedRun run_of(const LoggedRun& run, const std::string& place, const std::string& origin) {
  ImportedRun imported{.run = {}, .place = place, .notes = run.notes, .remarks = run.remarks};
  imported.run.training_time_s = (run.end_ms - run.start_ms) / 1e3;
  if (!(imported.run.training_time_s > 0))
    throw BadInput({cat(place, ": the run has no later time than its run_start"),
                    "it has no time to quality", "Give the log of a whole run"});
  const auto samples = samples_in_epoch_num(run);
  if (std::isfinite(samples.last) && goes_on(run))
    imported.notes.emplace_back("epoch_num counts samples, not epochs, from another log on");
  else if (std::isfinite(imported.samples = samples.last))
    imported.notes.push_back(cat("epoch_num counts samples, not epochs: ",
                                 static_cast<std::int64_t>(imported.samples), " trained"));
  else if (run.stopped.size() + run.unnumbered_stops <= 1 && !goes_on(run) &&
           run.samples_count >= 1 && run.samples_count <= most_of_anything)
    imported.samples = run.samples_count;
  else
    set_epochs(run, imported);
  require_milliseconds(run, imported);
  if (!run.throughputs.empty()) imported.run.samples_per_s = median(run.throughputs);
  imported.ranks = ranks_of(run.facts);
  imported.run.samples_per_epoch = run.facts.number("train_samples");
  imported.run.global_batch_size = run.facts.number("global_batch_size");
  imported.run.evaluated_sample_count = run.facts.number("eval_samples");
  imported.run.platform = run.facts.platform;
  imported.workload = run.facts.benchmark;
  imported.organisation = run.facts.organisation;
  imported.settings = run.facts.settings;
  imported.start_ms = run.start_ms;
  imported.end_ms = run.end_ms;
  imported.said = said_in(run);
  note_large_batch(run, imported);
  set_quality(run, origin, imported);
  if (const auto reason = censored_reason(run); !reason.empty()) {
    imported.run.outcome = PublishedOutcome::censored;
    imported.notes.push_back(cat("kept as censored: ", reason));
  }
  return imported;
}

void refuse_old_format(std::string_view text, const std::string& origin) {
  auto at = std::string_view::npos;
  for (const auto mark : old_marks) at = std::min(at, text.find(mark));
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
  const auto one = one_rank_of(text, {"run_start", "run_stop", "eval_accuracy"});
  const auto log = read_mllog(one.text, origin);
  if (log.runs.empty()) {
    refuse_old_format(text, origin);
    const bool has_mark = text.find(mllog_mark) != std::string::npos;
    throw BadInput({cat(origin, has_mark ? " has no run_start" : " has no line ':::MLLOG {…}'",
                        log.notes.empty() ? "" : cat(", and ", log.notes.back())),
                    "the time to quality starts at its run_start",
                    log.notes.empty()
                        ? "Give the log of a whole run, with lines ':::MLLOG {…}'"
                        : "Give the file as it was written: a terminal wraps and cuts lines"});
  }
  std::vector<ImportedRun> runs;
  for (const auto& run : log.runs)
    runs.push_back(
        run_of(run, log.runs.size() == 1 ? origin : cat(origin, ", line ", run.line), origin));
  auto& notes = runs.front().notes;
  notes.insert(notes.end(), log.notes.begin(), log.notes.end());
  auto& remarks = runs.front().remarks;
  remarks.insert(remarks.end(), one.remarks.begin(), one.remarks.end());
  return runs;
}

}  // namespace scalestudy
