#include "analysis/report/speed/fair_base_report.hpp"

#include "core/text.hpp"

#include "analysis/report/text/numbers.hpp"

namespace scalestudy {
namespace {

/// The setting that adds a base on as many cores.
std::string idle_sentence(const FairBase& fair) {
  if (fair.idle_cores() == 0 || fair.has_larger_base) return "";
  return cat(" One rank used ", fair.cores - fair.idle_cores(), " of the ", fair.cores,
             " cores that ", ranks_in_words(fair.ranks, false),
             " had; --set fair_base=true compares with one process on all of them.");
}

std::string verdict(const FairBase& fair, const BaseCandidate& best) {
  if (!best.speedup.interval) return "";
  if (!is_resolved(best.speedup, 1)) return ": these runs cannot tell whether either is faster";
  return best.speedup.value > 1 ? ": the ranks help, not only their cores"
                                : cat(": one rank makes more of the ", fair.cores, " cores");
}

/// The best of several is chosen after the fact; their p-values allow for it.
std::string choice(const FairBase& fair) {
  return cat("the fastest of ", fair.candidates.size(), " configurations of one rank",
             fair.best()->speedup.interval ? ", Holm over all" : "");
}

std::string comparison_sentence(const FairBase& fair, const BaseCandidate& best, bool busy) {
  return cat(" ", ranks_in_words(fair.ranks, true), " are ", with_interval(best.speedup),
             " times as fast as one rank with ", counted(best.threads, "thread"), " on the same ",
             fair.cores, " cores (", significant(best.absolute.samples_per_s, 4), " samples/s, ",
             duration(best.absolute.training_time_s), "; ", choice(fair), ")",
             busy ? "" : verdict(fair, best), ".");
}

std::string own_base_sentence(const FairBase& fair) {
  std::vector<std::string> others;
  for (const BaseCandidate& one : fair.candidates)
    if (one.threads > fair.threads_per_rank) others.push_back(cat(one.threads));
  if (others.empty()) return "";
  return cat(" With more threads (", join(others, ", "),
             ") one rank was no faster: it is the fastest of ", fair.candidates.size(),
             " configurations of one rank on these ", fair.cores, " cores.");
}

}  // namespace

const BaseCandidate* better_base(const FairBase& fair) {
  const BaseCandidate* best = fair.best();
  const bool is_better = best != nullptr && fair.has_equal_cores() &&
                         best->threads != fair.threads_per_rank && fair.disturbed() == nullptr;
  return is_better ? best : nullptr;
}

std::string factors_in_brief(const FairBase& fair, const std::string& factor) {
  const auto own = fair.cores - fair.idle_cores();
  if (const auto* best = better_base(fair)) {
    const auto times = significant(best->speedup.value, 3) + " times";
    const auto process = cat("one process on the same ", fair.cores, " cores");
    return cat(is_resolved(best->speedup, 1)
                   ? cat(times, " as fast as ", process)
                   : cat("not surely faster or slower than ", process, " (", times, ")"),
               ", ", factor, " times as fast as one rank on ", counted(own, "core"));
  }
  if (fair.candidates.empty() || (fair.has_equal_cores() && fair.disturbed() == nullptr))
    return cat(factor, " times as fast as one");
  return cat(factor, " times as fast on ", fair.cores, " cores as one rank on ", own);
}

std::string fair_base_sentence(const FairBase& fair, bool busy) {
  const BaseCandidate* best = fair.best();
  if (best == nullptr) return "";
  if (!fair.has_equal_cores()) return idle_sentence(fair);
  if (const auto* disturbed = fair.disturbed())
    return cat(" That ", ranks_in_words(fair.ranks, false), " are ",
               with_interval(disturbed->speedup), " times as fast as one rank with ",
               counted(disturbed->threads, "thread"), " on the same ", fair.cores,
               " cores says little: other programs disturbed ", disturbed->busy_launches,
               " of its ", counted(disturbed->launches, "run"), ". --redo-busy runs them again.");
  const auto* better = better_base(fair);
  return better == nullptr ? own_base_sentence(fair) : comparison_sentence(fair, *better, busy);
}

ReportTable fair_base_table(const SeriesAnalysis& analysis) {
  const FairBase& fair = analysis.fair_base;
  ReportTable table{
      analysis.series.slug + "-fair-base",
      cat("One rank on up to as many cores as ", ranks_in_words(fair.ranks, false), " of ",
          counted(fair.threads_per_rank, "thread"), " each, which trained ",
          significant(fair.absolute.samples_per_s, 4), " samples/s in ",
          duration(fair.absolute.training_time_s),
          ": how much faster they are than each. p by Holm over all, because the best is chosen "
          "after the fact."),
      {{"threads", "threads of one rank"},
       {"cores", "cores they can use"},
       {"runs", "runs"},
       {"samples_per_s", "samples/s"},
       {"training_time_s", "training"},
       {"speedup", "speed-up over it"},
       {"p_value", "p"},
       {"is_best", "", false}},
      {}};
  if (fair.candidates.size() < 2) return table;
  for (const BaseCandidate& one : fair.candidates) {
    table.rows.push_back({integer_cell(one.threads), integer_cell(one.cores),
                          integer_cell(one.launches), number_cell(one.absolute.samples_per_s, 4),
                          duration_cell(one.absolute.training_time_s), estimate_cell(one.speedup),
                          number_cell(one.speedup.p_value, 2),
                          text_cell(&one == fair.best() ? "fastest" : "")});
    add_file_cells(table, {{"idle_cores", integer_cell(fair.idle_cores())}});
  }
  return table;
}

}  // namespace scalestudy
