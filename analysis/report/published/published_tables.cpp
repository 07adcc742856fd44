#include "analysis/report/published/published_tables.hpp"

#include <cmath>

#include "core/text.hpp"

#include "analysis/report/published/published_report.hpp"
#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// Below a speed stands what is wrong with its runs.
TableCell marked(TableCell cell, const PublishedPoint& point) {
  if (point.is_flawed) cell.detail = point.flaws;
  return cell;
}

TableCell count_cell(double count) {
  return shown_cell(std::isfinite(count) ? exact(count) : missing_number, count);
}

/// "5", "4 of 5" where one was censored, or flawed beside others.
TableCell launches_cell(const PublishedPoint& point) {
  const auto all = point.launches + point.censored + (point.is_flawed ? 0 : point.flawed);
  return {all == point.launches ? cat(point.launches) : cat(point.launches, " of ", all),
          cat(point.launches)};
}

TableCell ratio_cell(const Estimate& estimate) {
  return estimate_cell(estimate, 4);
}

TableCell evaluated_cell(const PublishedPoint& point) {
  std::vector<std::string> counts;
  for (const double count : point.evaluated_sample_counts) counts.push_back(exact(count));
  return text_cell(counts.empty() ? missing_number : join(counts, ", "));
}

TableCell quality_cell(const PublishedPoint& point) {
  auto cell = shown_cell(quality_text(point), mean(point.quality));
  if (cell.shown.empty()) cell.shown = missing_number;
  if (point.has_nan_quality) cell.raw = "NaN";
  return cell;
}

std::vector<TableCell> point_row(const ArmAnalysis& arm, const PublishedPoint& point) {
  const bool is_base = point.ranks == point.to_base.base_ranks;
  const bool is_steady = point.to_base.identified != Identified::whole_rate_and_work;
  return {text_cell(arm.arm.name),
          integer_cell(point.ranks),
          text_cell(point.platform),
          launches_cell(point),
          text_cell(point.flaws),
          marked(duration_cell(point.time_s), point),
          marked(number_cell(point.rate_per_s, 4), point),
          duration_cell(point.median_epoch_s),
          count_cell(point.samples_per_epoch),
          count_cell(point.global_batch_size),
          marked(ratio_cell(point.to_base.total), point),
          is_steady ? marked(ratio_cell(point.to_base.rate), point) : text_cell(missing_number),
          ratio_cell(point.to_base.median_epoch),
          marked(shown_cell(percent(point.efficiency.value), point.efficiency), point),
          is_base ? text_cell("") : ratio_cell(point.to_previous.factor()),
          quality_cell(point),
          evaluated_cell(point),
          number_cell(point.final_loss, 3)};
}

/// What a factor is together with is said in the cell that stands for both.
std::vector<TableCell> factor_row(const ArmAnalysis& arm, const PublishedPoint& point) {
  const auto& ratio = point.to_base;
  const bool all = ratio.identified == Identified::all;
  const auto missing = [] { return text_cell(missing_number); };
  const auto share = [&](double frac) { return all ? shown_cell(percent(frac), frac) : missing(); };
  return {text_cell(arm.arm.name),
          integer_cell(point.ranks),
          integer_cell(ratio.base_ranks),
          ratio_cell(ratio.total),
          ratio_cell(ratio.rate),
          ratio.identified == Identified::rate_and_rest ? missing()
                                                        : ratio_cell(ratio.factors.statistical),
          all ? ratio_cell(ratio.factors.fixed_cost) : missing(),
          all ? ratio_cell(ratio.factors.unexplained) : missing(),
          ratio.identified == Identified::rate_and_rest ? ratio_cell(ratio.rest) : missing(),
          share(ratio.factors.base.fixed_frac),
          share(ratio.factors.compared.fixed_frac),
          text_cell(std::string(
              choices<Identified>[static_cast<std::size_t>(ratio.identified)].summary))};
}

}  // namespace

ReportTable published_table(const PublishedAnalysis& analysis) {
  ReportTable table{
      analysis.slug + "-points",
      cat("As published at ", source_of(analysis.study),
          "; ratios are to the fewest ranks of the arm. Throughput is per sample, by the stated "
          "rate or the median epoch; by the median epoch alone, epochs count as equal whatever "
          "they hold. The count before is the last one without a flaw. Several launches: geometric "
          "means, 95 % intervals from three of each on."),
      {{"arm", "arm", false},
       {"ranks", "ranks"},
       {"platform", "platform", false, false},
       {"launches", "runs"},
       {"flaws", "flaws", false, false},
       {"time_s", "time"},
       {"rate_per_s", "rate, /s"},
       {"median_epoch_s", "median epoch"},
       {"samples_per_epoch", "samples per epoch"},
       {"global_batch_size", "global batch"},
       {"total_speedup", "speed-up, total"},
       {"throughput_speedup", "speed-up, throughput"},
       {"median_epoch_speedup", "speed-up, median epoch"},
       {"efficiency", "efficiency"},
       {"speedup_to_previous", "to the count before"},
       {"quality", "quality"},
       {"evaluated_sample_count", "evaluated", false},
       {"final_loss", "final loss"}},
      {}};
  for (const auto& arm : analysis.arms)
    for (const auto& point : arm.points) {
      table.rows.push_back(point_row(arm, point));
      add_file_cells(table, {{"quality_difference", estimate_cell(point.quality_difference)},
                             {"censored", integer_cell(static_cast<std::int64_t>(point.censored))},
                             {"flawed", integer_cell(static_cast<std::int64_t>(point.flawed))},
                             {"is_flawed", yes_no_cell(point.is_flawed), false},
                             {"rate_unit", text_cell(rate_unit(analysis.study, arm)), false}});
    }
  return table;
}

ReportTable published_factors_table(const PublishedAnalysis& analysis) {
  ReportTable table{
      analysis.slug + "-factors",
      "What each speed-up is the product of, as far as the published numbers tell it apart. Rate: "
      "steady, or over the whole time where no steady rate is published; then the fixed share is "
      "not identifiable. Shares of the time that are not steady training.",
      {{"arm", "arm", false},
       {"ranks", "ranks"},
       {"base_ranks", "against"},
       {"total_speedup", "speed-up, total"},
       {"rate_ratio", "rate"},
       {"samples_ratio", "samples (statistical)"},
       {"fixed_cost_factor", "fixed cost"},
       {"unexplained_factor", "unexplained"},
       {"samples_and_fixed_factor", "samples and fixed cost together"},
       {"base_fixed_frac", "fixed share, base"},
       {"fixed_frac", "fixed share"},
       {"identified", "identified", false, false}},
      {}};
  for (const auto& arm : analysis.arms)
    for (const auto& point : arm.points)
      if (point.ranks != point.to_base.base_ranks &&
          point.to_base.identified >= Identified::rate_and_rest)
        table.rows.push_back(factor_row(arm, point));
  return table;
}

}  // namespace scalestudy
