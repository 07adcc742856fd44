#include "analysis/importers/one_launch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/ascii.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

namespace scalestudy {
namespace {

/// Processes of a launch start together, as far as clocks of hosts agree.
constexpr double most_apart_ms = 60e3;

/// What one of two logs leaves out is no difference.
bool may_be_equal(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() || one == other;
}

bool is_same_time(double one_ms, double other_ms) {
  return one_ms == other_ms || (std::isnan(one_ms) && std::isnan(other_ms));
}

bool is_copy(const ImportedRun& one, const ImportedRun& other) {
  return is_same_time(one.start_ms, other.start_ms) && is_same_time(one.end_ms, other.end_ms) &&
         one.said == other.said && may_be_equal(one.run.platform, other.run.platform) &&
         may_be_equal(one.workload, other.workload);
}

/// At work on one machine at the same time; never where logs have no clock.
bool overlap(const ImportedRun& one, const ImportedRun& other) {
  return one.start_ms < other.end_ms && other.start_ms < one.end_ms &&
         one.run.ranks == other.run.ranks && may_be_equal(one.run.platform, other.run.platform) &&
         may_be_equal(one.workload, other.workload);
}

bool start_together(const ImportedRun& one, const ImportedRun& other) {
  return std::abs(one.start_ms - other.start_ms) <= most_apart_ms;
}

void require_same_ranks(const ImportedRun& one, const ImportedRun& other) {
  if (one.run.ranks != other.run.ranks)
    throw BadInput({cat(one.place, " holds the same as ", other.place, ", with ",
                        counted(one.run.ranks, "rank"), " instead of ", other.run.ranks),
                    "a launch has one number of ranks", "Give each log once, with its own ranks"});
}

void require_agreement(const ImportedRun& one, const ImportedRun& other) {
  for (const auto& [key, value] : one.said) {
    const auto found = other.said.find(key);
    if (found == other.said.end() || found->second == value) continue;
    throw BadInput(
        {cat(one.place, " and ", other.place, " start together on one platform, but differ: ",
             one_line(key), " is ", one_line(value), " and ", one_line(found->second)),
         "whether they are of one launch, which counts once, cannot be told",
         "Give one log of each launch; launches at the same time, as of a job array, import one "
         "by one, each with a --name of its own"});
  }
}

struct Launch {
  ImportedRun run;                  ///< the one that says most
  std::vector<std::string> others;  ///< which logs tell of it, too
};

void add(Launch& launch, ImportedRun run, const char* what) {
  if (run.said.size() > launch.run.said.size()) std::swap(launch.run, run);
  launch.others.push_back(cat(run.place, " is ", what, ": they count once"));
}

/// Of three epochs on. Whole seconds, of few epochs tenths, may be equal by chance.
enum class Likeness { none, chance, sure };
Likeness likeness(const std::vector<double>& one, const std::vector<double>& other) {
  constexpr std::size_t few = 3, many = 5;
  const auto are_multiples_of = [&](double step) {
    return std::ranges::all_of(
        one, [&](double value) { return std::abs(std::remainder(value, step)) < 1e-6; });
  };
  if (one.size() < few || one != other || std::ranges::count(one, one.front()) == std::ssize(one))
    return Likeness::none;
  return are_multiples_of(one.size() < many ? 0.1 : 1) ? Likeness::chance : Likeness::sure;
}

/// No two launches take equal times. Returns whether they may be one all the same: trained alike,
/// they have equal losses.
bool require_another_launch(const ImportedRun& run, const ImportedRun& other) {
  const auto times = likeness(run.epoch_times_s, other.epoch_times_s);
  if (times == Likeness::sure)
    throw BadInput({cat(run.place, " and ", other.place, " have equal times in all ",
                        counted(run.epoch_times_s.size(), "epoch")),
                    "ranks of one launch would count as launches", "Give one log of each launch"});
  return times == Likeness::chance || likeness(run.losses, other.losses) != Likeness::none;
}

/// Whether a number before the word says how many: "16gpu", and not "n0gpu".
bool is_counted(const std::string& text, std::size_t word) {
  auto at = word;
  while (at > 0 && is_digit(text[at - 1])) --at;
  return at < word && (at == 0 || !is_letter(text[at - 1]));
}

/// A name of a file without the numbers behind words for a rank: "log_rank.csv" and 3 of
/// "log_rank3.csv".
struct NameOfRank {
  std::string rest;
  std::vector<int> numbers;
};
NameOfRank name_of_rank(const std::string& place) {
  constexpr std::array<std::string_view, 6> words{"rank",    "localrank", "worker",
                                                  "process", "proc",      "gpu"};
  constexpr std::size_t most_digits = 6;
  const auto text = in_lower_case(place);
  NameOfRank name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    name.rest += text[at];
    if (is_letter(text[at]) && at + 1 < text.size() && is_letter(text[at + 1])) continue;
    for (const auto word : words) {
      if (!name.rest.ends_with(word)) continue;
      const auto begin = at + 1 - word.size();
      if ((begin > 0 && is_letter(text[begin - 1])) || is_counted(text, begin)) continue;
      auto start = at + 1;
      if (start < text.size() && std::string_view("_-=. ").find(text[start]) != std::string::npos)
        ++start;
      const auto end = std::min(text.find_first_not_of("0123456789", start), text.size());
      if (end <= start || end - start > most_digits) continue;
      name.numbers.push_back(std::stoi(text.substr(start, end - start)));
      at = end - 1;
      break;
    }
  }
  return name;
}

/// Whether both are called as logs of ranks of one launch are: by numbers of its ranks.
bool differ_in_rank_of_name(const ImportedRun& run, const ImportedRun& other) {
  const auto one = name_of_rank(run.place), two = name_of_rank(other.place);
  const auto is_rank = [&](int number) { return number <= run.run.ranks; };
  return run.run.ranks > 1 && one.rest == two.rest && one.numbers != two.numbers &&
         std::ranges::all_of(one.numbers, is_rank) && std::ranges::all_of(two.numbers, is_rank);
}

/// Whether names differ in a number or a letter alone: "log.0.csv" and "log.1.csv", "hosta" and
/// "hostb"; but not behind what people call launches by.
bool differ_in_an_index(const ImportedRun& run, const ImportedRun& other) {
  std::string_view one = run.place, two = other.place;
  const auto [at, there] = std::ranges::mismatch(one, two);
  const auto start = std::string_view(one.begin(), at);
  while (!one.empty() && at < one.end() && !two.empty() && there < two.end() &&
         one.back() == two.back()) {
    one.remove_suffix(1);
    two.remove_suffix(1);
  }
  const auto is_index = [](std::string_view text) {
    return (text.size() == 1 && is_letter(text[0])) || std::ranges::all_of(text, is_digit);
  };
  auto before = in_lower_case(std::string(start));
  while (!before.empty() && !is_letter(before.back())) before.pop_back();
  constexpr std::array launches{"run",    "seed",   "trial",   "rep",
                                "repeat", "launch", "attempt", "fold"};
  return one != two && is_index({at, one.end()}) && is_index({there, two.end()}) &&
         std::ranges::none_of(launches, [&](const char* name) { return before.ends_with(name); });
}

/// Ranks wait for each other: an epoch is much closer to that of another rank than to the next of
/// its own, or to the one after, where every second or third is longer. The first is not steady.
bool are_in_step(const ImportedRun& run, const ImportedRun& other) {
  const auto &one = run.epoch_times_s, &two = other.epoch_times_s;
  constexpr std::size_t few = 8, most_lag = 4;
  if (one.size() < few || one.size() != two.size()) return false;
  std::vector<double> between;
  for (std::size_t i = 1; i < one.size(); ++i) between.push_back(std::abs(one[i] / two[i] - 1));
  if (std::ranges::max(between) > 0.01) return false;
  for (std::size_t lag = 1; lag <= most_lag; ++lag) {
    std::vector<double> along;
    for (std::size_t i = 1 + lag; i < one.size(); ++i)
      along.push_back(std::abs(one[i] / one[i - lag] - 1));
    if (3 * median(between) >= median(std::move(along))) return false;
  }
  return true;
}

/// Ranks that keep a log each have other losses, and times some milliseconds apart.
void require_one_rank(const ImportedRun& run, const ImportedRun& other) {
  const bool differ = !run.rank.empty() && !other.rank.empty() && run.rank != other.rank;
  const bool are_named = differ_in_rank_of_name(run, other);
  const bool are_ranks =
      run.run.ranks > 1 && differ_in_an_index(run, other) && are_in_step(run, other);
  if (!differ && !are_named && !are_ranks) return;
  throw BadInput(
      {cat(run.place, " and ", other.place,
           differ ? cat(" are of rank ", run.rank, " and ", other.rank)
           : are_named
               ? cat(" differ in name by a rank only, with ", counted(run.run.ranks, "rank"))
               : cat(" differ in name by an index only, and keep step epoch by epoch, with ",
                     counted(run.run.ranks, "rank"))),
       "ranks of one launch would count as launches",
       differ ? "Give one log of each launch, or take the column out if it says something else"
              : "Give one log of each launch; where they are launches, call them by run, or give "
                "each its --ranks"});
}

/// A training that went on in another file has its time in neither.
void censor_part(ImportedRun& run, const ImportedRun& other) {
  if (!(other.first_epoch > 1 && other.first_epoch == run.last_epoch + 1) ||
      run.run.outcome == PublishedOutcome::censored)
    return;
  run.run.outcome = PublishedOutcome::censored;
  run.remarks.push_back(
      cat("kept as censored: ", other.place, " goes on from epoch ", other.first_epoch));
}

/// Of logs with a row per epoch, which have no clock.
void compare_epochs(std::vector<ImportedRun>& runs) {
  for (auto one = runs.begin(); one != runs.end(); ++one) {
    const ImportedRun* like = nullptr;
    std::int64_t beside = 1;
    for (auto other = runs.begin(); other != one; ++other) {
      if (one->run.ranks != other->run.ranks) continue;
      censor_part(*one, *other);
      censor_part(*other, *one);
      if (one->epoch_times_s.empty()) continue;
      require_one_rank(*one, *other);
      beside += differ_in_an_index(*one, *other) ? 1 : 0;
      if (require_another_launch(*one, *other) && like == nullptr) like = &*other;
    }
    if (like != nullptr)
      one->remarks.push_back(cat("its ", counted(one->epoch_times_s.size(), "epoch"),
                                 " have the losses, or rounded times, of ", like->place,
                                 ": if both are ranks of one launch, it counts more than once"));
    if (beside > 1 && beside == one->run.ranks)
      one->notes.push_back(cat(beside, " logs as this, with as many ranks, differ in name by an ",
                               "index: if they are ranks of one launch, give one of them"));
  }
}

}  // namespace

std::vector<ImportedRun> one_of_each_launch(std::vector<ImportedRun> runs) {
  std::vector<Launch> launches;
  const auto find = [&](const ImportedRun& run, auto... are_alike) {
    return std::ranges::find_if(
        launches, [&](const Launch& one) { return (are_alike(run, one.run) && ...); });
  };
  for (auto& run : runs) {
    if (const auto same = find(run, is_copy); same != launches.end()) {
      require_same_ranks(run, same->run);
      add(*same, std::move(run), "a copy of it");
    } else if (const auto one = find(run, overlap, start_together); one != launches.end()) {
      require_agreement(run, one->run);
      add(*one, std::move(run), "of the same launch, by time and platform");
    } else {
      if (const auto beside = find(run, overlap); beside != launches.end())
        run.remarks.push_back(cat(beside->run.place,
                                  " was at work on the same platform at the same "
                                  "time: they count as launches side by side"));
      launches.push_back({std::move(run), {}});
    }
  }
  std::vector<ImportedRun> kept;
  for (auto& [run, others] : launches) {
    run.notes.insert(run.notes.end(), others.begin(), others.end());
    kept.push_back(std::move(run));
  }
  compare_epochs(kept);
  return kept;
}

}  // namespace scalestudy
