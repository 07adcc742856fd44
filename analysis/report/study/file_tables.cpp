#include "analysis/report/study/file_tables.hpp"

#include <utility>

#include "core/text.hpp"

namespace scalestudy {
namespace {

ReportTable in_files(std::string slug, std::string caption, std::vector<TableColumn> columns) {
  return {std::move(slug), std::move(caption), std::move(columns), {}, /*is_on_page=*/false};
}

}  // namespace

ReportTable evaluation_sets_table(const SeriesAnalysis& analysis) {
  const EvaluationPopulation& population = analysis.population;
  auto table = in_files(cat(analysis.series.slug, "-evaluation-sets"),
                        "What models were evaluated on; qualities of sets that are not identical "
                        "in all runs are not compared.",
                        {{"name", "set", false},
                         {"hash", "hash", false},
                         {"sample_count", "samples"},
                         {"is_reported", "of the last evaluation", false},
                         {"is_identical", "all runs: the same", false}});
  for (const EvaluatedSet& set : population.sets)
    table.rows.push_back({text_cell(set.name), text_cell(set.hash), integer_cell(set.samples),
                          yes_no_cell(set.name == population.reported),
                          yes_no_cell(population.identical)});
  return table;
}

ReportTable outliers_table(const SeriesAnalysis& analysis) {
  auto table =
      in_files(cat(analysis.series.slug, "-outliers"),
               "Launches that trained unusually long; they count as any other.",
               {{"run_id", "run", false}, {"training_time_ratio", "times as long as its like"}});
  for (const Outlier& one : analysis.outliers)
    table.rows.push_back({text_cell(one.run->record.header.run_id), number_cell(one.time_ratio)});
  return table;
}

ReportTable two_speeds_table(const SeriesAnalysis& analysis) {
  auto table = in_files(cat(analysis.series.slug, "-two-speeds"),
                        "Launches that run at two speeds, by their training time.",
                        {{"ranks", "ranks"},
                         {"control_arm", "control arm", false},
                         {"slow_launches", "slow ones"},
                         {"launches", "of launches"},
                         {"training_time_ratio", "times as slow"}});
  for (const auto& [series, ranks, speeds] : analysis.two_speeds)
    table.rows.push_back({integer_cell(ranks), text_cell(to_string(series->spec.control_arm)),
                          integer_cell(speeds.upper), integer_cell(speeds.launches),
                          number_cell(speeds.ratio)});
  return table;
}

ReportTable resolution_table(const SeriesAnalysis& analysis) {
  const Resolution& resolution = analysis.resolution;
  auto table = in_files(cat(analysis.series.slug, "-resolution"),
                        "Which difference can be told: A/A floor, speed-up and margin, as shares.",
                        {{"label", "label", false},
                         {"repeats", "repeats"},
                         {"comparison", "comparison", false},
                         {"floor_frac", "floor"},
                         {"speedup_frac", "speed-up"},
                         {"margin_frac", "margin"}});
  table.rows.push_back({text_cell(resolution.label()), integer_cell(resolution.repeats),
                        text_cell(to_string(resolution.comparison)),
                        number_cell(resolution.floor_frac), number_cell(resolution.speedup_frac),
                        number_cell(resolution.margin_frac)});
  return table;
}

ReportTable machines_table(const StudyAnalysis& analysis) {
  auto table = in_files("machines", "Kinds of machine that the runs come from.",
                        {{"kind", "kind", false}, {"words", "in short", false}});
  for (const Machine& machine : analysis.machines())
    table.rows.push_back({text_cell(machine.kind), text_cell(machine.words)});
  return table;
}

ReportTable absent_runs_table(const StudyAnalysis& analysis) {
  auto table =
      in_files("absent-runs", "What has no result: unreadable files, copies, runs without a file.",
               {{"kind", "kind", false}, {"name", "name", false}, {"reason", "reason", false}});
  const RunSet& set = analysis.runs();
  const auto add = [&](const char* kind, const std::vector<AbsentRun>& runs) {
    for (const AbsentRun& run : runs)
      table.rows.push_back({text_cell(kind), text_cell(run.name), text_cell(run.reason)});
  };
  add("unreadable", set.unreadable);
  add("copy", set.copies);
  add("damaged_plan", set.damaged_plans);
  add("without_file", set.without_file);
  add("skipped", set.skipped);
  return table;
}

}  // namespace scalestudy
