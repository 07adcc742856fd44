#include "analysis/study/study_analysis.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/text.hpp"

#include "analysis/step/step_evidence.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

SeriesAnalysis analyse(Series series) {
  SeriesAnalysis analysis;
  analysis.scaling_mode = scaling_mode(series);
  analysis.speedup = speedup_curve(series);
  analysis.steps = step_compositions(series);
  analysis.step_checks = step_checks(series);
  analysis.launches = launch_compositions(series);
  if (!series.is_control_arm()) {
    analysis.smoothness = smoothness_by_ranks(series);
    analysis.data_warnings = data_warnings(series);
    analysis.population = evaluation_population(series);
    analysis.quality = quality_by_ranks(series, analysis.population);
    analysis.quality_labels = quality_labels(series);
    analysis.targets = target_by_ranks(series);
  }
  analysis.series = std::move(series);
  return analysis;
}

/// Nobody should have to look for these.
void add_wrong_result_flags(const RunSet& runs, std::vector<StudyFlag>& flags) {
  const std::string code(to_string(ValidityCode::wrong_result));
  for (const Run& run : runs.runs)
    if (std::ranges::find(run.validity_codes, code) != run.validity_codes.end())
      flags.push_back({code, cat(run.record.header.run_id,
                                 ": results were wrong, no time of this "
                                 "run counts. ",
                                 run.record.header.reason)});
}

void add_mixture_flags(const RunSet& runs, std::vector<StudyFlag>& flags) {
  for (const OriginPart& part : origin_parts) {
    const auto values = mixed_values(runs, part);
    if (values.empty()) continue;
    flags.push_back({part.mixed_code,
                     cat("Runs of different ", part.plural, " are mixed (", join(values, "; "),
                         "); they are compared only with runs of the same ", part.noun, "."),
                     true});
  }
}

/// What keeps the study proper in two folders apart although it is of one workload, where that is
/// settings: by the two series that are most alike.
std::string difference(const std::vector<const Series*>& ones,
                       const std::vector<const Series*>& others) {
  std::optional<SpecDiff> least;
  for (const Series* one : ones)
    for (const Series* other : others) {
      if (one->spec.workload != other->spec.workload) continue;
      auto diff = SpecDiff(one->spec, other->spec)
                      .of_times()
                      .without({"data.content_hash", "data.reference_content_hash"});
      if (!least || diff.all().size() < least->all().size()) least = std::move(diff);
    }
  return least ? least->text() : "";
}

/// Whoever names two folders takes them for comparable.
void add_folder_flags(const std::vector<SeriesAnalysis>& studies,
                      const RunSet& runs,
                      std::vector<StudyFlag>& flags) {
  std::map<std::string, std::vector<const Series*>> by_folder;
  for (const SeriesAnalysis& study : studies)
    for (const auto& folder : folders_of(study.series, runs))
      by_folder[folder].push_back(&study.series);
  for (std::size_t i = 1; i < runs.folders.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto one = runs.folders[j].string(), other = runs.folders[i].string();
      const auto text = difference(by_folder[one], by_folder[other]);
      if (text.empty()) continue;
      flags.push_back({"mixed_settings",
                       cat(one, " and ", other, " are not compared with each other: ", text, "."),
                       true});
      break;  // one is enough for a folder
    }
}

/// Cores of a run's ranks, which may be uneven: "1", "1 and 2".
std::string cores_per_rank(const Run& run) {
  std::set<std::int64_t> cores;
  for (const RankRow& rank : run.record.ranks)
    if (rank.core_count > 0) cores.insert(rank.core_count);
  return join(cores, " and ");
}

/// Repeats whose ranks had other numbers of cores are none.
void add_binding_flags(const Series& series, std::vector<StudyFlag>& flags) {
  for (const auto& [ranks, runs] : series.by_ranks) {
    std::set<std::string> different;
    for (const Run* run : runs) different.insert(cores_per_rank(*run));
    different.erase("");
    if (different.size() < 2) continue;
    flags.push_back(
        {"binding_changed",
         cat(series.name, ": in some runs with ", counted(ranks, "rank"), " each rank had ",
             join({different.begin(), different.end()}, " cores, in others "),
             "; their times are no repeats of each other.")});
  }
}

void add_series_flags(const SeriesAnalysis& analysis, std::vector<StudyFlag>& flags) {
  const EvaluationPopulation& population = analysis.population;
  if (population.known && !population.identical) {
    flags.push_back({"evaluation_set_differs",
                     cat(analysis.series.name, ": models were evaluated on different sets (",
                         join(population.differences, "; "), "); their quality is not compared.")});
  }
  add_binding_flags(analysis.series, flags);
  for (const SpeedupPoint& point : analysis.speedup) {
    if (!point.superlinear_unexplained) continue;
    flags.push_back(
        {"superlinear_unexplained",
         cat(analysis.series.name, ": ", point.ranks, " ranks are more than ", point.ranks,
             " times as fast as one and nothing recorded explains it. Suspect the "
             "one-rank base, dropped work or changed binding before believing it.")});
  }
}

void add_published_flags(const PublishedAnalysis& analysis, std::vector<StudyFlag>& flags) {
  for (const ArmAnalysis& arm : analysis.arms) {
    const auto name = cat(analysis.study.title, ", ", arm.arm.name, " (external): ");
    if (arm.population.differs)
      flags.push_back(
          {"evaluation_set_differs",
           cat(name, "models were evaluated on different numbers of ", analysis.study.sample_noun,
               " (", arm.population.counts, "); their quality is not compared.")});
    for (const PublishedPoint& point : arm.points)
      if (point.superlinear_unexplained)
        flags.push_back(
            {"superlinear_unexplained",
             cat(name, counted(point.ranks, "rank"), " have more than ",
                 static_cast<double>(point.ranks) / static_cast<double>(point.to_base.base_ranks),
                 " times the rate of ", counted(point.to_base.base_ranks, "rank"),
                 " and nothing published explains it. Check what each counts as a "
                 "sample, and which machine ran.")});
  }
}

/// Files are named by it: the second of two equal names gets a number.
void add_published(const PublishedStudy& study, std::vector<PublishedAnalysis>& all) {
  auto analysis = analyse_published(study);
  const auto slug = analysis.slug;
  const auto is_taken = [&] {
    return std::ranges::any_of(all, [&](const auto& one) { return one.slug == analysis.slug; });
  };
  for (int count = 2; is_taken(); ++count) analysis.slug = cat(slug, "-", count);
  all.push_back(std::move(analysis));
}

}  // namespace

StudyAnalysis::StudyAnalysis(RunSet runs, const PublishedInputs& published)
    : runs_(std::move(runs)), machines_(machines_of(runs_)) {
  add_wrong_result_flags(runs_, flags_);
  add_mixture_flags(runs_, flags_);
  for (Series& series : group_series(runs_)) {
    if (!series.spec.trains()) {
      collectives_.push_back(analyse_collectives(std::move(series)));
      continue;
    }
    if (series.is_fair_base) {
      add_binding_flags(series, flags_);
      fair_bases_.push_back(std::move(series));
      continue;
    }
    auto& list = series.is_control_arm() ? control_arms_ : studies_;
    list.push_back(analyse(std::move(series)));
    if (has_several_machines())
      list.back().machine = words_of_machine(machines_, list.back().series.origin());
    add_series_flags(list.back(), flags_);
  }
  std::ranges::stable_sort(studies_, {}, [&](const SeriesAnalysis& one) {
    const auto folders = folders_of(one.series, runs_);
    const auto place = folders.empty()
                           ? runs_.folders.end()
                           : std::ranges::find(runs_.folders, fs::path(folders.front()));
    return std::pair(one.series.has_label(RunLabel::oversubscribed), place);
  });
  add_folder_flags(studies_, runs_, flags_);
  const auto proper = proper_series();
  for (SeriesAnalysis& arm : control_arms_)
    arm.exchanges = exchange_points(arm.series, arm.arm_contrasts, collectives_);
  for (const PublishedStudy& study : published.studies) {
    add_published(study, published_);
    add_published_flags(published_.back(), flags_);
  }
  for (const PublishedStudy& study : published.overlays) add_published(study, overlays_);
  for (SeriesAnalysis& study : studies_) {
    const auto arms = arms_of(study.series);
    study.factor_bases = factors_against_bases(study.series, arms);
    study.arm_contrasts = arm_contrasts(study.series, arms);
    study.exchanges = exchange_points(study.series, study.arm_contrasts, collectives_);
    std::vector<const Series*> all{&study.series};
    all.insert(all.end(), arms.begin(), arms.end());
    study.outliers = outliers(all);
    study.two_speeds = speeds_of(all);
    study.resolution = resolution_of(study.series, runs_);
    study.causes = step_causes(study.series, arms, study.resolution.margin_frac);
    study.remedies = measured_remedies(study.series, study.causes, proper);
    study.run_causes = run_causes(study.series, study.targets, study.resolution.margin_frac);
    study.fair_base = fair_base_of(study.series, proper);
    study.pop = pop_points(study.series);
    study.noise_scale = noise_scale(study.series);
    study.prediction =
        predict(study.series, std::array{farthest_ranks_ratio * most_timed_ranks(study.series)});
  }
}

std::vector<const Series*> StudyAnalysis::arms_of(const Series& proper) const {
  std::vector<const Series*> arms;
  for (const SeriesAnalysis& arm : control_arms_)
    if (is_arm_of(arm.series, proper)) arms.push_back(&arm.series);
  return arms;
}

std::vector<const Series*> StudyAnalysis::proper_series() const {
  std::vector<const Series*> all;
  for (const SeriesAnalysis& study : studies_) all.push_back(&study.series);
  for (const Series& base : fair_bases_) all.push_back(&base);
  return all;
}

std::size_t StudyAnalysis::data_runs() const {
  return static_cast<std::size_t>(std::count_if(runs_.runs.begin(), runs_.runs.end(),
                                                [](const Run& run) { return run.is_data(); }));
}

std::string scaling_words(const SeriesAnalysis& analysis) {
  return cat(summary_of(analysis.scaling_mode),
             analysis.targets.empty() ? "" : ", time to quality");
}

}  // namespace scalestudy
