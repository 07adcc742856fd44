#pragma once
/// Everything the report says, computed once: tables, figures, sentences and summary.json all read
/// it from here, so that they cannot contradict each other.

#include <string>
#include <vector>

#include "analysis/exchange/collectives_analysis.hpp"
#include "analysis/exchange/exchange_point.hpp"
#include "analysis/learning/noise_scale.hpp"
#include "analysis/learning/quality.hpp"
#include "analysis/learning/smoothness.hpp"
#include "analysis/published/published_analysis.hpp"
#include "analysis/series/floor.hpp"
#include "analysis/series/outliers.hpp"
#include "analysis/series/run_set.hpp"
#include "analysis/series/scaling_mode.hpp"
#include "analysis/speed/factor_bases.hpp"
#include "analysis/speed/fair_base.hpp"
#include "analysis/speed/launch_composition.hpp"
#include "analysis/speed/prediction.hpp"
#include "analysis/speed/quality_target.hpp"
#include "analysis/speed/run_causes.hpp"
#include "analysis/speed/speedup.hpp"
#include "analysis/step/arm_contrast.hpp"
#include "analysis/step/pop_factors.hpp"
#include "analysis/step/remedies.hpp"
#include "analysis/step/step_causes.hpp"
#include "analysis/step/step_checks.hpp"
#include "analysis/step/step_composition.hpp"
#include "analysis/study/machines.hpp"

namespace scalestudy {

struct SeriesAnalysis {
  Series series;
  ScalingMode scaling_mode = ScalingMode::one_rank_count;
  std::string machine;  ///< Machine::words; "" where all runs of the report are of one machine
  std::vector<SpeedupPoint> speedup;
  std::vector<StepComposition> steps;
  std::vector<StepCheck> step_checks;       ///< without rank counts whose runs recorded no split
  std::vector<ExchangePoint> exchanges;     ///< without rank counts whose runs recorded no buckets
  std::vector<LaunchComposition> launches;  ///< without those that recorded no parts
  std::vector<Smoothness> smoothness;       ///< empty for control arms: they are timing-only
  EvaluationPopulation population;
  std::vector<std::string> data_warnings;
  std::vector<QualityPoint> quality;         ///< empty for control arms
  std::vector<QualityLabel> quality_labels;  ///< likewise
  std::vector<TargetPoint> targets;          ///< likewise, and without a declared target
  std::vector<FactorsAgainst> factor_bases;  ///< likewise
  std::vector<ArmContrast> arm_contrasts;    ///< likewise
  std::vector<StepDecision> causes;          ///< likewise
  std::vector<RunDecision> run_causes;       ///< likewise
  std::vector<MeasuredRemedy> remedies;      ///< likewise
  std::vector<Outlier> outliers;             ///< likewise; those of its arms too
  std::vector<SpeedsAt> two_speeds;          ///< likewise
  Resolution resolution;                     ///< likewise; of the most ranks against one
  FairBase fair_base;                        ///< likewise
  std::vector<PopPoint> pop;                 ///< likewise
  NoiseScale noise_scale;                    ///< likewise
  SeriesPrediction prediction;  ///< likewise; of twice the most ranks, where models may say it
};

/// "strong scaling (global batch constant), time to quality": the latter with a target.
[[nodiscard]] std::string scaling_words(const SeriesAnalysis& analysis);

/// A validity code of the whole study, with what it rests on.
struct StudyFlag {
  std::string code;  ///< mixed_builds, evaluation_set_differs, superlinear_unexplained, …
  std::string text;
  bool is_mixture = false;  ///< of runs that no ratio may contain together
};

class StudyAnalysis {
 public:
  explicit StudyAnalysis(RunSet runs, const PublishedInputs& published = {});
  StudyAnalysis(const StudyAnalysis&) = delete;  // series point into runs
  StudyAnalysis& operator=(const StudyAnalysis&) = delete;

  [[nodiscard]] const RunSet& runs() const { return runs_; }
  [[nodiscard]] const std::vector<SeriesAnalysis>& studies() const { return studies_; }
  [[nodiscard]] const std::vector<SeriesAnalysis>& control_arms() const { return control_arms_; }
  [[nodiscard]] const std::vector<CollectivesAnalysis>& collectives() const { return collectives_; }
  [[nodiscard]] const std::vector<PublishedAnalysis>& published() const { return published_; }
  [[nodiscard]] const std::vector<PublishedAnalysis>& overlays() const { return overlays_; }
  [[nodiscard]] const std::vector<StudyFlag>& flags() const { return flags_; }
  [[nodiscard]] const std::vector<Machine>& machines() const { return machines_; }
  [[nodiscard]] bool has_several_machines() const { return machines_.size() > 1; }
  [[nodiscard]] std::size_t data_runs() const;
  /// Of studies() and their fair bases.
  [[nodiscard]] std::vector<const Series*> proper_series() const;

 private:
  [[nodiscard]] std::vector<const Series*> arms_of(const Series& proper) const;

  RunSet runs_;
  std::vector<Machine> machines_;
  std::vector<SeriesAnalysis> studies_;  ///< oversubscribed ones last
  std::vector<Series> fair_bases_;       ///< compared with, and nothing else
  std::vector<SeriesAnalysis> control_arms_;
  std::vector<CollectivesAnalysis> collectives_;
  std::vector<PublishedAnalysis> published_;
  std::vector<PublishedAnalysis> overlays_;
  std::vector<StudyFlag> flags_;
};

}  // namespace scalestudy
