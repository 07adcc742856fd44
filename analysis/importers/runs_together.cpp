#include "analysis/importers/runs_together.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// A mean over two configurations is that of neither, and a factor is of what else differs, too: of
/// all ranks that is noted but for batches. Runs that did not end are in none.
void require_one_configuration(std::vector<ImportedRun>& runs) {
  using Point = std::tuple<std::int64_t, std::string, std::string>;
  using Said = std::pair<const ImportedRun*, std::string>;
  std::map<Point, Said> first;
  std::map<std::string, Said> first_of_all;
  for (auto& one : runs) {
    if (one.run.outcome == PublishedOutcome::censored) continue;
    auto settings = one.settings;
    if (std::isfinite(one.run.global_batch_size))
      settings["global batch"] = cat(static_cast<std::int64_t>(one.run.global_batch_size));
    for (const auto& [name, value] : settings) {
      const Point point{one.run.ranks, one.run.platform, name};
      const auto& [other, theirs] = first.try_emplace(point, &one, value).first->second;
      if (value != theirs)
        throw BadInput({cat(one.place, " has ", name, ' ', value, " and ", other->place, " has ",
                            theirs, ", both with ", counted(one.run.ranks, "rank")),
                        "they are two studies, and would be one mean",
                        "Import each, in a file of its own, with a --name of its own"});
      if (!is_setting(name)) continue;
      const auto& [base, usual] = first_of_all.try_emplace(name, &one, value).first->second;
      if (value != usual)
        one.remarks.push_back(cat("its ", name, " is ", value, ", that of ", base->place, ' ',
                                  usual, ": their factor is not of ranks alone"));
    }
  }
}

/// Launches of one point take about as long.
void remark_spread(std::vector<ImportedRun>& runs) {
  constexpr double most = 2;
  const auto time_of = [](const ImportedRun& one) {
    return std::isfinite(one.run.training_time_s) ? one.run.training_time_s
                                                  : one.run.median_epoch_s;
  };
  std::map<std::pair<std::int64_t, std::string>, const ImportedRun*> first;
  for (auto& one : runs) {
    if (one.run.outcome == PublishedOutcome::censored) continue;
    const auto& other = *first.try_emplace({one.run.ranks, one.run.platform}, &one).first->second;
    const double ratio = time_of(one) / time_of(other);
    if (ratio > most || ratio < 1 / most)
      one.remarks.push_back(cat("it took ", time_of(one), " s, and ", other.place, ' ',
                                time_of(other), " s, both with ", counted(one.run.ranks, "rank"),
                                ": their mean is that of neither"));
  }
}

/// As counts of what one rank trains on are, which are taken for those of all.
void remark_samples_of_a_rank(std::vector<ImportedRun>& runs) {
  const auto samples_of_all = [](const ImportedRun& one) {
    return one.run.samples_per_epoch * static_cast<double>(one.run.ranks);
  };
  const auto& first = runs.front();
  const auto is_part = [&](const ImportedRun& one) {
    return one.run.ranks == first.run.ranks ||
           std::abs(samples_of_all(one) / samples_of_all(first) - 1) < 0.01;
  };
  const auto other = std::ranges::find_if(
      runs, [&](const ImportedRun& one) { return one.run.ranks != first.run.ranks; });
  if (other == runs.end() || !std::ranges::all_of(runs, is_part)) return;
  const auto count = [](double samples) { return static_cast<std::int64_t>(std::round(samples)); };
  other->remarks.push_back(cat(
      "its samples per epoch times ranks, ", count(other->run.samples_per_epoch), " × ",
      other->run.ranks, ", are those of ", first.place, ": if each counts those of one rank, give ",
      "--samples-per-epoch ", count(samples_of_all(first))));
}

/// Notes the first run whose global batch is not as `rule` says: as large as with other ranks, or
/// larger with more.
void remark_rule(PublishedRule rule, std::vector<ImportedRun>& runs) {
  if (rule == PublishedRule::not_stated || rule == PublishedRule::time_to_quality) return;
  const auto batch_of = [](const ImportedRun& one) { return one.run.global_batch_size; };
  const auto is_contrary = [&](const ImportedRun& one) {
    const double first = batch_of(runs.front());
    if (one.run.ranks == runs.front().run.ranks || !std::isfinite(batch_of(one) - first))
      return false;
    return (batch_of(one) == first) != (rule == PublishedRule::strong);
  };
  const auto found = std::ranges::find_if(runs, is_contrary);
  if (found == runs.end()) return;
  const auto text_of = [&](const ImportedRun& one) {
    return cat(static_cast<std::int64_t>(batch_of(one)), " with ", counted(one.run.ranks, "rank"));
  };
  found->remarks.push_back(cat("its global batch is ", text_of(*found), ", and ",
                               text_of(runs.front()), ", unlike --rule ", to_string(rule)));
}

/// What lies between epochs, as validation does, is in the time that a log states.
void remark_summed_times(std::vector<ImportedRun>& runs) {
  const auto is_summed = [](const ImportedRun& run) {
    return std::ranges::count(run.computed, "training_time_s") > 0;
  };
  const auto stated = std::ranges::find_if(runs, [&](const ImportedRun& run) {
    return std::isfinite(run.run.training_time_s) && !is_summed(run);
  });
  if (stated == runs.end()) return;
  const auto place = stated->place;
  for (auto& run : runs)
    if (is_summed(run))
      run.remarks.push_back(cat("training_time is the sum of its epochs, and stated in ", place,
                                ": what lies between epochs is in one of them only"));
}

}  // namespace

void look_at_together(std::vector<ImportedRun>& runs, PublishedRule rule) {
  require_one_configuration(runs);
  remark_spread(runs);
  remark_summed_times(runs);
  remark_samples_of_a_rank(runs);
  remark_rule(rule, runs);
}

}  // namespace scalestudy
