/// A number per row: id,workload,device,n,precision,mode,metric,value,unit,source. A study per id,
/// an arm per device, precision and mode, a run per n; the same metric again is another launch.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/ascii.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/importers/csv_table.hpp"
#include "analysis/importers/formats.hpp"
#include "analysis/importers/log_text.hpp"
#include "analysis/importers/ranks_in_comments.hpp"

namespace scalestudy {
namespace {

/// A metric of such tables, and the number of a run that it is.
struct Metric {
  std::string_view name;
  double PublishedRun::*member;
  enum class Kind { time, rate, share, count } kind;
};
constexpr std::array metrics{
    Metric{"throughput", &PublishedRun::samples_per_s, Metric::Kind::rate},
    Metric{"ttt", &PublishedRun::training_time_s, Metric::Kind::time},
    Metric{"training_time", &PublishedRun::training_time_s, Metric::Kind::time},
    Metric{"time_to_train", &PublishedRun::training_time_s, Metric::Kind::time},
    Metric{"wall", &PublishedRun::launch_wall_time_s, Metric::Kind::time},
    Metric{"epoch", &PublishedRun::median_epoch_s, Metric::Kind::time},
    Metric{"epoch_median", &PublishedRun::median_epoch_s, Metric::Kind::time},
    Metric{"epochs", &PublishedRun::epochs, Metric::Kind::count},
    Metric{"samples_per_epoch", &PublishedRun::samples_per_epoch, Metric::Kind::count},
    Metric{"iou", &PublishedRun::quality, Metric::Kind::share}};

struct Mode {
  std::string_view name;
  PublishedRule rule;
};
/// Beside those that are called as rules are.
constexpr std::array modes{Mode{"linear_rule", PublishedRule::linear},
                           Mode{"mlperf_ttt", PublishedRule::time_to_quality}};
/// "strong_gbs16": strong scaling of a global batch of 16.
constexpr std::string_view strong_mode = "strong_gbs";
constexpr std::string_view strong_example = "strong_gbs256";

/// Behind a source: the number was computed from what stands there.
constexpr std::string_view computed_mark = ", computed";

struct Columns {
  static constexpr std::array<std::string_view, 4> batches{"global_batch_size", "global_batch",
                                                           "batch_size", "batch"};
  static constexpr std::array<std::string_view, 14> names{
      "id",    "workload", "device", "n",        "precision", "mode",     "metric",
      "value", "unit",     "source", batches[0], batches[1],  batches[2], batches[3]};
  explicit Columns(const CsvTable& table)
      : id(table.require("id")),
        workload(table.require("workload")),
        device(table.require("device")),
        n(table.require("n")),
        precision(table.require("precision")),
        mode(table.require("mode")),
        metric(table.require("metric")),
        value(table.require("value")),
        unit(table.require("unit")),
        source(table.require("source")) {}
  std::size_t id, workload, device, n, precision, mode, metric, value, unit, source;
};

/// Launches of one n: the k-th value of each metric is the k-th launch's.
struct Point {
  std::vector<PublishedRun> runs;
  std::map<std::string, std::size_t> counts;  ///< of each metric
  std::string batch;                          ///< where a column says it
};

struct ArmRows {
  PublishedArm arm;
  std::map<std::int64_t, Point> by_ranks;
};

/// What is counted as samples, and what holds a global batch of them.
constexpr std::array sample_nouns{
    "images",    "imgs",      "samples", "examples", "records",   "items",      "patches",
    "tiles",     "crops",     "pairs",   "volumes",  "slices",    "voxels",     "pixels",
    "points",    "tokens",    "words",   "chars",    "sequences", "seqs",       "sentences",
    "documents", "clips",     "frames",  "videos",   "graphs",    "utterances", "nodes",
    "edges",     "molecules", "atoms",   "games",    "sites",     "structures", "queries"};
constexpr std::array step_nouns{"steps", "its", "iters", "iterations", "batches", "updates"};

/// A unit of a throughput.
struct Rate {
  std::string noun;   ///< "images"
  double factor = 1;  ///< 1000 of "kimages/s"
  [[nodiscard]] bool is_of_steps() const {
    return std::ranges::find(step_nouns, noun) != step_nouns.end();
  }
};

/// "img" -> "images"; "" for what is none of both.
std::string known_noun(std::string noun) {
  noun = in_lower_case(std::move(noun));
  if (!noun.ends_with('s')) noun += noun.ends_with("ch") ? "es" : "s";
  if (noun == "imgs") return "images";
  const bool is_known = std::ranges::find(sample_nouns, noun) != sample_nouns.end() ||
                        std::ranges::find(step_nouns, noun) != step_nouns.end();
  return is_known ? noun : "";
}

/// Nothing for what is no rate of all ranks, as "img/GPU/s", and for "GB/s". "images/s (total)" is
/// one.
std::optional<Rate> rate_of(const std::string& unit) {
  if (in_lower_case(unit) == "fps") return Rate{"frames"};
  auto words = split(unit, ' ');
  constexpr std::array of_all{"total", "(total)", "overall", "aggregate", "global"};
  std::erase_if(words, [&](const std::string& word) {
    return std::ranges::find(of_all, in_lower_case(word)) != of_all.end();
  });
  for (auto& word : words)
    if (in_lower_case(word) == "per") word = "/";
  const auto text = join(words, "");
  const auto slash = std::min(text.rfind('/'), text.size());
  const auto seconds = seconds_in(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!seconds) return std::nullopt;
  const auto what = text.substr(0, slash);
  if (const auto noun = known_noun(what); !noun.empty()) return Rate{noun, 1 / *seconds};
  constexpr std::array prefixes{std::pair{'k', 1e3}, std::pair{'K', 1e3}, std::pair{'M', 1e6},
                                std::pair{'G', 1e9}};
  for (const auto& [prefix, factor] : prefixes)
    if (what.starts_with(prefix))
      if (const auto noun = known_noun(what.substr(1)); !noun.empty())
        return Rate{noun, factor / *seconds};
  return std::nullopt;
}

template <class Row, std::size_t count>
std::string names_in(const std::array<Row, count>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return join(names, ", ");
}

bool has_one_count(const PublishedStudy& study) {
  std::set<std::int64_t> counts;
  for (const auto& arm : study.arms)
    for (const auto& run : arm.runs) counts.insert(run.ranks);
  return counts.size() == 1;
}

class Reader {
 public:
  Reader(const std::string& text, std::string origin)
      : table_(text, std::move(origin)), columns_(table_) {}

  Imported read(const std::string& origin) {
    if (table_.rows() == 0)
      throw BadInput({cat(origin, " holds no rows"), "a row is a number",
                      "Copy it again from where it came from"});
    for (std::size_t row = 0; row < table_.rows(); ++row) add(row);
    Imported imported;
    for (auto& [id, study] : studies_) {
      for (auto& [key, rows] : arms_[id]) {
        for (auto& [ranks, point] : rows.by_ranks) share_samples(point);
        note_batches(rows);
        note_machines(rows);
        for (const auto& [ranks, point] : rows.by_ranks)
          rows.arm.runs.insert(rows.arm.runs.end(), point.runs.begin(), point.runs.end());
        study.arms.push_back(std::move(rows.arm));
      }
      name_arms(study);
      note_sources(study);
      imported.studies.push_back(std::move(study));
    }
    if (imported.studies.size() > 1 && std::ranges::all_of(imported.studies, has_one_count))
      imported.notes.push_back(cat("column id makes ", imported.studies.size(),
                                   " studies of one number of ranks each, which compare nothing: "
                                   "rows of one study have the same id"));
    if (const auto unused = table_.unused(Columns::names); !unused.empty())
      imported.notes.push_back(
          cat("columns not used, rows that differ in them alone are launches: ", unused));
    for (const auto& doubt : table_.doubts())
      imported.notes.push_back(doubt.starts_with(origin) ? doubt : cat(origin, ": ", doubt));
    for (const auto& [reason, count] : left_out_)
      imported.notes.push_back(cat(counted(count, "row"), " left out: ", reason));
    imported.notes.insert(imported.notes.end(), notes_.begin(), notes_.end());
    return imported;
  }

 private:
  [[nodiscard]] std::string at(std::size_t row, std::size_t column) const {
    return one_line(table_.text(row, column));
  }

  /// For what people call by a name.
  [[nodiscard]] std::string name_at(std::size_t row, std::size_t column) {
    return spelling_.of(at(row, column));
  }

  void leave_out(const std::string& reason) { ++left_out_[reason]; }

  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& why) const {
    throw BadInput(
        {cat(table_.place(row, column), ": '", shortened(at(row, column), 80), "' cannot be right"),
         why, "Correct the row or take it out"});
  }
  [[noreturn]] void refuse_second(std::size_t row,
                                  std::size_t column,
                                  const std::string& first) const {
    throw BadInput({cat(table_.place(row, column), ": '", shortened(at(row, column), 80),
                        "' beside '", first, "' of another row of its id"),
                    "they are two studies", "Give the rows of each an id of its own"});
  }

  void add(std::size_t row) {
    if (!rows_.insert(table_.values(row)).second)
      return leave_out("the same row stands there before");
    const auto metric = at(row, columns_.metric);
    const auto found = std::ranges::find(metrics, metric, &Metric::name);
    if (found == metrics.end())
      return leave_out(cat("metric '", shortened(metric, 80), "' is none of ", names_in(metrics),
                           "; ratios are computed from these"));
    if (at(row, columns_.n).empty()) return leave_out("n is empty: a point has its place by it");
    double value = table_.number(row, columns_.value);
    if (!std::isfinite(value)) refuse(row, columns_.value, "it is not finite");
    const auto unit = at(row, columns_.unit);
    const auto leave_out_unit = [&](const std::string& accepted) {
      leave_out(cat("unit '", shortened(unit, 80), "' of ", metric, " is not ", accepted));
    };
    std::string noun;
    switch (found->kind) {
      case Metric::Kind::rate: {
        const auto rate = rate_of(unit);
        if (!rate)
          return leave_out_unit("samples that all ranks train on in a second, as images/s");
        value *= rate->factor;
        if (!rate->is_of_steps()) {
          noun = rate->noun;
        } else if (const auto batch = strong_batch(row)) {
          value *= *batch;
        } else {
          return leave_out_unit(
              cat("samples: how many a step has, only a mode as ", strong_example, " says"));
        }
        break;
      }
      case Metric::Kind::time: {
        const auto seconds = seconds_in(unit);
        if (!seconds) return leave_out_unit(cat("one of ", time_unit_names));
        value *= *seconds;
        break;
      }
      case Metric::Kind::share:
        if (unit != "1" && !unit.empty()) return leave_out_unit("1: it is a share from 0 to 1");
        table_.require_share(row, columns_.value);
        break;
      case Metric::Kind::count:
        if (unit.empty() || unit == "1") break;
        if (found->member == &PublishedRun::epochs) {
          if (unit != "epoch" && unit != "epochs") return leave_out_unit("epochs");
        } else {
          noun = known_noun(unit);
          if (noun.empty()) return leave_out_unit("samples, as images");
        }
        break;
    }
    if (found->kind != Metric::Kind::share && !(value > 0 && value <= most_of_anything))
      refuse(row, columns_.value, cat("it is above 0 and at most ", most_of_anything));
    set(row, *found, value, noun);
  }

  void set(std::size_t row, const Metric& metric, double value, const std::string& noun) {
    auto& study = study_of(row);
    if (!noun.empty()) {
      if (counted_.try_emplace(study.name, noun).first->second != noun)
        refuse(row, columns_.unit, cat("other rows of its id count ", study.sample_noun));
      study.sample_noun = noun;
    }
    auto& rows = arm_of(row, study);
    auto& point = rows.by_ranks[ranks_of(row)];
    require_one_batch(row, point);
    const auto launch = point.counts[std::string(metric.name)]++;
    if (launch == point.runs.size()) point.runs.emplace_back();
    auto& run = point.runs[launch];
    run.ranks = ranks_of(row);
    if (std::isfinite(run.*metric.member) && run.*metric.member != value)
      refuse(row, columns_.metric, "an earlier row says the same by another name, and otherwise");
    run.*metric.member = value;
    const double base = point.runs.front().*metric.member;
    if (constexpr double most = 2; value > most * base || base > most * value)
      notes_.push_back(cat(table_.place(row, columns_.value), ": ", value, " beside ", base,
                           " of another launch with ", counted(run.ranks, "rank"),
                           ": their mean is that of neither"));
    if (const auto batch = strong_batch(row)) run.global_batch_size = *batch;
    if (metric.name == "iou") rows.arm.quality_metric = "iou";
    if (at(row, columns_.source).ends_with(computed_mark))
      for (const auto& field : published_fields())
        if (field.member == metric.member) add_unique(rows.arm.computed, field.name);
  }

  /// A mean over two configurations is that of neither.
  void require_one_batch(std::size_t row, Point& point) const {
    for (const auto name : Columns::batches)
      if (const auto column = table_.find(name); column && !at(row, *column).empty()) {
        if (point.batch.empty()) point.batch = at(row, *column);
        if (point.batch != at(row, *column)) refuse_second(row, *column, point.batch);
        return;
      }
  }

  /// What one launch says of an epoch holds for all of its point.
  static void share_samples(Point& point) {
    double samples = not_available;
    for (const auto& run : point.runs) {
      if (std::isnan(run.samples_per_epoch)) continue;
      if (std::isfinite(samples) && samples != run.samples_per_epoch) return;
      samples = run.samples_per_epoch;
    }
    for (auto& run : point.runs) run.samples_per_epoch = samples;
  }

  /// Where they are as the mode says neither of a rank nor of all.
  void note_batches(ArmRows& rows) {
    const auto rule = rows.arm.scaling_rule;
    if (rule == PublishedRule::not_stated || rule == PublishedRule::time_to_quality) return;
    const auto batch_of = [](const auto& point) {
      const auto& text = point.second.batch;
      const bool is_count =
          !text.empty() && text.size() < 10 && std::ranges::all_of(text, is_digit);
      return is_count ? std::stod(text) : not_available;
    };
    const auto& first = *rows.by_ranks.begin();
    for (const auto& point : rows.by_ranks) {
      const double more = batch_of(point) / batch_of(first);
      const double ranks = static_cast<double>(point.first) / static_cast<double>(first.first);
      if (std::isnan(more) || more == 1 ||
          more == (rule == PublishedRule::strong ? 1 / ranks : ranks))
        continue;
      const auto remark = cat("batch ", point.second.batch, " with ", counted(point.first, "rank"),
                              ", and ", first.second.batch, " with ", counted(first.first, "rank"),
                              ", unlike mode ", to_string(rule));
      notes_.push_back(cat(rows.arm.device, ' ', rows.arm.precision, ": ", remark));
      rows.arm.remark += cat(" When imported: ", remark, '.');
      return;
    }
  }

  /// A machine of eight may have all numbers of ranks up to eight; where it never has eight, they
  /// may count machines.
  void note_machines(ArmRows& rows) {
    const auto [count, name] = epoch_columns::ranks_in_comments(rows.arm.device).mentioned;
    std::vector<std::string> others;
    for (const auto& [ranks, point] : rows.by_ranks) {
      if (static_cast<double>(ranks) == count) return;
      if (std::fmod(static_cast<double>(ranks), count) > 0) others.push_back(cat(ranks));
    }
    if (others.empty()) return;
    const auto remark =
        cat("n ", join(others, ", "), " counts ranks, where device says ", count, ' ', name,
            ": if it counts machines, ranks are ", count, " times as many");
    notes_.push_back(cat(rows.arm.device, ' ', rows.arm.precision, ": ", remark));
    rows.arm.remark += cat(" When imported: ", remark, '.');
  }

  [[nodiscard]] std::int64_t ranks_of(std::size_t row) const {
    const double n = table_.number(row, columns_.n);
    if (!(n >= 1 && n <= 1e6 && n == std::floor(n)))
      refuse(row, columns_.n, "ranks are whole numbers from 1 on");
    return static_cast<std::int64_t>(n);
  }

  PublishedStudy& study_of(std::size_t row) {
    const auto name = published_name_from(table_.text(row, columns_.id));
    if (name.empty()) refuse(row, columns_.id, "studies and their files are called by it");
    auto& study = studies_[name];
    const auto workload = name_at(row, columns_.workload);
    const auto source = source_at(row);
    if (source.empty()) refuse(row, columns_.source, "a number without its source says nothing");
    if (study.name.empty()) {
      study = {.name = name,
               .title = cat(workload, ": ", at(row, columns_.id)),
               .repository = source,
               .workload = workload};
      ids_[name] = at(row, columns_.id);
    }
    if (ids_[name] != at(row, columns_.id))
      refuse(row, columns_.id, cat("its file would be that of '", ids_[name], "'"));
    if (study.workload != workload) refuse_second(row, columns_.workload, study.workload);
    return study;
  }

  /// "A100" of "4x A100" with four ranks.
  [[nodiscard]] std::string device_at(std::size_t row) {
    auto device = name_at(row, columns_.device);
    const auto count = cat(ranks_of(row));
    const auto rest = std::string_view(device).substr(std::min(count.size(), device.size()));
    if (!device.starts_with(count) || !(rest.starts_with('x') || rest.starts_with(" x ")))
      return device;
    const auto name = rest.substr(rest.find('x') + 1);
    return std::string(name.substr(std::min(name.find_first_not_of(' '), name.size())));
  }

  /// Without what says that the table's maker computed the number.
  [[nodiscard]] std::string source_at(std::size_t row) const {
    auto source = at(row, columns_.source);
    if (source.ends_with(computed_mark)) source.resize(source.size() - computed_mark.size());
    return source;
  }

  ArmRows& arm_of(std::size_t row, const PublishedStudy& study) {
    const auto device = device_at(row);
    const auto precision = name_at(row, columns_.precision);
    const auto mode = mode_at(row);
    const auto source = source_at(row);
    auto& rows = arms_[study.name][{device, precision, mode, source}];
    rows.arm.device = device;
    rows.arm.precision = precision;
    rows.arm.scaling_rule = rule_of(row);
    rows.arm.remark = mode.empty() ? "" : cat("Mode ", mode, ".");
    if (source != study.repository) rows.arm.remark += cat(" Published at ", source, ".");
    return rows;
  }

  /// "Strong scaling" -> "strong"
  [[nodiscard]] std::string mode_at(std::size_t row) const {
    auto mode = in_lower_case(at(row, columns_.mode));
    std::ranges::replace_if(
        mode, [](char c) { return c == ' ' || c == '-'; }, '_');
    constexpr std::string_view end = "_scaling";
    if (mode.ends_with(end)) mode.resize(mode.size() - end.size());
    return mode;
  }

  [[nodiscard]] PublishedRule rule_of(std::size_t row) const {
    const auto mode = mode_at(row);
    if (mode.empty()) return PublishedRule::not_stated;
    if (strong_batch(row)) return PublishedRule::strong;
    if (mode.starts_with("weak_")) return PublishedRule::weak;
    if (const auto rule = find_choice<PublishedRule>(mode)) return *rule;
    const auto found = std::ranges::find(modes, mode, &Mode::name);
    if (found == modes.end())
      refuse(row, columns_.mode,
             cat("it is none of ", join(names_of(named_choices<PublishedRule>()), ", "), ", ",
                 names_in(modes), ", and begins with none of weak_, ", strong_mode,
                 " (and the global batch)"));
    return found->rule;
  }

  [[nodiscard]] std::optional<double> strong_batch(std::size_t row) const {
    const auto mode = mode_at(row);
    if (!mode.starts_with(strong_mode)) return std::nullopt;
    const auto digits = mode.substr(strong_mode.size());
    const bool is_count = !digits.empty() && digits.size() < 10 && digits.front() != '0' &&
                          digits.find_first_not_of("0123456789") == std::string::npos;
    if (!is_count)
      refuse(row, columns_.mode, cat("the global batch stands behind it, as ", strong_example));
    return std::stod(digits);
  }

  /// Numbers of several sources are compared with none of another.
  void note_sources(const PublishedStudy& study) {
    std::map<std::tuple<std::string, std::string, PublishedRule>, int> arms;
    for (const auto& arm : study.arms) ++arms[{arm.device, arm.precision, arm.scaling_rule}];
    for (const auto& [what, count] : arms)
      if (count > 1)
        notes_.push_back(cat(study.name, ": ", count,
                             " arms have one device, precision and rule, and "
                             "differ in source or mode: rows of one curve have the same"));
  }

  /// As short as they can be told apart.
  static void name_arms(PublishedStudy& study) {
    std::map<std::string, int> seen;
    for (auto& arm : study.arms) {
      const auto is_like = [&](const auto& other) {
        return other.device == arm.device && other.precision == arm.precision;
      };
      std::set<PublishedRule> rules;
      for (const auto& other : study.arms)
        if (is_like(other)) rules.insert(other.scaling_rule);
      std::vector<std::string> parts{arm.device, arm.precision};
      if (rules.size() > 1) parts.emplace_back(to_string(arm.scaling_rule));
      std::erase(parts, "");
      arm.name = parts.empty() ? "all" : join(parts, " ");
      if (const int count = ++seen[arm.name]; count > 1) arm.name += cat(" (", count, ")");
    }
  }

  CsvTable table_;
  Columns columns_;
  std::map<std::string, PublishedStudy> studies_;
  std::map<std::string, std::string> ids_, counted_;  ///< by study, what its samples are called
  Spelling spelling_;
  std::map<std::string, std::map<std::array<std::string, 4>, ArmRows>> arms_;
  std::set<std::vector<std::string>> rows_;  ///< those that came
  std::map<std::string, std::size_t> left_out_;
  std::vector<std::string> notes_;
};

}  // namespace

Imported studies_from_published_csv(const std::string& text, const std::string& origin) {
  return Reader(text, origin).read(origin);
}

}  // namespace scalestudy
