/// How far the records of steps can be believed.

#include "analysis/report/step/step_checks_table.hpp"

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

TableCell share_cell(double frac) {
  return shown_cell(significant(frac * 100, 2) + "\u202f%", frac);
}

}  // namespace

ReportTable step_checks_table(const SeriesAnalysis& analysis) {
  ReportTable table{
      cat(analysis.series.slug, "-step-checks"),
      "How far these records can be believed. Remainder: what the recorded parts of the rank that "
      "decided a step leave of it, as share of the step. Spread: between the first and the last "
      "rank that goes on after the exchange; they should go on together, and what they do not is "
      "part of the remainder. Without a common clock: how far the moment when all gradients are "
      "ready moves if each rank only reads its own, and in how many steps both name the same rank "
      "as the one that decides. Idle exchange: all-reduces of a step's buckets one after the "
      "other, "
      "tried before training while nobody computed; median and range over runs. Recording: what "
      "these records cost themselves.",
      {{"ranks", "ranks"},
       {"step_count", "steps"},
       {"remainder_median_frac", "remainder, median"},
       {"remainder_p99_frac", "99th percentile"},
       {"spread_median_frac", "spread, median"},
       {"spread_p99_frac", "99th percentile"},
       {"clock_free_median_frac", "without common clock, median"},
       {"clock_free_p99_frac", "99th percentile"},
       {"same_rank_frac", "same rank"},
       {"often_critical_rank", "rank that decides most often"},
       {"often_critical_frac", "in so many steps"},
       {"idle_exchange_median_s", "idle exchange, ms"},
       {"idle_exchange_min_s", "least"},
       {"idle_exchange_max_s", "most"},
       {"recording_frac", "recording"}},
      {}};
  for (const StepCheck& check : analysis.step_checks) {
    table.rows.push_back(
        {integer_cell(check.ranks), integer_cell(check.steps),
         share_cell(check.remainder.median_frac), share_cell(check.remainder.p99_frac),
         share_cell(check.spread.median_frac), share_cell(check.spread.p99_frac),
         share_cell(check.clock_free.median_frac), share_cell(check.clock_free.p99_frac),
         share_cell(check.same_rank_frac), integer_cell(check.often_critical_rank),
         share_cell(check.often_critical_frac), milliseconds_cell(check.idle_exchange_s.median),
         milliseconds_cell(check.idle_exchange_s.min), milliseconds_cell(check.idle_exchange_s.max),
         share_cell(check.recording_frac)});
    add_file_cells(table, {{"launches", integer_cell(check.launches)},
                           {"is_persistent", yes_no_cell(check.is_persistent), false}});
  }
  return table;
}

}  // namespace scalestudy
