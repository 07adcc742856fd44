#include "analysis/study/deciding_runs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "analysis/statistics/decision.hpp"

namespace scalestudy {
namespace {

using Arms = std::vector<ControlArm>;

bool has(const Arms& arms, ControlArm arm) {
  return std::ranges::find(arms, arm) != arms.end();
}

/// Launches of an arm, or of the study proper, that there are and how long one takes.
struct Launched {
  std::int64_t count = 0;
  double wall_s = 0;
};
using Key = std::pair<std::optional<ControlArm>, std::int64_t>;  // of so many ranks

struct Cost {
  std::int64_t launches = 0;
  double wall_s = 0;
};

/// One curve of the study, or a fair base, with its arms.
class Curve {
 public:
  Curve(const StudyAnalysis& analysis, const Series& proper) {
    add(proper);
    for (const auto& arm : analysis.control_arms())
      if (is_arm_of(arm.series, proper)) add(arm.series);
    for (const auto& [ranks, runs] : proper.by_ranks) {
      rank_counts_.push_back(ranks);
      for (const Run* run : runs) repeats_ = std::max(repeats_, run->spec.repeat + 1);
    }
  }

  [[nodiscard]] const Arms& arms() const { return arms_; }
  [[nodiscard]] std::int64_t repeats() const { return repeats_; }

  /// Adds what `repeats` blocks of it and of `arms` take beyond what there is.
  void add_cost(const Arms& arms, std::int64_t repeats, Cost& cost) const {
    for (const auto ranks : rank_counts_) {
      add_missing({std::nullopt, ranks}, repeats, cost);
      Arms here;
      for (const auto arm : arms) {
        const auto at = ranks == 1 ? partner_at_one_rank(arm) : arm;
        const bool is_planned = ranks == 1 || arm != ControlArm::no_distributed_path;
        if (is_planned && !has(here, at)) here.push_back(at);
      }
      for (const auto arm : here) add_missing({arm, ranks}, repeats, cost);
    }
  }

 private:
  void add(const Series& series) {
    const auto& arm = series.spec.control_arm;
    if (arm && !has(arms_, *arm)) arms_.push_back(*arm);
    for (const auto& [ranks, runs] : series.by_ranks) {
      const auto walls_s = finite(series.group(ranks).values(&SummaryRow::launch_wall_time_s));
      launched_[{arm, ranks}] = {static_cast<std::int64_t>(runs.size()), mean(walls_s)};
    }
  }

  void add_missing(const Key& key, std::int64_t repeats, Cost& cost) const {
    const auto found = launched_.find(key);
    const auto missing = repeats - (found == launched_.end() ? 0 : found->second.count);
    if (missing <= 0) return;
    cost.launches += missing;
    cost.wall_s += static_cast<double>(missing) * expected_wall_s(key);
  }

  /// An arm that never ran takes at most as long as the study proper; what was resumed each time,
  /// as long as the longest of the curve.
  [[nodiscard]] double expected_wall_s(const Key& key) const {
    for (const auto& like : {key, Key{std::nullopt, key.second}})
      if (const auto found = launched_.find(like);
          found != launched_.end() && std::isfinite(found->second.wall_s))
        return found->second.wall_s;
    double longest_s = not_available;
    for (const auto& [any, launched] : launched_) longest_s = std::fmax(longest_s, launched.wall_s);
    return longest_s;
  }

  std::map<Key, Launched> launched_;
  std::vector<std::int64_t> rank_counts_;
  Arms arms_;
  std::int64_t repeats_ = 0;
};

/// What the study has, and what it would cost to have more: what is repeated is repeated of all
/// its curves.
class Stock {
 public:
  Stock(const StudyAnalysis& analysis, const SeriesAnalysis& study)
      : asked_(analysis, study.series) {
    for (const Series* proper : analysis.proper_series()) {
      auto& curves = proper->is_fair_base ? fair_bases_ : curves_;
      curves.emplace_back(analysis, *proper);
    }
  }

  [[nodiscard]] const Arms& arms() const { return asked_.arms(); }
  [[nodiscard]] std::int64_t repeats() const { return asked_.repeats(); }

  /// Of `repeats` blocks of the study proper and `arms`, beyond what there is.
  [[nodiscard]] Cost of(const Arms& arms, std::int64_t repeats) const {
    Cost cost;
    for (const auto& curve : curves_) curve.add_cost(arms, repeats, cost);
    for (const auto& base : fair_bases_) base.add_cost({}, repeats, cost);
    return cost;
  }

 private:
  Curve asked_;
  std::vector<Curve> curves_, fair_bases_;
};

Arms missing_arms(StepCause cause, bool has_input, const Stock& stock) {
  auto arms = arms_telling(cause, has_input);
  std::erase_if(arms, [&](ControlArm arm) { return has(stock.arms(), arm); });
  return arms;
}

std::vector<OpenQuestion> open_questions(const StepDecision& decision, const Stock& stock) {
  if (!decision.is_loss) {
    const auto& loss_s = decision.loss_s;
    const bool is_none = loss_s.interval && loss_s.interval->high < decision.margin_s;
    if (is_none) return {};
    return {{.cause = {},
             .arms = {},
             .repeats = launches_to_tell(loss_s, {.high = decision.margin_s})}};
  }
  std::vector<OpenQuestion> open;
  const bool has_input = decision.findings.front().verdict != Verdict::refuted;
  for (const auto& finding : decision.findings)
    if (finding.verdict == Verdict::undecided)
      open.push_back({finding.cause, missing_arms(finding.cause, has_input, stock),
                      finding.launches_to_decide});
  return open;
}

Arms joined(const Arms& some, const Arms& more) {
  Arms all = some;
  std::ranges::copy_if(more, std::back_inserter(all),
                       [&](ControlArm arm) { return !has(some, arm); });
  return all;
}

}  // namespace

std::optional<DecidingRuns> deciding_runs(const StudyAnalysis& analysis,
                                          const SeriesAnalysis& study) {
  if (study.causes.empty()) return std::nullopt;
  const Stock stock(analysis, study);
  const auto& decision = study.causes.front();
  DecidingRuns further{.ranks = decision.ranks,
                       .open = open_questions(decision, stock),
                       .arms = stock.arms(),
                       .repeats = stock.repeats()};
  if (further.open.empty()) return std::nullopt;
  for (const auto& question : further.open) {
    const bool are_few = question.repeats && *question.repeats <= max_worthwhile_launches;
    const auto with_arms = joined(stock.arms(), question.arms);
    const auto by_arms = stock.of(with_arms, stock.repeats());
    const bool are_cheaper =
        !are_few || by_arms.wall_s < stock.of(stock.arms(), *question.repeats).wall_s;
    if (!question.arms.empty() && are_cheaper)
      further.arms = joined(further.arms, question.arms);
    else if (are_few)
      further.repeats = std::max(further.repeats, *question.repeats);
  }
  const auto cost = stock.of(further.arms, further.repeats);
  further.launches = cost.launches;
  further.wall_time_s = cost.wall_s;
  return further;
}

}  // namespace scalestudy
