/// Tables about settings and environment: what differs between runs, between rank counts, and
/// between what was asked for and what was in force.

#include "analysis/report/study/settings_tables.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"

#include "record/machine/host_environment.hpp"

#include "analysis/report/text/numbers.hpp"
#include "analysis/series/setting_stages.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

constexpr const char* not_stated = "not stated";

/// Path -> the distinct values it has in some runs, in order of appearance.
using ValuesByPath = std::map<std::string, std::vector<std::string>>;

/// 25276502016 of "/memory_bytes" -> "23.54 GiB".
std::string readable(const std::string& path, const std::string& value) {
  if (value.empty()) return not_stated;
  if (!path.ends_with("_bytes")) return without_brackets(value);
  const auto bytes = number_as_written(value);
  return bytes ? human_bytes(*bytes) : value;
}

/// For people and for the CSV.
TableCell value_cell(const std::string& path, const std::vector<std::string>& values) {
  if (values.empty()) return {not_stated, ""};
  const std::string more = values.size() == 1 ? "" : cat(" … (", values.size(), " values)");
  return {readable(path, values.front()) + more, values.front() + more};
}

TableCell value_cell(const std::string& path, const std::optional<std::string>& value) {
  return value ? value_cell(path, std::vector{*value}) : TableCell{not_stated, ""};
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

TableCell property_cell(const std::string& path) {
  static const auto words = host_environment_words();
  constexpr std::string_view variables = "/variables/";
  if (path.starts_with(variables)) return {cat("Variable ", path.substr(variables.size())), path};
  std::string given = path.substr(1);
  std::replace(given.begin(), given.end(), '/', '.');
  const auto found = words.find(path);
  return found == words.end() ? TableCell{given, path} : TableCell{found->second, path, {}, given};
}

ValuesByPath environment_values(const RunSet& set, const Machine& machine) {
  ValuesByPath values;
  for (const Run& run : set.runs) {
    if (run.origin.machine != machine.kind) continue;
    for (const auto& [path, value] : flatten_json(run.record.environment))
      add_unique(values[path], value);
  }
  return values;
}

/// Recorded by the programs, not by the machine.
std::vector<TableCell> build_row(const StudyAnalysis& analysis) {
  std::vector<TableCell> row{{"Build of scalestudy", "build"}};
  for (const Machine& machine : analysis.machines()) {
    std::set<std::string> builds;
    for (const Run& run : analysis.runs().runs)
      if (run.origin.machine == machine.kind) builds.insert(run.origin.build);
    row.push_back(text_cell(join({builds.begin(), builds.end()}, ", ")));
  }
  return row;
}

/// "Epochs at one rank" is what a study file asks for; what became of it is "Epochs".
TableCell stage_name_cell(const SettingWords& words,
                          const std::string& workload,
                          const std::string& path) {
  TableCell name = words.name_cell(workload, path);
  constexpr std::string_view settings = "/settings/";
  const TableCell planned = words.name_cell(workload, cat("/plan/", path.substr(settings.size())));
  if (!planned.detail.empty()) name.shown = planned.shown;
  return name;
}

}  // namespace

ReportTable differing_settings_table(const SeriesAnalysis& analysis, const SettingWords& words) {
  ReportTable table{analysis.series.slug + "-differing-settings",
                    "What the plan changed with the number of ranks. Not shown: each rank's share "
                    "of the batch.",
                    {{"setting", "setting", false}},
                    {}};
  std::map<std::int64_t, ValuesByPath> by_ranks;
  std::set<std::string> paths;
  for (const auto& [ranks, runs] : analysis.series.by_ranks) {
    by_ranks[ranks] = resolved_values(runs);
    for (const auto& [path, values] : by_ranks[ranks]) paths.insert(path);
    table.columns.push_back({cat("ranks_", ranks), counted(ranks, "rank")});
  }
  for (const std::string& path : paths) {
    std::vector<TableCell> row{words.name_cell(analysis.series.spec.workload, path)};
    std::set<std::string> distinct;
    for (auto& [ranks, values] : by_ranks) {
      distinct.insert(values[path].begin(), values[path].end());
      row.push_back(value_cell(path, values[path]));
    }
    if (distinct.size() > 1) table.rows.push_back(row);
  }
  return table;
}

ReportTable time_like_table(const SeriesAnalysis& analysis, const SettingWords& words) {
  const RunSpec& spec = any_run(analysis).spec;
  ReportTable table{analysis.series.slug + "-time-like",
                    cat("What the rule ", spec.scaling_rule,
                        " did with everything that counts steps or epochs, at ",
                        ranks_in_words(spec.ranks, false), "."),
                    {{"setting", "setting", false},
                     {"requested", "asked for"},
                     {"resolved", "planned"},
                     {"scaled", "changed", false},
                     {"reason", "reason", false}},
                    {}};
  for (const TimeLikeSetting& setting : spec.plan.time_like) {
    std::string path = "/settings/" + setting.name;
    std::replace(path.begin(), path.end(), '.', '/');
    TableCell name = words.name_cell(spec.workload, path);
    name.raw = setting.name;
    table.rows.push_back({name, shown_cell(compact(setting.requested), setting.requested),
                          shown_cell(compact(setting.resolved), setting.resolved),
                          yes_no_cell(setting.scaled), text_cell(setting.reason)});
  }
  return table;
}

ReportTable settings_stages_table(const SeriesAnalysis& analysis, const SettingWords& words) {
  const Run& run = any_run(analysis);
  ReportTable table{
      analysis.series.slug + "-settings-stages",
      cat("Settings that did not stay as they were asked for, in run ", run.record.header.run_id,
          ": in the study file, in the plan, and as the ranks found them in force."),
      {{"setting", "setting", false},
       {"requested", "asked for"},
       {"resolved", "planned"},
       {"effective", "used"}},
      {}};
  for (const SettingStages& setting : setting_stages(run.record)) {
    if (setting.path.empty() || !setting.differs()) continue;
    table.rows.push_back({stage_name_cell(words, run.spec.workload, setting.path),
                          value_cell(setting.path, setting.requested),
                          value_cell(setting.path, setting.resolved),
                          value_cell(setting.path, setting.effective)});
  }
  return table;
}

ReportTable environment_table(const StudyAnalysis& analysis) {
  const auto& machines = analysis.machines();
  ReportTable table{"environment",
                    cat("Environment of the runs; several values mean that runs ",
                        machines.size() > 1 ? "of a machine differ in it." : "differ in it."),
                    {{"property", "property", false}},
                    {}};
  std::vector<ValuesByPath> by_machine;
  std::set<std::string> paths;
  for (const Machine& machine : machines) {
    by_machine.push_back(environment_values(analysis.runs(), machine));
    for (const auto& [path, values] : by_machine.back()) paths.insert(path);
    const auto number = table.columns.size();
    table.columns.push_back(machines.size() > 1
                                ? TableColumn{cat("machine_", number), machine.words, false}
                                : TableColumn{"value", "value", false});
  }
  table.rows.push_back(build_row(analysis));
  for (const auto& path : paths) {
    std::vector<TableCell> row{property_cell(path)};
    for (auto& values : by_machine) row.push_back(value_cell(path, values[path]));
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace scalestudy
