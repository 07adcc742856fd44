#include "analysis/series/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace scalestudy {
namespace {

/// A launch against the others of its group: distance of its log time to their mean, in units of
/// what the scatter of all groups without it says of such a distance (Student's t).
struct Suspect {
  SlowLaunch launch;
  double t = 0;
};

class Search {
 public:
  explicit Search(const std::vector<TimeGroup>& groups) {
    for (const TimeGroup& group : groups) {
      auto& logs = logs_.emplace_back();
      for (const double time : group) logs.push_back(std::log(time));
      names_.emplace_back(group.size());
      std::iota(names_.back().begin(), names_.back().end(), std::size_t{0});
    }
  }

  /// Degrees of freedom of each suspect's t.
  [[nodiscard]] double degrees_of_freedom() const {
    double sum = -1;
    for (const auto& logs : logs_) sum += static_cast<double>(logs.size()) - 1;
    return sum;
  }

  [[nodiscard]] Suspect most_suspect() const {
    Suspect most;
    double squares = 0;
    for (const auto& logs : logs_) squares += squares_around_mean(logs);
    for (std::size_t group = 0; group < logs_.size(); ++group) {
      if (logs_[group].size() < 2) continue;  // nothing to hold the last one against
      for (std::size_t i = 0; i < logs_[group].size(); ++i) {
        const Suspect one = suspect(group, i, squares);
        if (one.t > most.t) most = one;
      }
    }
    return most;
  }

  void take_out(const SlowLaunch& named) {
    auto& names = names_[named.group];
    const auto place = std::find(names.begin(), names.end(), named.launch) - names.begin();
    names.erase(names.begin() + place);
    logs_[named.group].erase(logs_[named.group].begin() + place);
  }

 private:
  [[nodiscard]] Suspect suspect(std::size_t group, std::size_t i, double squares) const {
    const auto& logs = logs_[group];
    const auto n = static_cast<double>(logs.size());
    const double distance = (logs[i] - mean(logs)) * n / (n - 1);
    const double squares_without = squares - distance * distance * (n - 1) / n;
    const double scale = std::sqrt(squares_without / degrees_of_freedom());
    return {{group, names_[group][i], std::exp(distance)},
            distance / (scale * std::sqrt(n / (n - 1)))};
  }

  std::vector<std::vector<double>> logs_;
  std::vector<std::vector<std::size_t>> names_;  ///< places in the group, of those that are left
};

bool is_time(double time_s) {
  return time_s > 0 && std::isfinite(time_s);
}

std::optional<TwoSpeeds> speeds_at(const Series& series, std::int64_t ranks) {
  std::vector<double> logs;
  for (const double time_s : series.group(ranks).values(&SummaryRow::training_time_s))
    if (is_time(time_s)) logs.push_back(std::log(time_s));
  return two_speeds(logs);
}

/// Runs of one number of ranks, group by group.
using RunGroups = std::vector<std::vector<const Run*>>;

std::map<std::int64_t, RunGroups> groups_by_ranks(std::span<const Series* const> all) {
  std::map<std::int64_t, RunGroups> groups;
  for (const Series* series : all) {
    for (const auto& [ranks, runs] : series->by_ranks) {
      std::vector<const Run*> timed;
      for (const Run* run : runs)
        if (is_time(run->measures[&SummaryRow::training_time_s])) timed.push_back(run);
      if (timed.size() >= minimum_launches_for_outliers && !speeds_at(*series, ranks))
        groups[ranks].push_back(std::move(timed));
    }
  }
  return groups;
}

}  // namespace

std::vector<SlowLaunch> slow_launches(const std::vector<TimeGroup>& groups, std::size_t asked) {
  std::vector<SlowLaunch> named;
  for (Search search(groups); search.degrees_of_freedom() >= 1;) {
    const Suspect suspect = search.most_suspect();
    const double threshold = student_t_critical(2 * significance_level / static_cast<double>(asked),
                                                search.degrees_of_freedom());
    if (!(suspect.t > threshold)) break;
    named.push_back(suspect.launch);
    search.take_out(suspect.launch);
  }
  return named;
}

std::vector<Outlier> outliers(std::span<const Series* const> study_and_arms) {
  const auto by_ranks = groups_by_ranks(study_and_arms);
  std::size_t asked = 0;
  for (const auto& [ranks, groups] : by_ranks)
    for (const auto& runs : groups) asked += runs.size();
  std::vector<Outlier> all;
  for (const auto& [ranks, groups] : by_ranks) {
    std::vector<TimeGroup> times;
    for (const auto& runs : groups) {
      auto& group = times.emplace_back();
      for (const Run* run : runs) group.push_back(run->measures[&SummaryRow::training_time_s]);
    }
    for (const SlowLaunch& slow : slow_launches(times, asked))
      all.push_back({groups[slow.group][slow.launch], slow.time_ratio});
  }
  return all;
}

std::vector<SpeedsAt> speeds_of(std::span<const Series* const> study_and_arms) {
  std::vector<SpeedsAt> all;
  for (const Series* series : study_and_arms)
    for (const auto& [ranks, runs] : series->by_ranks)
      if (const auto speeds = speeds_at(*series, ranks)) all.push_back({series, ranks, *speeds});
  return all;
}

}  // namespace scalestudy
