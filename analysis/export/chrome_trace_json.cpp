#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "analysis/export/chrome_trace.hpp"

namespace scalestudy {
namespace {

using Json = nlohmann::ordered_json;

/// The rows of a process, from top to bottom.
enum class Row { step = 1, exchange = 2, between = 3 };
constexpr std::array row_names{std::pair{Row::step, "step"}, std::pair{Row::exchange, "exchange"},
                               std::pair{Row::between, "between steps"}};

std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double microseconds(double time_s) {
  return std::round(time_s * 1e9) / 1e3;
}

constexpr double most_time_s = 1e9;

/// From when to when, on the training clock.
struct Span {
  double begin_s = 0;
  double end_s = 0;
  /// Files may hold anything.
  [[nodiscard]] bool is_time() const {
    return std::isfinite(begin_s) && std::isfinite(end_s) && begin_s <= end_s &&
           std::abs(begin_s) < most_time_s && std::abs(end_s) < most_time_s;
  }
};

/// Events, written as they come.
class TraceWriter {
 public:
  explicit TraceWriter(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  }

  void write(const Json& event) {
    out_ << (is_first_ ? "" : ",\n") << text_of(event);
    is_first_ = false;
  }

  void complete(std::int64_t rank, Row row, const std::string& name, Span span, Json args) {
    const double begin = microseconds(span.begin_s);
    write({{"name", name},
           {"ph", "X"},
           {"pid", rank},
           {"tid", static_cast<int>(row)},
           {"ts", begin},
           // Of the rounded ends: rounding apart could make neighbours overlap.
           {"dur", std::max(0.0, std::round((microseconds(span.end_s) - begin) * 1e3) / 1e3)},
           {"args", std::move(args)}});
  }

  void close(const Json& other) { out_ << "\n],\"otherData\":" << text_of(other) << "}\n"; }

 private:
  std::ostream& out_;
  bool is_first_ = true;
};

/// Places events behind each other within `whole`; what does not fit is cut.
class Lane {
 public:
  Lane(TraceWriter& writer, std::int64_t rank, Row row, Span whole)
      : writer_(writer), rank_(rank), row_(row), whole_(whole), cursor_s_(whole.begin_s) {}

  /// At `begin_s`, or when the one before has ended. Nothing is drawn of what took no time.
  void add(const std::string& name, double begin_s, double duration_s) {
    if (!std::isfinite(begin_s) || !(duration_s > 0) || !std::isfinite(duration_s)) return;
    const double begin = std::clamp(begin_s, cursor_s_, whole_.end_s);
    const double end = std::min(begin + duration_s, whole_.end_s);
    if (end <= begin) return;
    writer_.complete(rank_, row_, name, {begin, end}, {{"duration_s", duration_s}});
    cursor_s_ = end;
  }
  void add(const std::string& name, double duration_s) { add(name, cursor_s_, duration_s); }

 private:
  TraceWriter& writer_;
  std::int64_t rank_;
  Row row_;
  Span whole_;
  double cursor_s_;
};

class Trace {
 public:
  Trace(const RunRecord& record, const StepRange& steps, std::ostream& out)
      : record_(record), writer_(out), range_(steps) {
    range_.first = std::clamp<std::int64_t>(steps.first, 0, record.steps.steps());
    range_.end = std::clamp(steps.end, range_.first, record.steps.steps());
  }

  void write() {
    name_rows();
    for (std::int64_t rank = 0; rank < record_.steps.ranks(); ++rank) write_rank(rank);
    write_buckets();
    write_events();
    write_monitor();
    writer_.close(other_data());
  }

 private:
  [[nodiscard]] double at(StepColumn column, std::int64_t rank, std::int64_t step) const {
    const double value = record_.steps.at(column, rank, step);
    return std::isfinite(value) ? value : 0;
  }

  /// As recorded, but no longer than to the rank's next step.
  [[nodiscard]] Span span_of(std::int64_t rank, std::int64_t step) const {
    const double begin_s = record_.steps.at(&StepRow::start_s, rank, step);
    Span span{begin_s, begin_s + record_.steps.at(&StepRow::step_s, rank, step)};
    if (step + 1 < record_.steps.steps()) {
      const double next_s = record_.steps.at(&StepRow::start_s, rank, step + 1);
      if (next_s < span.end_s) span.end_s = std::max(begin_s, next_s);
    }
    return span;
  }

  void name_rows() {
    for (std::int64_t rank = 0; rank < record_.steps.ranks(); ++rank) {
      writer_.write({{"name", "process_name"},
                     {"ph", "M"},
                     {"pid", rank},
                     {"args", {{"name", rank_name(rank)}}}});
      writer_.write({{"name", "process_sort_index"},
                     {"ph", "M"},
                     {"pid", rank},
                     {"args", {{"sort_index", rank}}}});
      for (const auto& [row, name] : row_names)
        writer_.write({{"name", "thread_name"},
                       {"ph", "M"},
                       {"pid", rank},
                       {"tid", static_cast<int>(row)},
                       {"args", {{"name", name}}}});
    }
  }

  [[nodiscard]] std::string rank_name(std::int64_t rank) const {
    const auto index = static_cast<std::size_t>(rank);
    if (index >= record_.ranks.size()) return cat("rank ", rank);
    return cat("rank ", rank, " on ", record_.ranks[index].host, ", ", record_.ranks[index].device);
  }

  void write_rank(std::int64_t rank) {
    double last_end_s = -std::numeric_limits<double>::infinity();
    for (std::int64_t step = range_.first; step < range_.end; ++step) {
      const auto span = span_of(rank, step);
      if (!span.is_time() || span.begin_s < last_end_s) continue;
      write_between(rank, step, {last_end_s, span.begin_s});
      write_step(rank, step, span);
      last_end_s = span.end_s;
    }
  }

  void write_step(std::int64_t rank, std::int64_t step, const Span& span) {
    Json args;
    for (const auto& column : columns_of<StepRow>) {
      const double value = record_.steps.at(column, rank, step);
      if (std::isfinite(value)) args[std::string(column.name)] = value;
    }
    writer_.complete(rank, Row::step, cat("step ", step), span, std::move(args));
    write_phases(rank, step, span);
  }

  /// Passes end when the last gradient is ready, the exchange when all have come: both are
  /// recorded.
  void write_phases(std::int64_t rank, std::int64_t step, const Span& span) {
    const auto s = [&](StepColumn column) { return at(column, rank, step); };
    const double early_s = s(&StepRow::early_update_s);
    const double wait_s = s(&StepRow::peer_wait_s);
    const double transfer_s = s(&StepRow::exposed_transfer_s);
    const double passes_s =
        s(&StepRow::device_step_s) + s(&StepRow::forward_s) + s(&StepRow::backward_s);
    const double recorded_ready_s = record_.steps.at(&StepRow::ready_s, rank, step);
    const double ready_s =
        std::isfinite(recorded_ready_s)
            ? recorded_ready_s
            : span.begin_s + s(&StepRow::input_wait_s) + s(&StepRow::host_to_device_s) + passes_s;
    Lane lane(writer_, rank, Row::step, span);
    lane.add("input wait", s(&StepRow::input_wait_s));
    lane.add("host to device", s(&StepRow::host_to_device_s));
    lane.add("device step", ready_s - passes_s, s(&StepRow::device_step_s));
    lane.add("forward", ready_s - passes_s, s(&StepRow::forward_s));
    lane.add("backward", ready_s - s(&StepRow::backward_s), s(&StepRow::backward_s));
    lane.add("early update", ready_s, early_s);
    lane.add("peer wait", ready_s + early_s, wait_s);
    lane.add("exposed transfer", transfer_s);
    lane.add("optimizer", s(&StepRow::optimizer_s) - early_s);
  }

  /// The last thing before a step is recording it, before that a checkpoint, before that an
  /// evaluation.
  void write_between(std::int64_t rank, std::int64_t step, const Span& gap) {
    const double recording_s = at(&StepRow::recording_s, rank, step);
    const double saving_s = at(&StepRow::saving_s, rank, step);
    const double evaluation_s = at(&StepRow::evaluation_s, rank, step);
    Lane lane(writer_, rank, Row::between, gap);
    lane.add("evaluation", gap.end_s - recording_s - saving_s - evaluation_s, evaluation_s);
    lane.add("checkpoint", gap.end_s - recording_s - saving_s, saving_s);
    lane.add("recording", gap.end_s - recording_s, recording_s);
  }

  void write_buckets() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const BucketRow*>> by_step;
    for (const auto& bucket : record_.buckets)
      if (range_.contains(bucket.step) && bucket.rank >= 0 && bucket.rank < record_.steps.ranks() &&
          std::isfinite(bucket.entered_s))
        by_step[{bucket.rank, bucket.step}].push_back(&bucket);
    std::map<std::int64_t, double> last_end_s;
    for (auto& [key, buckets] : by_step) {
      std::ranges::sort(buckets, {}, &BucketRow::entered_s);
      auto [last, is_new] =
          last_end_s.try_emplace(key.first, -std::numeric_limits<double>::infinity());
      for (const auto* bucket : buckets) write_bucket(*bucket, last->second);
    }
  }

  void write_bucket(const BucketRow& bucket, double& last_end_s) {
    const double start_s = record_.steps.at(&StepRow::start_s, bucket.rank, bucket.step);
    const Span span{std::max(start_s + bucket.entered_s, last_end_s), start_s + bucket.left_s};
    if (!span.is_time() || span.end_s == span.begin_s) return;
    Json args{{"step", bucket.step}, {"size_bytes", bucket.size_bytes}};
    for (const auto column : {&BucketRow::ready_s, &BucketRow::entered_s, &BucketRow::all_arrived_s,
                              &BucketRow::left_s, &BucketRow::cpu_s})
      if (std::isfinite(bucket.*column)) args[std::string(column_of(column).name)] = bucket.*column;
    writer_.complete(bucket.rank, Row::exchange, cat("bucket ", bucket.bucket), span,
                     std::move(args));
    Lane lane(writer_, bucket.rank, Row::exchange, span);
    lane.add("peer wait", start_s + bucket.entered_s, bucket.all_arrived_s - bucket.entered_s);
    lane.add("transfer", start_s + bucket.all_arrived_s, bucket.left_s - bucket.all_arrived_s);
    last_end_s = span.end_s;
  }

  /// From the first rank's first step to the last rank's last one.
  [[nodiscard]] Span window() const {
    Span window{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (std::int64_t rank = 0; rank < record_.steps.ranks(); ++rank) {
      for (const std::int64_t step : {range_.first, range_.end - 1}) {
        if (!range_.contains(step)) continue;
        const auto span = span_of(rank, step);
        if (!span.is_time()) continue;
        window.begin_s = std::min(window.begin_s, span.begin_s);
        window.end_s = std::max(window.end_s, span.end_s);
      }
    }
    return window;
  }

  void write_events() {
    const auto [begin_s, end_s] = window();
    for (const auto& event : record_.events) {
      if (!(event.time_s >= begin_s && event.time_s <= end_s)) continue;
      const bool has_rank = event.rank >= 0 && event.rank < record_.steps.ranks();
      writer_.write({{"name", event.code},
                     {"ph", "i"},
                     {"s", has_rank ? "p" : "g"},
                     {"pid", has_rank ? event.rank : 0},
                     {"tid", static_cast<int>(Row::step)},
                     {"ts", microseconds(event.time_s)},
                     {"args", {{"step", event.step}, {"message", event.message}}}});
    }
  }

  void write_monitor() {
    const auto [begin_s, end_s] = window();
    for (const auto& row : record_.monitor) {
      if (!(row.time_s >= begin_s && row.time_s <= end_s) || row.rank < 0 ||
          row.rank >= record_.steps.ranks())
        continue;
      for (const auto& column : columns_of<MonitorRow>) {
        const double value = number_in(row, column);
        if (column.name == "rank" || column.name == "time_s" || !std::isfinite(value)) continue;
        writer_.write({{"name", column.name},
                       {"ph", "C"},
                       {"pid", row.rank},
                       {"ts", microseconds(row.time_s)},
                       {"args", {{std::string(column.name), value}}}});
      }
    }
  }

  [[nodiscard]] Json other_data() const {
    double error_s = not_recorded;
    for (const auto& rank : record_.ranks) error_s = std::fmax(error_s, rank.clock_offset_error_s);
    return {{"run_id", record_.header.run_id},
            {"build_id", record_.header.build_id},
            {"labels", record_.header.labels},
            {"first_step", range_.first},
            {"end_step", range_.end},
            {"clock_offset_error_s", std::isfinite(error_s) ? Json(error_s) : Json(nullptr)}};
  }

  const RunRecord& record_;
  TraceWriter writer_;
  StepRange range_;
};

}  // namespace

StepRange middle_steps(const RunRecord& record) {
  const auto steps = record.steps.steps();
  const auto steady = std::clamp<std::int64_t>(record.summary.steady_start_step, 0, steps);
  const auto count = std::min(default_trace_steps, steps - steady);
  const auto first = steady + (steps - steady - count) / 2;
  return {first, first + count};
}

void write_chrome_trace(const RunRecord& record, const StepRange& steps, std::ostream& out) {
  Trace(record, steps, out).write();
}

}  // namespace scalestudy
