#pragma once
/// Trainings that are killed, and what they must have learned all the same.

#include <algorithm>
#include <csignal>

#include "record/run_file/run_file.hpp"

#include "tests/e2e/real_study.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {

/// The victims, in turn.
enum class Victim { rank_zero, last_rank, all_ranks, driver };

inline void kill_victim(Victim victim, const Workplace& place, pid_t driver) {
  auto ranks = ranks_at_work_in(place.path());
  std::sort(ranks.begin(), ranks.end());
  if (victim == Victim::driver || ranks.empty()) {
    ::kill(driver, SIGKILL);
    return;
  }
  for (const auto rank : ranks) {
    const bool spared = (victim == Victim::rank_zero && rank != ranks.front()) ||
                        (victim == Victim::last_rank && rank != ranks.back());
    if (!spared) ::kill(rank, SIGKILL);
  }
}

/// What must not depend on whether a run was interrupted: the bytes of both files of weights, and
/// the recorded losses.
struct Learned {
  std::string last, best;
  std::vector<double> losses, training_losses, validation_losses;
};

inline Learned learned_in(const Workplace& place) {
  const auto folder = place.run_folders().at(0);
  const auto run = read_run_file(folder / "run.h5");
  EXPECT_EQ(run.header.status, RunStatus::complete) << run.header.reason;
  return {content_of(folder / "weights_last.pt"), content_of(folder / "weights_best.pt"),
          run.steps.global_loss(), values_of(run.epochs, &EpochRow::training_loss),
          values_of(run.evaluations, &EvaluationRow::loss)};
}

inline void expect_the_same(const Learned& found, const Learned& expected, int kill) {
  EXPECT_TRUE(found.last == expected.last) << "last weights differ after kill " << kill;
  EXPECT_TRUE(found.best == expected.best) << "best weights differ after kill " << kill;
  EXPECT_EQ(found.losses, expected.losses) << "after kill " << kill;
  EXPECT_EQ(found.training_losses, expected.training_losses) << "after kill " << kill;
  EXPECT_EQ(found.validation_losses, expected.validation_losses) << "after kill " << kill;
}

inline std::size_t attempts_in(const std::filesystem::path& run_folder) {
  const std::filesystem::directory_iterator entries(run_folder);
  return static_cast<std::size_t>(std::count_if(
      begin(entries), end(entries), [](const auto& entry) { return entry.is_directory(); }));
}

}  // namespace scalestudy
