/// Tables about settings and environment: what differs between runs, between rank counts, and
/// between what was asked for and what was in force.

#include <map>
#include <set>

#include "core/text.hpp"

#include "analysis/report/numbers.hpp"
#include "analysis/report/settings_json.hpp"
#include "analysis/report/tables.hpp"

namespace scalestudy {
namespace {

/// Path -> the distinct values it has in some runs, in order of appearance.
using ValuesByPath = std::map<std::string, std::vector<std::string>>;

void add_value(std::vector<std::string>& values, const std::string& value) {
  for (const std::string& present : values) {
    if (present == value) return;
  }
  values.push_back(value);
}

std::string shown_values(const std::vector<std::string>& values) {
  if (values.empty()) return missing_number;
  return values.size() == 1 ? values.front()
                            : cat(values.front(), " … (", values.size(), " values)");
}

/// What differs by design or is shown in a table of its own.
bool is_expected_to_differ(const std::string& path) {
  return path == "/repeat" || path == "/ranks" || path == "/run_id" ||
         path.starts_with("/plan/time_like") || path.ends_with("local_batch_sizes");
}

ValuesByPath resolved_values(const std::vector<const Run*>& runs) {
  ValuesByPath values;
  for (const Run* run : runs) {
    for (const auto& [path, value] : flatten_json(run->record.resolved_settings)) {
      if (!is_expected_to_differ(path)) add_value(values[path], value);
    }
  }
  return values;
}

const Run& any_run(const SeriesAnalysis& analysis) {
  return *analysis.series.by_ranks.rbegin()->second.front();
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// "5" and "5.0" are the same setting.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  try {
    std::size_t end_a = 0, end_b = 0;
    const double x = std::stod(a, &end_a), y = std::stod(b, &end_b);
    return end_a == a.size() && end_b == b.size() && x == y;
  } catch (const std::exception&) {
    return false;
  }
}

bool all_same(const std::vector<std::string>& stages) {
  std::string first;
  for (const std::string& value : stages) {
    if (value.empty()) continue;
    if (first.empty()) first = value;
    if (!same_value(first, value)) return false;
  }
  return true;
}

/// What a setting became: the plan's value where the rule changed it, else the setting's.
std::string resolved_value(const FlatSettings& resolved, const std::string& path) {
  const std::string name = last_part(path);
  if (const auto plan = resolved.find("/plan/" + name); plan != resolved.end()) return plan->second;
  if (const auto same = resolved.find(path); same != resolved.end()) return same->second;
  return value_named(resolved, name);
}

}  // namespace

ReportTable differing_settings_table(const SeriesAnalysis& analysis) {
  ReportTable table{analysis.series.slug + "-differing-settings",
                    "Resolved settings that differ between rank counts; all others are equal.",
                    {{"setting", "setting", false}},
                    {}};
  std::map<std::int64_t, ValuesByPath> by_ranks;
  std::set<std::string> paths;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    by_ranks[ranks] = resolved_values(runs);
    for (const auto& [path, values] : by_ranks[ranks]) paths.insert(path);
    table.columns.push_back({cat("ranks_", ranks), cat(ranks, ranks == 1 ? " rank" : " ranks")});
  }
  for (const std::string& path : paths) {
    std::vector<TableCell> row{text_cell(path)};
    std::set<std::string> distinct;
    for (auto& [ranks, values] : by_ranks) {
      for (const std::string& value : values[path]) distinct.insert(value);
      row.push_back(text_cell(shown_values(values[path])));
    }
    if (distinct.size() > 1) table.rows.push_back(row);
  }
  return table;
}

ReportTable time_like_table(const SeriesAnalysis& analysis) {
  const RulePlan& plan = any_run(analysis).spec.plan;
  ReportTable table{analysis.series.slug + "-time-like",
                    cat("What the rule did to every time-like setting at ",
                        ranks_in_words(any_run(analysis).spec.ranks, false), "."),
                    {{"setting", "setting", false},
                     {"requested", "requested"},
                     {"resolved", "resolved"},
                     {"scaled", "scaled", false},
                     {"reason", "reason", false}},
                    {}};
  for (const TimeLikeSetting& setting : plan.time_like) {
    table.rows.push_back({text_cell(setting.name),
                          shown_cell(exact(setting.requested), setting.requested),
                          shown_cell(exact(setting.resolved), setting.resolved),
                          text_cell(setting.scaled ? "yes" : "no"), text_cell(setting.reason)});
  }
  return table;
}

ReportTable settings_stages_table(const SeriesAnalysis& analysis) {
  const Run& run = any_run(analysis);
  const FlatSettings requested = flatten_json(run.record.requested_settings);
  const FlatSettings resolved = flatten_json(run.record.resolved_settings);
  const FlatSettings effective = flatten_json(run.record.effective_settings);
  ReportTable table{analysis.series.slug + "-settings-stages",
                    cat("Settings whose requested, resolved and effective values differ, in run ",
                        run.record.header.run_id, ". Empty: not stated at that stage."),
                    {{"setting", "setting", false},
                     {"requested", "requested"},
                     {"resolved", "resolved"},
                     {"effective", "effective"}},
                    {}};
  std::set<std::string> names;
  for (const auto& [path, value] : requested) {
    if (path.starts_with("/settings/")) names.insert(path);
  }
  for (const auto& [path, value] : resolved) {
    if (path.starts_with("/settings/")) names.insert(path);
  }
  for (const std::string& path : names) {
    const auto asked = requested.find(path);
    const std::vector<std::string> stages{asked == requested.end() ? "" : asked->second,
                                          resolved_value(resolved, path),
                                          value_named(effective, last_part(path))};
    if (all_same(stages)) continue;
    table.rows.push_back(
        {text_cell(path), text_cell(stages[0]), text_cell(stages[1]), text_cell(stages[2])});
  }
  return table;
}

ReportTable environment_table(const StudyAnalysis& analysis) {
  ReportTable table{"environment",
                    "Environment of the runs; several values mean that runs differ in it.",
                    {{"property", "property", false}, {"value", "value", false}},
                    {}};
  ValuesByPath values;
  for (const Run& run : analysis.runs().runs) {
    for (const auto& [path, value] : flatten_json(run.record.environment)) {
      add_value(values[path], value);
    }
  }
  table.rows.push_back({text_cell("build"), text_cell(join(build_ids(analysis.runs()), ", "))});
  for (const auto& [path, distinct] : values) {
    table.rows.push_back({text_cell(path), text_cell(shown_values(distinct))});
  }
  return table;
}

}  // namespace scalestudy
