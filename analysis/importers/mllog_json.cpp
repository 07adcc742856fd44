/// Lines with ":::MLLOG {json}" among anything else.

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

#include "analysis/importers/formats.hpp"
#include "analysis/importers/mllog.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

/// What happens while the clock runs.
struct Event {
  std::size_t line = 0;
  double time_ms = 0;
  std::string key;
  json value, metadata;
};

/// The lines from a run_start to the next.
struct Section {
  std::size_t line = 0;  ///< of the run_start; 0: there is none
  double start_ms = 0;
  bool has_stop = false;
  std::vector<Event> events;
  LoggedFacts facts;
};

/// Lines that say nothing that counts, by what they are and why.
class UncountedLines {
 public:
  void add(const std::string& noun, const std::string& why, std::size_t line) {
    auto& lines = lines_[{noun, why}];
    if (lines.count++ == 0) lines.first = line;
  }
  void append_to(std::vector<std::string>& notes) const {
    for (const auto& [what, lines] : lines_)
      notes.push_back(cat(counted(lines.count, what.first), " ", what.second,
                          ", the first is line ", lines.first));
  }

 private:
  struct Lines {
    std::size_t count = 0, first = 0;
  };
  std::map<std::pair<std::string, std::string>, Lines> lines_;
};

/// Also of a text, as Python's NaN becomes one; nothing for what is no number.
std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  return number_as_written(value.get_ref<const std::string&>());
}

double number_of(const json& value) {
  return number_in(value).value_or(not_available);
}

std::string text_of(const json& value) {
  return value.is_string() ? shortened(value.get<std::string>(), 200) : "";
}

json member(const json& object, const char* name) {
  return object.is_object() ? object.value(name, json()) : json();
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

std::string in_capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// Splits a log into sections, line by line.
class SectionReader {
 public:
  explicit SectionReader(std::string origin) : origin_(std::move(origin)) {}

  std::vector<Section> read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_) {
      const auto end = std::min(text.find('\n'), text.size());
      const auto line = text.substr(0, end);
      const auto plain = unquoted(line);
      if (const auto at = plain.find(mllog_mark); at != std::string_view::npos)
        take_payload(only_payload(plain.substr(at + mllog_mark.size())));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    fill(sections_.back().facts, next_facts_);
    return std::move(sections_);
  }
  /// Which lines say nothing that can be read.
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    uncounted_.append_to(notes);
    return notes;
  }

 private:
  /// Docker keeps lines as {"log": ":::MLLOG {…}", …}.
  [[nodiscard]] std::string_view unquoted(std::string_view line) {
    if (!line.starts_with("{\"log\"") || line.find(mllog_mark) == std::string_view::npos)
      return line;
    const auto log = member(json_or_discarded(std::string(line)), "log");
    return log.is_string() ? quoted_.emplace_back(log.get<std::string>()) : line;
  }

  /// Two writers at once may have cut each other's records.
  [[nodiscard]] std::string_view only_payload(std::string_view payload) const {
    if (payload.find(mllog_mark) == std::string_view::npos) return payload;
    throw BadInput({cat(origin_, ", line ", line_, ": two records ':::MLLOG {…}' in one line"),
                    "what they say, and which process says it, is not certain",
                    "Give the log of one process, or each record a line of its own"});
  }

  /// What two handlers wrote is one event: it has one time.
  void take_payload(std::string_view payload) {
    if (!seen_.insert(payload).second) return;
    const auto event = json_or_discarded(with_quoted_nan(payload));
    const double time_ms = number_of(member(event, "time_ms"));
    auto key = text_of(member(event, "key"));
    auto value = member(event, "value");
    if (key == "eval_error") {  // MLPerf HPC asks for an accuracy of -0.124
      key = "eval_accuracy";
      if (value.is_number()) value = -value.get<double>();
    }
    if (key.empty() || !std::isfinite(time_ms)) {
      uncounted_.add("line", "of the log cannot be read", line_);
      return;
    }
    if (key == "run_start") return begin(time_ms);
    if (take_fact(key, value)) return;
    sections_.back().has_stop |= key == "run_stop";
    auto& events = sections_.back().events;
    constexpr std::array used{"run_stop",   "block_start",   "epoch_start",
                              "epoch_stop", "tracked_stats", "eval_accuracy"};
    if (std::ranges::find(used, key) != used.end())
      events.push_back({line_, time_ms, key, value, member(event, "metadata")});
    else if (!events.empty() && events.back().key.empty())
      events.back().time_ms = std::max(events.back().time_ms, time_ms);
    else
      events.push_back({line_, time_ms, "", {}, {}});
  }

  void begin(double time_ms) {
    constexpr double a_date_s = 1e9, a_date_ms = 1e11, a_date_us = 1e14;
    if (time_ms >= a_date_s && (time_ms < a_date_ms || time_ms >= a_date_us))
      throw BadInput({cat(origin_, ", line ", line_, ": time_ms = ", time_ms,
                          " is no date in milliseconds since 1970"),
                      "all times would be wrong by a factor", "Convert each time_ms"});
    if (sections_.back().line > 0) {
      if (!sections_.back().has_stop)
        throw BadInput({cat(origin_, ", line ", line_, ": a second run_start before a run_stop"),
                        cat("two runs, or two ranks, cannot be told from the one of line ",
                            sections_.back().line),
                        "Keep one rank and one run, or cut the file there"});
      fill(next_facts_, sections_.back().facts);
      sections_.push_back({.events = {}, .facts = std::move(next_facts_)});
      next_facts_ = {};
    }
    sections_.back().line = line_;
    sections_.back().start_ms = time_ms;
  }

  /// After a run_stop they are of the next run, if there is one.
  bool take_fact(const std::string& key, const json& value) {
    auto& section = sections_.back();
    auto& facts = section.line > 0 && section.has_stop ? next_facts_ : section.facts;
    const std::array texts{std::pair{"submission_benchmark", &facts.benchmark},
                           std::pair{"submission_org", &facts.organisation},
                           std::pair{"submission_platform", &facts.platform}};
    for (const auto& [name, text] : texts)
      if (key == name) *text = text_of(value);
    if (is_setting(key) && !value.is_null())
      facts.settings[key] = value.is_string() ? text_of(value) : shortened(value.dump(), 200);
    constexpr std::array numbers{"global_batch_size", "train_samples", "eval_samples",
                                 number_of_ranks,     number_of_nodes, accelerators_per_node};
    if (std::ranges::find(numbers, key) == numbers.end()) return false;
    const double number = number_of(value);
    if (!std::isfinite(number)) {
      uncounted_.add(key + " line", "without a number not counted", line_);
      return true;
    }
    if (key == accelerators_per_node && number == 0) return true;  // ranks of processors alone
    const double most = key == "global_batch_size" ? 1e9 : 1e12;
    if (!(number >= 1 && number <= most && number == std::floor(number)))
      throw BadInput({cat(origin_, ", line ", line_, ": ", key, " = ", number, " cannot be right"),
                      cat("it is a whole number from 1 to ", most),
                      "Correct the line or take it out"});
    auto& stated = facts.numbers[key];
    if (stated.line > 0 && stated.value != number)
      throw BadInput(
          {cat(origin_, ", line ", line_, ": ", key, " is ", static_cast<std::int64_t>(number),
               ", and ", static_cast<std::int64_t>(stated.value), " in line ", stated.line),
           "with which of them the run trained cannot be told", "Take out the one that is wrong"});
    stated = {number, line_};
    return true;
  }

  /// Adds what `facts` do not say, and may still say.
  static void fill(LoggedFacts& facts, const LoggedFacts& others) {
    for (const auto& [key, number] : others.numbers)
      facts.numbers.try_emplace(key, LoggedFacts::Number{number.value, 0});
    facts.settings.insert(others.settings.begin(), others.settings.end());
    for (const auto text :
         {&LoggedFacts::benchmark, &LoggedFacts::organisation, &LoggedFacts::platform})
      if ((facts.*text).empty()) facts.*text = others.*text;
  }

  std::string origin_;
  std::size_t line_ = 0;
  std::deque<std::string> quoted_;  // do not move
  std::set<std::string_view> seen_;
  std::vector<Section> sections_{1};
  LoggedFacts next_facts_;
  UncountedLines uncounted_;
};

/// How many numbers of each part there are.
using Counts = std::map<std::string, std::size_t>;

/// Of an eval_accuracy with one number its metric, of one with several each by its key.
void add_qualities(const Event& event, LoggedRun& run, Counts& counts) {
  std::map<std::string, json> parts;
  if (event.value.is_object())
    for (const auto& [key, value] : event.value.items()) parts[in_capitals(key)] = value;
  else
    parts[in_capitals(text_of(member(event.metadata, "metric")))] = event.value;
  for (const auto& [part, value] : parts) {
    const auto number = number_in(value);
    if (!number) {
      if (run.unreadable_line == 0) run.unreadable_line = event.line;
      continue;
    }
    double moment = not_available;
    std::vector<std::string> when;
    for (const auto* key : {"epoch_num", "step_num", "samples_count"}) {
      const auto count = member(event.metadata, key);
      const double said = number_of(count);
      if (std::isfinite(said)) when.push_back(cat(key, ' ', count.dump()));
      if (!std::isfinite(moment)) moment = said;
    }
    const auto place = ++counts[part];
    if (!std::isfinite(moment)) moment = static_cast<double>(place);
    run.qualities.push_back({event.line, moment, join(when, ", "), part, *number});
  }
}

/// One moment has one quality, whoever judges it.
void require_one_of_each(const std::vector<LoggedQuality>& qualities, const std::string& origin) {
  std::map<std::pair<std::string, std::string>, const LoggedQuality*> first;
  for (const auto& quality : qualities) {
    if (quality.when.empty()) continue;
    const auto* other = first.try_emplace({quality.part, quality.when}, &quality).first->second;
    if (quality.value == other->value || (std::isnan(quality.value) && std::isnan(other->value)))
      continue;
    throw BadInput({cat(origin, ", line ", quality.line, ": eval_accuracy of ", quality.when,
                        " is ", quality.value, ", and ", other->value, " in line ", other->line),
                    "which of them the model reached cannot be told",
                    "Take out the one that does not count"});
  }
}

/// 1 where it says none.
double epoch_count_of(const Event& event) {
  const double count = number_of(member(event.metadata, "epoch_count"));
  return count >= 1 && count == std::floor(count) ? count : 1;
}

/// By what its metadata say, but for the source that logged it: "stage": "eval".
bool is_of_evaluation(const Event& event) {
  if (!event.metadata.is_object()) return false;
  return std::ranges::any_of(event.metadata.items(), [](const auto& item) {
    return item.key() != "file" && is_evaluation(text_of(item.value()));
  });
}

/// NaN where it says none, or none that a training reaches.
double epoch_of(const Event& event) {
  const double epoch = number_of(member(event.metadata, "epoch_num"));
  return std::abs(epoch) <= most_of_anything ? epoch : not_available;
}

void add(const Event& event, LoggedRun& run, Counts& counts, UncountedLines& uncounted) {
  const double epoch = epoch_of(event);
  if (event.key == "epoch_stop")
    std::isfinite(epoch) ? (void)run.stopped.try_emplace(epoch, epoch_count_of(event))
                         : (void)++run.unnumbered_stops;
  if (event.key == "epoch_start" && std::isfinite(epoch))
    run.started.try_emplace(epoch, event.time_ms);
  if (event.key == "eval_accuracy" || event.key == "run_stop")
    run.samples_count =
        std::fmax(run.samples_count, number_of(member(event.metadata, "samples_count")));
  if (event.key == "block_start" && std::isnan(run.first_block)) {
    const double first = number_of(member(event.metadata, "first_epoch_num"));
    run.first_block = std::isfinite(first) ? first : epoch;
    run.block_epochs = number_of(member(event.metadata, "epoch_count"));
  }
  if (event.key == "tracked_stats" && is_of_evaluation(event)) {
    uncounted.add("throughput line", "of evaluation not counted", event.line);
  } else if (event.key == "tracked_stats") {
    const auto throughput = member(event.value, "throughput");
    const double rate = number_of(throughput);
    if (rate > 0 && std::isfinite(rate))
      run.throughputs.push_back(rate);
    else if (!throughput.is_null())
      uncounted.add("throughput line", "without a rate not counted", event.line);
  }
  if (event.key != "eval_accuracy") return;
  if (std::isfinite(epoch)) run.evaluated.try_emplace(epoch, event.time_ms);
  add_qualities(event, run, counts);
}

[[noreturn]] void refuse_clock(const Event& event,
                               const std::string& what,
                               const std::string& origin) {
  throw BadInput({cat(origin, ", line ", event.line, ": ", what),
                  "its clock went back: how long the run took is not known",
                  "Correct time_ms, or leave the run out"});
}

/// The first run_stop that comes after the start; nothing where there is none at all.
const Event* stop_of(const Section& section, const std::string& origin) {
  const Event* earlier = nullptr;
  for (const auto& event : section.events) {
    if (event.key != "run_stop") continue;
    if (event.time_ms > section.start_ms) return &event;
    earlier = &event;
  }
  if (earlier != nullptr)
    refuse_clock(*earlier, cat("the run stops no later than it starts, in line ", section.line),
                 origin);
  return nullptr;
}

/// What the run says behind its run_start has no earlier time, and epochs end one after the other.
void require_forward_clock(const Section& section, const std::string& origin) {
  std::map<double, const Event*> ends;  // of each epoch the first
  for (const auto& event : section.events) {
    const bool is_end = event.key == "epoch_stop";
    const bool is_before = event.time_ms < section.start_ms;
    if (is_before && event.line > section.line && (is_end || event.key == "eval_accuracy"))
      refuse_clock(event, cat(event.key, " comes before run_start, of line ", section.line),
                   origin);
    const double epoch = epoch_of(event);
    if (!is_end || is_before || !std::isfinite(epoch)) continue;
    auto& end = ends.try_emplace(epoch, &event).first->second;
    if (event.time_ms < end->time_ms) end = &event;
  }
  const Event* last = nullptr;
  for (const auto& [epoch, end] : ends) {
    if (last != nullptr && end->time_ms < last->time_ms)
      refuse_clock(*end, cat("epoch ", epoch, " ends before the epoch of line ", last->line),
                   origin);
    last = end;
  }
}

/// A log that was closed late says so by a pause before its end.
void note_late_stop(const Section& section, const Event& stop, std::vector<std::string>& remarks) {
  constexpr double a_while_ms = 60e3;
  double last_ms = section.start_ms, longest_ms = 0;
  bool has_results = false;
  for (const auto& event : section.events) {
    if (event.time_ms < section.start_ms || event.time_ms > stop.time_ms || &event == &stop)
      continue;
    longest_ms = std::max(longest_ms, event.time_ms - last_ms);
    last_ms = event.time_ms;
    has_results |= !event.key.empty() && !event.key.ends_with("_start");
  }
  const double pause_ms = stop.time_ms - last_ms;
  if (has_results && pause_ms > std::max(a_while_ms, 2 * longest_ms))
    remarks.push_back(cat("run_stop of line ", stop.line, " comes ", human_duration(pause_ms / 1e3),
                          " after all else: if the log was closed late, the time is too long"));
}

LoggedRun run_of(Section section, const std::string& origin) {
  require_forward_clock(section, origin);
  std::ranges::stable_sort(section.events, {}, &Event::time_ms);
  LoggedRun run{.line = section.line, .start_ms = section.start_ms, .facts = section.facts};
  const Event* stop = stop_of(section, origin);
  run.end_ms = section.start_ms;
  if (stop != nullptr) {
    run.end_ms = stop->time_ms;
    run.status = text_of(member(stop->metadata, "status"));
    note_late_stop(section, *stop, run.remarks);
  } else if (!section.events.empty()) {
    run.end_ms = std::max(run.end_ms, section.events.back().time_ms);
  }
  Counts counts;
  UncountedLines uncounted;
  for (const auto& event : section.events) {
    if (event.time_ms >= run.start_ms && event.time_ms <= run.end_ms)
      add(event, run, counts, uncounted);
    else if (event.time_ms > run.end_ms && event.key == "eval_accuracy")
      uncounted.add("eval_accuracy line", "after run_stop not counted", event.line);
    if (event.key == "run_stop" && &event != stop)
      uncounted.add("run_stop line", cat("beside line ", stop->line, " not counted"), event.line);
  }
  uncounted.append_to(run.notes);
  require_one_of_each(run.qualities, origin);
  std::ranges::stable_sort(run.qualities, {}, &LoggedQuality::moment);
  return run;
}

}  // namespace

Mllog read_mllog(std::string_view text, const std::string& origin) {
  SectionReader reader(origin);
  Mllog log;
  for (auto& section : reader.read(text))
    if (section.line > 0) log.runs.push_back(run_of(std::move(section), origin));
  log.notes = reader.notes();
  return log;
}

}  // namespace scalestudy
