#include "analysis/report/speed/factors_report.hpp"

#include <cmath>

#include "core/text.hpp"

#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

void add_factor_cells(const Factorisation& f, std::vector<TableCell>& row) {
  for (const Estimate* e : {&f.total, &f.throughput, &f.statistical, &f.fixed_cost, &f.unexplained})
    row.push_back(estimate_cell(*e));
}

std::string base_words(const FactorsAgainst& one) {
  return one.base == FactorBase::no_distributed_path ? "one rank without the distributed path"
                                                     : ranks_in_words(one.base_ranks, false);
}

/// What is known of a factor: an estimate, or what the true one is below (more ranks did not all
/// reach the target) or above.
TableCell bounded_cell(const TargetPoint& point, const Estimate& factor, double bound) {
  if (!std::isfinite(bound)) return estimate_cell(factor);
  return {cat(point.all_reached() ? "> " : "< ", significant(bound, 3)), exact(factor.value)};
}

}  // namespace

ReportTable factorisation_table(const SeriesAnalysis& analysis) {
  ReportTable table{cat(analysis.series.slug, "-factorisation"),
                    "Factors of the training speed-up: throughput ratio × samples ratio × "
                    "fixed cost × unexplained. Shares of the training time: "
                    "recorded parts that are no steps, and what neither they nor the steady rate "
                    "explain.",
                    {{"ranks", "ranks"},
                     {"training_speedup", "speed-up, training"},
                     {"throughput_ratio", "throughput"},
                     {"samples_ratio", "samples (statistical)"},
                     {"fixed_cost_factor", "fixed cost"},
                     {"unexplained_factor", "unexplained"},
                     {"base_fixed_frac", "fixed share, one rank"},
                     {"fixed_frac", "fixed share"},
                     {"base_unexplained_frac", "unexplained share, one rank"},
                     {"unexplained_frac", "unexplained share"},
                     {"final_loss", "final training loss"}},
                    {}};
  for (std::size_t i = 0; i < analysis.speedup.size(); ++i) {
    const SpeedupPoint& p = analysis.speedup[i];
    if (p.ranks == 1) continue;
    const Factorisation& f = p.factors;
    std::vector<TableCell> row{integer_cell(p.ranks)};
    add_factor_cells(f, row);
    for (const double share : {f.base.fixed_frac, f.compared.fixed_frac, f.base.unexplained_frac,
                               f.compared.unexplained_frac})
      row.push_back(shown_cell(percent(share), share));
    const bool has_loss = i < analysis.quality.size() && !has_invented_losses(analysis.series);
    const auto losses = has_loss ? analysis.quality[i].final_loss.values : std::vector<double>{};
    row.push_back(shown_cell(mean_and_deviation(losses), mean(losses)));
    table.rows.push_back(row);
    add_file_cells(table, {{"base_evaluation_frac", number_cell(f.base.evaluation_frac)},
                           {"evaluation_frac", number_cell(f.compared.evaluation_frac)}});
  }
  return table;
}

ReportTable factor_bases_table(const SeriesAnalysis& analysis) {
  ReportTable table{cat(analysis.series.slug, "-factor-bases"),
                    "Factors against other bases: one rank without what several ranks need "
                    "(control arm no_distributed_path), and the number of ranks measured before, "
                    "the step of the curve. Speed-up of training = throughput × samples × fixed "
                    "cost × unexplained.",
                    {{"ranks", "ranks"},
                     {"base", "against", false},
                     {"base_ranks", "its ranks", true, false},
                     {"base_samples_per_s", "its samples/s"},
                     {"base_training_time_s", "its training"},
                     {"samples_per_s", "samples/s"},
                     {"training_time_s", "training"},
                     {"training_speedup", "speed-up, training"},
                     {"throughput_ratio", "throughput"},
                     {"samples_ratio", "samples (statistical)"},
                     {"fixed_cost_factor", "fixed cost"},
                     {"unexplained_factor", "unexplained"}},
                    {}};
  for (const FactorsAgainst& one : analysis.factor_bases) {
    std::vector<TableCell> row{integer_cell(one.ranks),
                               {base_words(one), std::string(to_string(one.base))},
                               integer_cell(one.base_ranks)};
    for (const AbsoluteTimes* times : {&one.base_absolute, &one.absolute}) {
      row.push_back(number_cell(times->samples_per_s, 4));
      row.push_back(duration_cell(times->training_time_s));
    }
    add_factor_cells(one.factors, row);
    table.rows.push_back(row);
    const TimeOutsideSteps& shares = one.factors.base;
    add_file_cells(table, {{"base_fixed_frac", number_cell(shares.fixed_frac)},
                           {"base_evaluation_frac", number_cell(shares.evaluation_frac)},
                           {"base_unexplained_frac", number_cell(shares.unexplained_frac)}});
  }
  return table;
}

ReportTable target_table(const SeriesAnalysis& analysis) {
  const QualityGoal& goal = analysis.series.spec.quality;
  ReportTable table{
      cat(analysis.series.slug, "-target"),
      cat("Time to ", goal.metric, " ", compact(goal.target),
          " on the validation set: how many times as soon as one rank = throughput × samples to "
          "the target × the rest (evaluations, start, first steps). Where not all runs of one side "
          "reached it, < and > are bounds, with what those had instead."),
      {{"ranks", "ranks"},
       {"reached", "reached", false},
       {"time_s", "time"},
       {"samples", "samples"},
       {"speedup", "times as soon"},
       {"throughput_ratio", "throughput"},
       {"samples_ratio", "samples (statistical)"},
       {"rest_factor", "rest"}},
      {}};
  for (const TargetPoint& point : analysis.targets) {
    table.rows.push_back(
        {integer_cell(point.ranks), text_cell(cat(point.reached, " of ", point.runs)),
         duration_cell(point.time_s), shown_cell(compact(std::round(point.samples)), point.samples),
         bounded_cell(point, point.factors.total, point.speedup_bound),
         estimate_cell(point.factors.throughput),
         bounded_cell(point, point.factors.statistical, point.statistical_bound),
         estimate_cell(point.factors.fixed_cost)});
    add_file_cells(table, {{"speedup_bound", number_cell(point.speedup_bound)},
                           {"samples_ratio_bound", number_cell(point.statistical_bound)},
                           {"reached_count", integer_cell(point.reached)},
                           {"runs", integer_cell(point.runs)},
                           {"sample_ratio", estimate_cell(point.sample_ratio)},
                           {"metric", text_cell(goal.metric), false},
                           {"target", number_cell(goal.target)}});
  }
  return table;
}

}  // namespace scalestudy
