/// Tables about settings and environment: what differs between runs, between rank counts, and
/// between what was asked for and what was in force.

#include <map>
#include <set>

#include "core/text.hpp"

#include "analysis/report/numbers.hpp"
#include "analysis/report/tables.hpp"
#include "analysis/setting_stages.hpp"
#include "analysis/settings_json.hpp"

namespace scalestudy {
namespace {

/// Path -> the distinct values it has in some runs, in order of appearance.
using ValuesByPath = std::map<std::string, std::vector<std::string>>;

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
      if (!is_expected_to_differ(path)) add_unique(values[path], value);
    }
  }
  return values;
}

const Run& any_run(const SeriesAnalysis& analysis) {
  return *analysis.series.by_ranks.rbegin()->second.front();
}

}  // namespace

ReportTable differing_settings_table(const SeriesAnalysis& analysis) {
  ReportTable table{analysis.series.slug + "-differing-settings",
                    "Resolved settings that differ between rank counts; not shown: what each rank "
                    "has a share of.",
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
                          shown_cell(compact(setting.requested), setting.requested),
                          shown_cell(compact(setting.resolved), setting.resolved),
                          text_cell(setting.scaled ? "yes" : "no"), text_cell(setting.reason)});
  }
  return table;
}

ReportTable settings_stages_table(const SeriesAnalysis& analysis) {
  const Run& run = any_run(analysis);
  ReportTable table{
      analysis.series.slug + "-settings-stages",
      cat("Settings of \"settings\" whose requested, resolved and effective values differ, in run ",
          run.record.header.run_id, ". Empty: not stated at that stage."),
      {{"setting", "setting", false},
       {"requested", "requested"},
       {"resolved", "resolved"},
       {"effective", "effective"}},
      {}};
  for (const SettingStages& setting : setting_stages(run.record)) {
    if (setting.path.empty() || !setting.differs()) continue;
    table.rows.push_back({text_cell(setting.path), text_cell(setting.requested.value_or("")),
                          text_cell(setting.resolved.value_or("")),
                          text_cell(setting.effective.value_or(""))});
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
      add_unique(values[path], value);
    }
  }
  table.rows.push_back({text_cell("build"), text_cell(join(build_ids(analysis.runs()), ", "))});
  for (const auto& [path, distinct] : values) {
    table.rows.push_back({text_cell(path), text_cell(shown_values(distinct))});
  }
  return table;
}

}  // namespace scalestudy
