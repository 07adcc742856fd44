#include "analysis/report/page/document.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/text.hpp"

#include "analysis/report/exchange/collectives_figures.hpp"
#include "analysis/report/exchange/collectives_report.hpp"
#include "analysis/report/exchange/exchange_report.hpp"
#include "analysis/report/learning/confusion.hpp"
#include "analysis/report/learning/panels.hpp"
#include "analysis/report/learning/quality_table.hpp"
#include "analysis/report/page/figures.hpp"
#include "analysis/report/published/overlay.hpp"
#include "analysis/report/published/published_figures.hpp"
#include "analysis/report/published/published_report.hpp"
#include "analysis/report/published/published_tables.hpp"
#include "analysis/report/speed/factors_report.hpp"
#include "analysis/report/speed/fair_base_report.hpp"
#include "analysis/report/speed/launch_table.hpp"
#include "analysis/report/speed/prediction_report.hpp"
#include "analysis/report/speed/run_causes_report.hpp"
#include "analysis/report/speed/speedup_table.hpp"
#include "analysis/report/step/arm_tables.hpp"
#include "analysis/report/step/causes_report.hpp"
#include "analysis/report/step/remedies_report.hpp"
#include "analysis/report/step/step_checks_table.hpp"
#include "analysis/report/step/step_table.hpp"
#include "analysis/report/study/file_tables.hpp"
#include "analysis/report/study/run_tables.hpp"
#include "analysis/report/study/settings_tables.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

std::string study_names(const StudyAnalysis& analysis) {
  std::set<std::string> names;
  for (const Run& run : analysis.runs().runs) names.insert(run.spec.study);
  const auto& published = analysis.published();
  if (published.size() == 1) names.insert(published.front().study.title);
  if (published.size() > 1) names.insert(cat(published.size(), " published works"));
  names.erase("");
  return names.empty() ? "scaling study" : join({names.begin(), names.end()}, ", ");
}

/// The different values that the runs recorded at `path` of one of their JSON texts.
std::vector<std::string> recorded_values(const RunSet& set,
                                         std::string RunFacts::*json_text,
                                         const std::string& path) {
  std::vector<std::string> values;
  for (const Run& run : set.runs) {
    const FlatSettings recorded = flatten_json(run.record.*json_text);
    if (const auto found = recorded.find(path); found != recorded.end())
      add_unique(values, found->second);
  }
  return values;
}

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) add_unique(names, folder.string());
  return names;
}

/// "10 runs as data and 15 of control arms".
std::string runs_as_data(const StudyAnalysis& analysis) {
  const auto& runs = analysis.runs().runs;
  const auto arms = std::count_if(runs.begin(), runs.end(), [](const Run& run) {
    return run.is_data() && run.spec.control_arm.has_value();
  });
  const auto others = analysis.data_runs() - static_cast<std::size_t>(arms);
  return cat(counted(others, "run"), " as data",
             arms > 0 ? cat(" and ", arms, " of control arms") : "");
}

std::vector<std::string> machine_names(const StudyAnalysis& analysis) {
  if (!analysis.has_several_machines())
    return recorded_values(analysis.runs(), &RunFacts::environment, "/cpu/model");
  std::vector<std::string> names;
  for (const Machine& machine : analysis.machines()) names.push_back(machine.words);
  return names;
}

/// "from a, b · 10 runs as data · AMD EPYC · build 1a2b3c".
std::string facts_of(const StudyAnalysis& analysis) {
  const RunSet& set = analysis.runs();
  std::vector<std::string> facts;
  if (set.folders.size() > 1) facts.push_back("from " + join(names_of(set.folders), ", "));
  if (!set.folders.empty()) facts.push_back(runs_as_data(analysis));
  if (!analysis.published().empty())
    facts.push_back(cat(counted(analysis.published().size(), "published work"), ", external"));
  if (const auto machines = machine_names(analysis); !machines.empty())
    facts.push_back(join(machines, analysis.has_several_machines() ? " and " : ", "));
  if (const auto builds = build_ids(set); !builds.empty())
    facts.push_back("build " + join(builds, ", "));
  return join(facts, " · ");
}

/// Why runs are no data: the run table that says it, too, is wide and far below.
std::vector<std::string> reasons_left_out(const RunSet& set) {
  std::vector<std::string> reasons;
  for (const Run& run : set.runs)
    if (!run.is_data()) reasons.push_back(cat(run.record.header.run_id, ": ", run.left_out));
  for (const AbsentRun& file : set.unreadable) reasons.push_back(file.reason);
  for (const AbsentRun& run : set.without_file) reasons.push_back(cat(run.name, ": ", run.reason));
  for (const AbsentRun& plan : set.damaged_plans) reasons.push_back(plan.reason);
  return reasons;
}

std::vector<Stat> stats_of(const SeriesAnalysis& analysis) {
  if (!states_speedup(analysis)) return {};
  const SpeedupPoint& base = analysis.speedup.front();
  const SpeedupPoint& last = stated_speedup(analysis);
  const std::string n = cat(last.ranks, " ranks");
  // An interval tells how much launches differ, not what other programs did to all of them.
  const bool is_busy = analysis.series.has_label(RunLabel::busy_machine);
  const auto certainty = [&](const Estimate& estimate, const char* unit) {
    return is_busy ? "on a busy machine"
                   : interval_text(estimate) + (estimate.interval ? unit : "");
  };
  std::vector<Stat> stats{
      {significant(last.training.value, 3) + "×", "training speed-up, " + n,
       certainty(last.training, "")},
      {percent(last.efficiency.value), "efficiency, " + n,
       certainty(transformed(last.efficiency, [](double e) { return e * 100; }), "\u202f%")},
      {significant(last.absolute.samples_per_s, 4), "samples/s, " + n,
       "one rank: " + significant(base.absolute.samples_per_s, 4)},
      {duration(last.absolute.training_time_s), "training, " + n,
       "one rank: " + duration(base.absolute.training_time_s)}};
  if (const auto* best = better_base(analysis.fair_base))
    stats.insert(stats.begin(), Stat{significant(best->speedup.value, 3) + "×",
                                     cat(n, " against one process on the same cores"),
                                     certainty(best->speedup, "")});
  if (const auto cause = cause_in_brief(analysis); cause && !is_busy)
    stats.push_back(
        {cause->name, cat("main cause, ", analysis.causes.front().ranks, " ranks"), cause->remark});
  return stats;
}

std::vector<Figure> of_section(const std::vector<Figure>& figures, FigureSection section) {
  std::vector<Figure> found;
  std::ranges::copy_if(figures, std::back_inserter(found),
                       [&](const Figure& one) { return one.section == section; });
  return found;
}

std::vector<Section> sections_of(const SeriesAnalysis& one,
                                 const SettingWords& words,
                                 const std::vector<PublishedAnalysis>& overlays) {
  const auto figures = figures_of(one, overlays);
  std::vector<Section> sections{
      {"How much faster",
       of_section(figures, FigureSection::speed),
       {speedup_table(one), fair_base_table(one), factorisation_table(one), target_table(one),
        prediction_table(one), resolution_table(one)}},
      {"Why not faster",
       of_section(figures, FigureSection::causes),
       {causes_table(one), remedies_table(one), run_causes_table(one), outliers_table(one),
        two_speeds_table(one)}},
      {"Where the step goes",
       of_section(figures, FigureSection::step),
       {step_table(one), exchange_table(one), buckets_table(one), all_buckets_table(one)}},
      {"Where the launch goes", {}, {launch_table(one)}},
      {"Learning",
       of_section(figures, FigureSection::learning),
       {quality_table(one), smoothness_table(one), evaluation_sets_table(one)}},
      {"Which classes are confused", {}, {}, confusion_html(one)},
      {"What the models see and say", {}, {}, panels_html(one)},
      {"Settings",
       {},
       {differing_settings_table(one, words), settings_stages_table(one, words),
        time_like_table(one, words)}},
      {"More numbers",
       {},
       {factor_bases_table(one), scaling_models_table(one), noise_scale_table(one),
        exchange_fits_table(one), exchange_probe_table(one), pop_table(one),
        step_checks_table(one)},
       "",
       "Factors against other bases, scaling models, noise scale, latency and bandwidth, POP "
       "efficiencies, checks of the records"}};
  for (auto& section : sections)
    for (auto& table : section.tables) add_labels(table, label_list(one.series));
  return sections;
}

Chapter chapter_of(const SeriesAnalysis& one, const StudyAnalysis& all, const SettingWords& words) {
  const auto conclusions = conclusions_of(one);
  const auto name = all.runs().folders.size() > 1
                        ? cat(join(folders_of(one.series, all.runs()), ", "), ": ", one.series.name)
                        : one.series.name;
  Chapter chapter{.name = name,
                  .is_named = all.studies().size() > 1,
                  .headline = conclusions.headline,
                  .labels = labels_of(one.series),
                  .conditions = cat(name, " · ", scaling_words(one)),
                  .stats = stats_of(one),
                  .answers = conclusions.answers(),
                  .has_answer = states_speedup(one),
                  .sections = sections_of(one, words, all.overlays())};
  if (!all.overlays().empty() && chapter.has_answer)
    chapter.overlay = overlay_sentences(one, all.overlays());
  if (chapter.is_named) {
    chapter.title = name;
    chapter.kicker = one.machine;
  }
  return chapter;
}

std::vector<Answer> without_questions(std::vector<std::string> texts) {
  std::vector<Answer> answers;
  for (auto& text : texts) answers.push_back({.text = std::move(text)});
  return answers;
}

Chapter chapter_of_collectives(const StudyAnalysis& analysis) {
  auto answers = without_questions(collective_paragraphs(analysis));
  const bool has_answer = !answers.empty();
  return {.name = "collective operations",
          .headline = has_answer ? "Collective operations" : "",
          .labels = collective_labels(analysis),
          .answers = std::move(answers),
          .has_answer = has_answer,
          .sections = {
              {"What a call costs", collective_figures(analysis), {collectives_table(analysis)}},
              {"Latency and bandwidth", {}, {collective_fits_table(analysis)}}}};
}

/// One for each arm; tables and figures of all stand with the last.
void add_chapters(const PublishedAnalysis& one, std::vector<Chapter>& chapters) {
  for (const ArmAnalysis& arm : one.arms)
    chapters.push_back({.name = cat(one.study.title, ", ", arm.arm.name, " (external)"),
                        .is_named = true,
                        .headline = "Published: " + published_headline(arm),
                        .labels = {external_label},
                        .conditions = cat(one.study.title, ", ", arm.arm.name),
                        .answers = without_questions(published_paragraphs(one.study, arm)),
                        .has_answer = arm.states_speedup()});
  Section section{cat(one.study.title, " (external)"),
                  published_figures(one),
                  {published_table(one), published_factors_table(one)}};
  for (auto& table : section.tables) add_labels(table, external_label);
  chapters.back().sections.push_back(std::move(section));
}

}  // namespace

Document document_of(const StudyAnalysis& analysis, const SettingWords& words) {
  Document document{.title = study_names(analysis),
                    .descriptions = recorded_values(analysis.runs(), &RunFacts::requested_settings,
                                                    "/description"),
                    .facts = facts_of(analysis),
                    .flags = analysis.flags(),
                    .left_out = reasons_left_out(analysis.runs())};
  for (const SeriesAnalysis& one : analysis.studies())
    document.chapters.push_back(chapter_of(one, analysis, words));
  if (!analysis.collectives().empty())
    document.chapters.push_back(chapter_of_collectives(analysis));
  for (const PublishedAnalysis& one : analysis.published()) add_chapters(one, document.chapters);
  document.sections = {
      {"Control arms", {}, {arm_contrast_table(analysis), control_arm_table(analysis)}},
      {"Runs", {}, {run_table(analysis), skipped_table(analysis), absent_runs_table(analysis)}},
      {"Environment",
       {},
       {environment_table(analysis), machines_table(analysis)},
       "",
       "All recorded properties"}};
  return document;
}

std::vector<const ReportTable*> tables_of(const std::vector<Section>& sections) {
  std::vector<const ReportTable*> tables;
  for (const Section& section : sections)
    for (const ReportTable& table : section.tables)
      if (!table.rows.empty()) tables.push_back(&table);
  return tables;
}

std::vector<const ReportTable*> tables_of(const Document& document) {
  std::vector<const ReportTable*> tables;
  for (const Chapter& chapter : document.chapters)
    std::ranges::copy(tables_of(chapter.sections), std::back_inserter(tables));
  std::ranges::copy(tables_of(document.sections), std::back_inserter(tables));
  return tables;
}

std::vector<const Figure*> figures_of(const Document& document) {
  std::vector<const Figure*> figures;
  const auto add = [&](const std::vector<Section>& sections) {
    for (const Section& section : sections)
      for (const Figure& figure : section.figures) figures.push_back(&figure);
  };
  for (const Chapter& chapter : document.chapters) add(chapter.sections);
  add(document.sections);
  return figures;
}

}  // namespace scalestudy
