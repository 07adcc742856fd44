/// A launch counts once, however many logs tell of it.

#include <gmock/gmock.h>

#include "tests/analysis/invented_log.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

using test::log_of;
using test::replaced;

class OneLaunch : public test::ImportedLogs {
 protected:
  static const std::vector<PublishedRun>& runs_of(const Imported& imported) {
    return imported.studies.at(0).arms.at(0).runs;
  }
  std::string refusal_of_all(const std::vector<std::string>& texts,
                             const std::vector<double>& ranks = {4}) const {
    return message_of<BadInput>([&] { return import_all(texts, ranks); });
  }
};

TEST_F(OneLaunch, OfSeveralCopiesOfItsLogCountsOnce) {
  const auto log = log_of({});
  const auto imported = import_all(
      {log, replaced(log, "\n", "\r\n"), replaced(log, ":::", "0: :::"), "noise\n" + log, log});
  ASSERT_THAT(runs_of(imported), SizeIs(1));
  EXPECT_EQ(runs_of(imported)[0].training_time_s, 6);
  EXPECT_THAT(imported.notes,
              ElementsAre("a: b is a copy of it: they count once", StartsWith("a: c is a copy"),
                          StartsWith("a: d is a copy"), StartsWith("a: e is a copy")));
}

TEST_F(OneLaunch, OfLogsOfItsProcessesCountsOnce) {
  const auto imported = import_all({log_of({}), log_of({.delay_ms = 3}), log_of({.delay_ms = -8})});
  ASSERT_THAT(runs_of(imported), SizeIs(1));
  EXPECT_THAT(imported.notes,
              ElementsAre("a: b is of the same launch, by time and platform: they count once",
                          StartsWith("a: c is of the same launch")));
  EXPECT_THAT(runs_of(import_all({log_of({}) + log_of({.delay_ms = 3})})), SizeIs(1))
      << "one after the other in one file";
}

TEST_F(OneLaunch, IsReadWhereMostIsSaidOfIt) {
  const auto silent = replaced(log_of({.delay_ms = 2}), "eval_accuracy", "eval_start");
  for (const auto& texts :
       {std::vector{silent, log_of({}), silent}, {log_of({}), silent, silent}}) {
    const auto imported = import_all(texts);
    ASSERT_THAT(runs_of(imported), SizeIs(1));
    EXPECT_EQ(runs_of(imported)[0].quality, 0.76);
    EXPECT_EQ(runs_of(imported)[0].outcome, PublishedOutcome::complete);
    EXPECT_THAT(imported.notes, SizeIs(2)) << "nothing of what is left out";
  }
}

TEST_F(OneLaunch, WhoseProcessesContradictEachOtherIsRefusedWithBothNames) {
  EXPECT_THAT(
      refusal_of_all({log_of({}), log_of({.qualities = {"0.5", "0.7", "0.77"}})}),
      StartsWith("b and a start together on one platform, but differ: eval_accuracy at 3 is "
                 "0.77 and 0.76"));
  EXPECT_THAT(refusal_of_all({log_of({}), replaced(log_of({}), "success", "aborted")}),
              HasSubstr("status is aborted and success"));
  EXPECT_THAT(refusal_of_all({log_of({}), log_of({})}, {4, 8}),
              StartsWith("b holds the same as a, with 8 ranks instead of 4"));
}

TEST_F(OneLaunch, ThatOnlyOverlapsWithAnotherIsALaunchBesideIt) {
  const std::vector<std::string> long_ones(60, "0.76");
  const auto imported = import_all(
      {log_of({.qualities = long_ones}), log_of({.start_ms = 90'000, .qualities = long_ones})});
  EXPECT_THAT(runs_of(imported), SizeIs(2));
  EXPECT_THAT(imported.notes, ElementsAre(HasSubstr("b: a was at work on the same platform")));
}

TEST_F(OneLaunch, AfterAnotherOrOnOtherRanksIsAnotherOne) {
  const auto later = log_of({.start_ms = 7001});
  const auto imported = import_all({log_of({}), later});
  EXPECT_THAT(runs_of(imported), SizeIs(2)) << "the first stops at 7000";
  EXPECT_THAT(imported.notes, IsEmpty());
  EXPECT_THAT(runs_of(import_all({log_of({}), log_of({.delay_ms = 3})}, {4, 8})), SizeIs(2));
}

TEST_F(OneLaunch, WithoutAClockIsKnownByAllItsNumbers) {
  const std::string log = "time_per_epoch,iou\n5,0.1\n3,0.2\n";
  const auto import = [&](const std::string& other) {
    return import_all({log, other}, {4}, ImportFormat::epoch_csv);
  };
  const auto copied = import(replaced(log, "\n", "\r\n"));
  EXPECT_THAT(runs_of(copied), SizeIs(1));
  EXPECT_THAT(copied.notes, ElementsAre("a: b is a copy of it: they count once"));
  EXPECT_THAT(runs_of(import(replaced(log, "0.2", "0.3"))), SizeIs(2));
}

TEST_F(OneLaunch, OfEqualTimesIsRefusedAndOfEqualLossesRemarked) {
  const std::string log = "time_per_epoch,loss\n5.25,3.5\n3,2.5\n4,1.5\n";
  const auto import = [&](const std::string& other, const std::vector<double>& ranks = {4}) {
    return import_all({log, other}, ranks, ImportFormat::epoch_csv);
  };
  const auto other_losses = replaced(log, ".5\n", ".4\n");
  EXPECT_THAT(message_of<BadInput>([&] { import(other_losses); }),
              StartsWith("b and a have equal times in all 3 epochs (ranks of one launch would"));
  EXPECT_THAT(import(other_losses, {4, 8}).notes, IsEmpty());
  const auto remarked = import(replaced(log, "5.25", "5.26"));
  EXPECT_THAT(runs_of(remarked), SizeIs(2));
  EXPECT_EQ(
      remarked.studies[0].arms[0].remark,
      "When imported: b: its 3 epochs have the losses, or rounded times, of a: if both are ranks "
      "of one launch, it counts more than once.");
  const auto third = import_all({log, replaced(log, "5.25", "5.26"), replaced(log, "5.25", "5.27")},
                                {4}, ImportFormat::epoch_csv);
  EXPECT_THAT(third.notes, SizeIs(2)) << "of each to the first";
  const auto rounded = [&](const std::string& text) { return replaced(text, "5.25", "5.2"); };
  const auto import_rounded =
      import_all({rounded(log), rounded(other_losses)}, {4}, ImportFormat::epoch_csv);
  EXPECT_THAT(import_rounded.notes,
              ElementsAre(StartsWith("b: its 3 epochs have the losses, or rounded times, of a")))
      << "three tenths may be equal by chance";
  const std::string even = "time_per_epoch,loss\n40,1\n40,1\n40,1\n";
  EXPECT_THAT(
      import_all({even, replaced(even, "40,1", "40,2")}, {4}, ImportFormat::epoch_csv).notes,
      IsEmpty());
}

TEST_F(OneLaunch, WhoseRanksKeepALogEachIsRefused) {
  const auto import_two = [&](const std::string& one, const std::string& other, double ranks) {
    const std::string log = "time,loss\n5.25,3.5\n3,2.5\n";
    return message_of<BadInput>([&] {
      return import_files(ImportFormat::epoch_csv,
                          {write(log, one), write(replaced(log, "5.25,3.5", "5.26,3.4"), other)},
                          epoch_facts({ranks}));
    });
  };
  EXPECT_EQ(import_two("log_rank0.csv", "log_rank1.csv", 4),
            "log_rank1.csv and log_rank0.csv differ in name by a rank only, with 4 ranks (ranks of "
            "one launch would count as launches). Give one log of each launch; where they are "
            "launches, call them by run, or give each its --ranks.");
  for (const auto& [one, other] :
       {std::pair{"Worker-1.csv", "worker-4.csv"}, std::pair{"proc=0", "proc=1"},
        std::pair{"a_gpu0_b", "a_gpu1_b"}, std::pair{"n0_local_rank_0", "n0_local_rank_1"}})
    EXPECT_THAT(import_two(one, other, 4), HasSubstr("differ in name by a rank only")) << one;
  for (const auto& [one, other] :
       {std::pair{"run_0", "run_1"}, std::pair{"run0_rank0", "run1_rank0"},
        std::pair{"run0_rank0", "run1_rank1"}, std::pair{"worker11", "worker12"},
        std::pair{"n_rank_1_of", "n_rank_1_og"}, std::pair{"frank0", "frank1"}})
    EXPECT_EQ(import_two(one, other, 4), "accepted") << one;
  EXPECT_EQ(import_two("gpu0", "gpu1", 1), "accepted") << "two launches of one rank";
  EXPECT_EQ(import_two("log_16gpu_1.csv", "log_16gpu_2.csv", 16), "accepted") << "of 16 GPUs";
  const auto of_rank = [](const char* rank) {
    return cat("rank,epoch,time\n", rank, ",0,5.2", rank, "\n", rank, ",1,3\n");
  };
  const auto refused = [&](const std::vector<std::string>& logs) {
    return message_of<BadInput>([&] { import_all(logs, {4}, ImportFormat::epoch_csv); });
  };
  EXPECT_THAT(refused({of_rank("0"), of_rank("1")}),
              StartsWith("b and a are of rank 1 and 0 (ran"));
  EXPECT_THAT(refused({cat(of_rank("0"), of_rank("1"))}),
              StartsWith("a, attempt 2 and a, attempt 1 are of rank 1 and 0"));
  EXPECT_EQ(refused({of_rank("0"), replaced(of_rank("0"), "5.20", "5.3")}), "accepted");
}

TEST_F(OneLaunch, WhoseRanksKeepStepIsRefusedWhereNamesDifferInAnIndex) {
  const std::vector<double> noise{0.3, -0.5, 0.2, 0.6, -0.3, 0.1, -0.6, 0.4, -0.1, 0.5};
  /// Ten epochs of 60 s, every so many-th 15 s longer.
  const auto log_of_times = [&](double noise_s, std::size_t shift, double apart_s,
                                std::size_t every = 100) {
    std::string text = "time_per_epoch,loss\n";
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const double time_s =
          60 + noise_s * noise[(i + shift) % noise.size()] + (i % every == 1 ? 15 : 0);
      text += cat(time_s + (i % 2 == 0 ? apart_s : -apart_s), ',', 1.5 - 0.1 * (i + shift), '\n');
    }
    return text;
  };
  const auto import_two = [&](const std::string& one, const std::string& other,
                              const std::string& second, double ranks = 4) {
    return message_of<BadInput>([&] {
      return import_files(ImportFormat::epoch_csv,
                          {write(log_of_times(0.3, 0, 0), one), write(second, other)},
                          epoch_facts({ranks}));
    });
  };
  const auto in_step = replaced(log_of_times(0.3, 0, 0.01), ",1.5", ",1.6");
  EXPECT_THAT(import_two("log.0.csv", "log.1.csv", in_step),
              StartsWith("log.1.csv and log.0.csv differ in name by an index only, and keep step "
                         "epoch by epoch, with 4 ranks (ranks of one launch would count"));
  for (const auto& [one, other] :
       {std::pair{"node01.csv", "node02.csv"}, std::pair{"hosta", "hostb"},
        std::pair{"log.9.csv", "log.10.csv"}})
    EXPECT_THAT(import_two(one, other, in_step), HasSubstr("keep step epoch by epoch")) << one;
  for (const auto& [one, other] : {std::pair{"run_0.csv", "run_1.csv"}, std::pair{"seed3", "seed4"},
                                   std::pair{"monday", "tuesday"}})
    EXPECT_EQ(import_two(one, other, in_step), "accepted") << one;
  EXPECT_EQ(import_two("log.0", "log.1", in_step, 1), "accepted");
  EXPECT_EQ(import_two("log.0", "log.1", log_of_times(0.3, 3, 0)), "accepted") << "another launch";
  for (const std::size_t every : {2U, 3U, 4U, 5U}) {
    EXPECT_EQ(message_of<BadInput>([&] {
                return import_files(ImportFormat::epoch_csv,
                                    {write(log_of_times(0.3, 0, 0, every), "log.0"),
                                     write(log_of_times(0.3, 3, 0, every), "log.1")},
                                    epoch_facts());
              }),
              "accepted")
        << "evaluated every " << every;
  }
}

TEST_F(OneLaunch, OfAsManyLogsAsRanksIsNoted) {
  const auto notes_of = [&](const std::vector<std::string>& names, double ranks) {
    std::vector<std::filesystem::path> files;
    for (const auto& name : names)
      files.push_back(write(cat("time_per_epoch\n", 60 + files.size(), "\n50\n"), name));
    return import_files(ImportFormat::epoch_csv, files, epoch_facts({ranks})).notes;
  };
  EXPECT_THAT(
      notes_of({"log.0", "log.1", "log.2"}, 3),
      ElementsAre("log.2: 3 logs as this, with as many ranks, differ in name by an index: if "
                  "they are ranks of one launch, give one of them"));
  EXPECT_THAT(notes_of({"log.0", "log.1", "log.2"}, 4), IsEmpty());
  EXPECT_THAT(notes_of({"run0", "run1", "run2"}, 3), IsEmpty());
  EXPECT_THAT(notes_of({"log.0"}, 1), IsEmpty());
}

TEST_F(OneLaunch, InTwoFilesIsTwoPartsThatAreCensored) {
  const std::string first = "epoch,time_per_epoch\n1,50\n2,30\n3,30\n";
  const std::string second = "epoch,time_per_epoch\n4,4\n5,3\n";
  const auto outcomes = [&](const std::vector<std::string>& logs,
                            const std::vector<double>& ranks = {4}) {
    return values_of(runs_of(import_all(logs, ranks, ImportFormat::epoch_csv)),
                     &PublishedRun::outcome);
  };
  constexpr auto complete = PublishedOutcome::complete, censored = PublishedOutcome::censored;
  EXPECT_THAT(outcomes({first, second}), ElementsAre(censored, censored));
  EXPECT_THAT(outcomes({second, first}), ElementsAre(censored, censored));
  EXPECT_THAT(outcomes({first, second}, {4, 8}), ElementsAre(complete, censored));
  EXPECT_THAT(outcomes({first, "epoch,time_per_epoch\n5,4\n"}), ElementsAre(complete, censored));
  EXPECT_EQ(import_all({first, second}, {4}, ImportFormat::epoch_csv).studies[0].arms[0].remark,
            "When imported: a: kept as censored: b goes on from epoch 4.");
}

TEST_F(OneLaunch, InFoldersOfTheSameFileNameIsNamedByFolder) {
  std::vector<std::filesystem::path> files;
  for (const auto* node : {"node1", "node2"}) {
    std::filesystem::create_directories(folder_ / node);
    files.push_back(write(log_of({}), std::string(node) + "/result.txt"));
  }
  EXPECT_THAT(import_files(ImportFormat::mllog, files, facts()).notes,
              ElementsAre(files[0].string() + ": " + files[1].string() +
                          " is a copy of it: they count once"));
}

}  // namespace
}  // namespace scalestudy
