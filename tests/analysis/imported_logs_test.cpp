/// Logs as they are found: of several ranks, handlers, runs and attempts in one file. What is there
/// twice counts once, and what cannot be told apart is refused with its line.

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "analysis/importers/log_text.hpp"
#include "tests/analysis/invented_log.hpp"

namespace scalestudy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using test::ImportedLogs;
using test::InventedLog;
using test::line;
using test::log_of;
using test::replaced;

std::vector<std::string> lines_of(const std::string& text) {
  auto lines = split(text, '\n');
  lines.pop_back();
  return lines;
}

/// Each line of each text after the other, with what a launcher writes before it.
std::string interleaved(const std::vector<std::string>& texts,
                        const std::vector<std::string>& prefixes) {
  std::string all;
  for (std::size_t i = 0; i < lines_of(texts[0]).size(); ++i)
    for (std::size_t rank = 0; rank < texts.size(); ++rank)
      all += prefixes[rank] + lines_of(texts[rank])[i] + "\n";
  return all;
}

std::string as_utf16(const std::string& ascii, bool is_little) {
  std::string bytes = is_little ? "\xff\xfe" : "\xfe\xff";
  for (const char c : ascii) bytes += is_little ? std::string{c, '\0'} : std::string{'\0', c};
  return bytes;
}

TEST(LogText, SequencesOfTerminalsHideNothing) {
  EXPECT_EQ(plain_text_of("\x1b]0;title\x1b\\a\x1b]0;title\ab\n\x1b(Bc\n"), "ab\nc\n");
  EXPECT_EQ(plain_text_of("a\x1b]0;cut\nb\x1b"), "a\nb");
}

TEST_F(ImportedLogs, WhatIsWrittenByManyOrForWindowsIsTheSameRun) {
  const auto once = log_of({});
  const std::vector ranks{once, log_of({.delay_ms = 3}), log_of({.delay_ms = 1})};
  for (const auto& text :
       {once, replaced(once, "\n", "\r\n"), "\xef\xbb\xbf" + once,
        as_utf16(replaced(once, "\n", "\r\n"), true), as_utf16(once, false),
        replaced(replaced(once, ":::MLLOG", ":::\x1b[1;32mMLLOG\x1b[0m"), "\n", "\x1b[K\n"),
        interleaved({once, once}, {"", ""}), once + once,
        interleaved(ranks, {"0: ", "1: ", " 2: "}),
        interleaved(ranks, {"[1,0]<stdout>:", "[1,1]<stdout>:", "[1,2]<stderr>:"}),
        interleaved(ranks, {"[rank0]:", "[rank1]:", "[rank2]: "}),
        interleaved(ranks, {"0: [rank0]: ", "0: [rank1]: ", "1: [rank2]: "})}) {
    const auto runs = runs_in(text);
    ASSERT_THAT(runs, SizeIs(1)) << text.substr(0, 60);
    EXPECT_EQ(runs[0].epochs, 3) << text.substr(0, 60);
    EXPECT_EQ(runs[0].training_time_s, 6);
    EXPECT_EQ(runs[0].outcome, PublishedOutcome::complete);
  }
}

TEST_F(ImportedLogs, SeveralRunsInOneFileAreSeveralRuns) {
  const auto imported =
      import(log_of({}) + log_of({.start_ms = 90'000, .qualities = {"0.1", "0.2"}}));
  const auto& runs = imported.studies.at(0).arms.at(0).runs;
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].training_time_s, 6);
  EXPECT_EQ(runs[1].training_time_s, 4);
  EXPECT_EQ(runs[1].epochs, 2);
  EXPECT_EQ(runs[1].outcome, PublishedOutcome::quality_missed);
  EXPECT_THAT(imported.notes, ElementsAre(HasSubstr("log, line 17: quality not reached")));
}

TEST_F(ImportedLogs, RunsThatCannotBeToldApartAreRefusedWithTheLine) {
  const auto first = replaced(log_of({}), "run_stop", "block_stop");
  EXPECT_THAT(refusal(first + log_of({.start_ms = 90'000})),
              HasSubstr("log, line 17: a second run_start before a run_stop"));
  EXPECT_THAT(refusal(interleaved({log_of({}), log_of({.delay_ms = 3})}, {"", ""})),
              HasSubstr("log, line 10: a second run_start before a run_stop"))
      << "ranks without a prefix, each with its own clock";
}

TEST_F(ImportedLogs, TwoRecordsInOneLineAreRefusedWithTheLine) {
  const auto log = log_of({});
  for (const auto* between : {"", " ", "1: "})
    EXPECT_THAT(
        refusal(replaced(log, "}\n:::MLLOG {\"time_ms\": 3000, \"key\": \"eval",
                         cat("}", between, ":::MLLOG {\"time_ms\": 3000, \"key\": \"eval"))),
        HasSubstr("log, line 6: two records ':::MLLOG {…}' in one line"));
}

TEST_F(ImportedLogs, SamplesInEpochNumAreNoEpochs) {
  const InventedLog bert{.benchmark = "bert", .qualities = {"0.6", "0.72"}, .epoch_step = 200'000};
  const auto imported = import(log_of(bert));
  const auto& arm = imported.studies.at(0).arms.at(0);
  EXPECT_EQ(arm.runs.at(0).epochs * arm.runs[0].samples_per_epoch, 400'000);
  EXPECT_THAT(arm.computed, Contains("epochs"));
  EXPECT_THAT(imported.notes, Contains(HasSubstr("counts samples, not epochs: 400000 trained")));
  auto known = bert;
  known.facts = "\"train_samples\", \"value\": 800000";
  EXPECT_EQ(runs_in(log_of(known)).at(0).epochs, 0.5);
  // U-Net of MLPerf: judged every 20 epochs from 1,000 on, with a batch of 32.
  const InventedLog unet{.qualities = std::vector<std::string>(60, "0.9"), .epoch_step = 20};
  EXPECT_EQ(runs_in(log_of(unet)).at(0).epochs, 1200);
}

TEST_F(ImportedLogs, RanksThatSayMoreThanTheFirstAreRead) {
  const auto log = lines_of(log_of({}));
  const auto of_ranks = [&](const auto& has_line) {
    std::string all;
    for (std::size_t i = 0; i < log.size(); ++i)
      for (int rank = 0; rank < 2; ++rank)
        if (has_line(rank, log[i], i)) all += cat(rank, ": ", log[i], "\n");
    return all;
  };
  const auto killed =
      import(of_ranks([](int rank, const auto&, auto i) { return rank > 0 || i < 7; }));
  EXPECT_EQ(only_run(killed).training_time_s, 6);
  EXPECT_EQ(only_run(killed).outcome, PublishedOutcome::complete);
  EXPECT_THAT(killed.notes,
              ElementsAre("log: the lines of rank 0 have no run_stop: those of rank 1 are read"));
  const auto judged_by_last = import(of_ranks([](int rank, const std::string& text, auto) {
    return (text.find("eval_accuracy") != std::string::npos) == (rank == 1);
  }));
  EXPECT_EQ(only_run(judged_by_last).quality, 0.76);
  EXPECT_EQ(only_run(judged_by_last).outcome, PublishedOutcome::complete);
  EXPECT_EQ(judged_by_last.studies[0].arms[0].remark,
            "When imported: log: the eval_accuracy is of rank 1: rank 0 says none.");
}

TEST_F(ImportedLogs, EpochsThatAreOnlyJudgedAreCountedByWhenTheyAre) {
  const auto judged = [&](std::int64_t first, std::int64_t delay_ms) {
    auto text = log_of({.qualities = {}});
    text = replaced(text, lines_of(text).back() + "\n", "");
    for (std::int64_t i = 0; i < 4; ++i)
      text +=
          line(1000 + delay_ms + 2000 * i,
               cat("\"eval_accuracy\", \"value\": 0.76, \"metadata\": {\"epoch_num\": ", first + i,
                   "}"));
    return import(text + line(10'000, R"("run_stop", "metadata": {"status": "success"})"));
  };
  const auto epochs = [](const Imported& imported) { return only_run(imported).epochs; };
  EXPECT_EQ(epochs(judged(1, 2000)), 4);
  EXPECT_THAT(judged(1, 2000).notes, IsEmpty());
  EXPECT_EQ(epochs(judged(0, 2000)), 4);
  EXPECT_EQ(judged(0, 2000).studies[0].arms[0].remark,
            "When imported: log: by the times of eval_accuracy, epoch_num 0 is the first epoch: 4 "
            "epochs count.");
  EXPECT_EQ(epochs(judged(0, 100)), 3);
  EXPECT_THAT(judged(0, 100).notes, ElementsAre(HasSubstr("0 is before the training: 3 epochs")));
}

TEST_F(ImportedLogs, TwoQualitiesOfOneEpochAreRefusedWithBothLines) {
  const auto with = [&](const char* value, const char* metadata) {
    return log_of({}) + line(5000, cat(R"("eval_accuracy", "value": )", value,
                                       R"(, "metadata": {"epoch_num": )", metadata, "}"));
  };
  EXPECT_THAT(refusal(with("0.71", "2")),
              HasSubstr("log, line 13: eval_accuracy of epoch_num 2 is 0.71, and 0.7 in line 9"));
  EXPECT_THAT(runs_in(with("0.7", "2")), SizeIs(1));
  EXPECT_THAT(runs_in(with("0.71", "2, \"step_num\": 900")), SizeIs(1)) << "later in the epoch";
  EXPECT_THAT(
      runs_in(with("0.71", "12345678") + line(6000, R"("eval_accuracy", "value": 0.72, )"
                                                    R"("metadata": {"epoch_num": 12345679})")),
      SizeIs(1))
      << "of many samples";
}

TEST_F(ImportedLogs, FormatsOf2018AreRefusedByName) {
  EXPECT_THAT(refusal("noise\n:::MLPv0.5.0 resnet 1541710000.10 (train.py:10) run_start\n"),
              HasSubstr("log, line 2: MLPerf's format of 2018 and 2019 (:::MLPv0.5.0)"));
  EXPECT_THAT(refusal(":::MLL 1561576000.123 run_start: {\"value\": null}\n"),
              HasSubstr("log, line 1: MLPerf's format of 2018 and 2019 (:::MLL)"));
}

TEST_F(ImportedLogs, AMissedTargetAndNaNAreKeptAndSaid) {
  const auto outcome = [&](const std::string& benchmark, std::vector<std::string> qualities) {
    return runs_in(log_of({.benchmark = benchmark, .qualities = std::move(qualities)}))
        .at(0)
        .outcome;
  };
  EXPECT_EQ(outcome("resnet", {"0.1", "0.7589"}), PublishedOutcome::quality_missed);
  EXPECT_EQ(outcome("resnet", {"0.759", "0.75"}), PublishedOutcome::complete) << "once is enough";
  EXPECT_EQ(outcome("rnnt", {"0.3", "0.059"}), PublishedOutcome::quality_missed);
  EXPECT_EQ(outcome("rnnt", {"0.3", "0.058"}), PublishedOutcome::complete) << "lower is better";
  EXPECT_EQ(outcome("their own", {"0.1"}), PublishedOutcome::complete) << "its target is not known";
  EXPECT_EQ(outcome("resnet", {"0.76", "NaN"}), PublishedOutcome::quality_nan);
  EXPECT_EQ(outcome("resnet", {"Infinity", "0.76"}), PublishedOutcome::quality_nan);
  const auto imported = import(log_of({.qualities = {"0.5", "NaN", "0.76"}}));
  EXPECT_THAT(imported.notes, ElementsAre("log: eval_accuracy is no number in line 9"));
}

TEST_F(ImportedLogs, WhichOfTwoSsdIsMeantFollowsFromItsSamples) {
  const auto import_ssd = [&](const std::string& samples) {
    const auto fact = cat("\"train_samples\", \"value\": ", samples);
    return import(log_of({.benchmark = "ssd", .qualities = {"0.2", "0.3"}, .facts = fact}));
  };
  const auto outcome = [](const Imported& imported) { return only_run(imported).outcome; };
  EXPECT_EQ(outcome(import_ssd("117266")), PublishedOutcome::complete);
  const auto retinanet = import_ssd("1170301");
  EXPECT_EQ(outcome(retinanet), PublishedOutcome::quality_missed);
  EXPECT_THAT(retinanet.notes, Contains(HasSubstr("MLPerf asks retinanet for at least 0.34")));
  EXPECT_THAT(import_ssd("null").notes, Contains(HasSubstr("ssd is judged as SSD")));
}

/// All lines of `text` that contain `key`.
std::string lines_with(const std::string& text, const std::string& key) {
  std::string found;
  for (const auto& one : lines_of(text))
    if (one.find(key) != std::string::npos) found += one + "\n";
  return found;
}

TEST_F(ImportedLogs, WhatBelongsToARunIsToldByTimeNotByLine) {
  const auto once = log_of({});
  auto lines = lines_of(once);
  std::ranges::reverse(lines);
  const auto late = line(7000, R"("eval_accuracy", "value": 0.9, "metadata": {"epoch_num": 3})");
  auto unordered = replaced(once, "0.5, \"metadata\": {\"epoch_num\": 1",
                            "0.76, \"metadata\": {\"epoch_num\": 3");
  unordered = replaced(
      unordered,
      "0.76, \"metadata\": {\"epoch_num\": 3}}\n:::MLLOG {\"time_ms\": 7000, \"key\": \"run",
      "0.5, \"metadata\": {\"epoch_num\": 1}}\n:::MLLOG {\"time_ms\": 7000, \"key\": \"run");
  for (const auto& text : {join(lines, "\n") + "\n", unordered}) {
    const auto runs = runs_in(text);
    ASSERT_THAT(runs, SizeIs(1)) << text;
    EXPECT_EQ(runs[0].training_time_s, 6);
    EXPECT_EQ(runs[0].epochs, 3);
    EXPECT_EQ(runs[0].quality, 0.76) << text;
    EXPECT_EQ(runs[0].outcome, PublishedOutcome::complete);
  }
  const auto missed = log_of({.qualities = {"0.5", "0.7"}});
  const auto second = log_of({.start_ms = 90'000});
  const auto in_time = replaced(late, "7000", "5000");
  EXPECT_EQ(runs_in(missed + in_time + second).at(0).outcome, PublishedOutcome::complete);
  const auto too_late = import(missed + late);
  EXPECT_EQ(only_run(too_late).outcome, PublishedOutcome::quality_missed);
  EXPECT_THAT(
      too_late.notes,
      Contains("log: 1 eval_accuracy line after run_stop not counted, the first is line 11"));
}

TEST_F(ImportedLogs, AClockThatGoesBackIsRefusedWithTheLine) {
  const auto with_time = [](int line_number, std::int64_t time_ms) {
    auto lines = lines_of(log_of({.start_ms = 10'000}));
    auto& one = lines.at(static_cast<std::size_t>(line_number - 1));
    one.replace(0, one.find(','), cat(":::MLLOG {\"time_ms\": ", time_ms));
    return join(lines, "\n") + "\n";
  };
  EXPECT_THAT(refusal(with_time(12, 8000)),
              HasSubstr("log, line 12: the run stops no later than it starts, in line 5 (its clock "
                        "went back: how long the run took is not known)"));
  EXPECT_THAT(refusal(with_time(10, 11'000)),
              HasSubstr("log, line 10: epoch 3 ends before the epoch of line 8 (its clock went"));
  EXPECT_THAT(refusal(with_time(6, 9000)),
              HasSubstr("log, line 6: epoch_stop comes before run_start, of line 5"));
  EXPECT_THAT(refusal(with_time(7, 9000)),
              HasSubstr("log, line 7: eval_accuracy comes before run_start, of line 5"));
  EXPECT_THAT(runs_in(with_time(10, 14'000)), SizeIs(1)) << "as late as the one before";
}

TEST_F(ImportedLogs, OfSeveralNumbersAllMustReachTheirTargetsAtOnce) {
  const auto of_maskrcnn = [&](std::vector<std::string> qualities) {
    return import(log_of({.benchmark = "maskrcnn", .qualities = std::move(qualities)}));
  };
  const auto outcome = [](const Imported& imported) { return only_run(imported).outcome; };
  const auto* box_only = R"({"BBOX": 0.38, "SEGM": 0.33})";
  const auto* mask_only = R"({"BBOX": 0.37, "SEGM": 0.34})";
  const auto reached = of_maskrcnn({box_only, R"({"BBOX": 0.377, "SEGM": "0.339"})"});
  EXPECT_EQ(outcome(reached), PublishedOutcome::complete);
  EXPECT_EQ(reached.studies[0].arms[0].quality_metric, "eval_accuracy BBOX");
  EXPECT_EQ(only_run(reached).quality, 0.377);
  const auto missed = of_maskrcnn({box_only, mask_only});
  EXPECT_EQ(outcome(missed), PublishedOutcome::quality_missed);
  EXPECT_THAT(missed.notes, Contains(HasSubstr("best eval_accuracy SEGM 0.34, MLPerf asks maskrcnn "
                                               "for at least 0.339, at once")));
  EXPECT_EQ(outcome(of_maskrcnn({"[0.38, 0.34]"})), PublishedOutcome::quality_unread)
      << "which is which is not said";
  EXPECT_EQ(outcome(of_maskrcnn({"0.38"})), PublishedOutcome::quality_unread);

  const auto of_diffusion = [&](const std::vector<std::string>& fid,
                                const std::vector<std::string>& clip) {
    const auto with = [](const char* metric, const std::vector<std::string>& qualities) {
      return replaced(log_of({.benchmark = "stable_diffusion", .qualities = qualities}),
                      "\"metadata\": {\"epoch_num\"",
                      cat("\"metadata\": {\"metric\": \"", metric, "\", \"epoch_num\""));
    };
    return import(with("FID", fid) + lines_with(with("CLIP", clip), "CLIP"));
  };
  const auto good = of_diffusion({"200", "89"}, {"0.1", "0.151"});
  EXPECT_EQ(outcome(good), PublishedOutcome::complete);
  EXPECT_EQ(only_run(good).quality, 89);
  EXPECT_EQ(outcome(of_diffusion({"200", "93"}, {"0.1", "0.151"})),
            PublishedOutcome::quality_missed);
  EXPECT_EQ(outcome(of_diffusion({"89", "95"}, {"0.1", "0.151"})), PublishedOutcome::quality_missed)
      << "never at once";
}

TEST_F(ImportedLogs, QualityIsReadOrTheRunSaysThatItIsNot) {
  const auto outcome = [&](std::vector<std::string> qualities) {
    return runs_in(log_of({.qualities = std::move(qualities)})).at(0).outcome;
  };
  EXPECT_EQ(outcome({"\"0.5\"", "\"0.76\""}), PublishedOutcome::complete) << "a number as text";
  for (const auto* unread : {"\"75.9%\"", "null", "[0.76]", R"({"TOP1": 0.76, "TOP5": 0.9})"})
    EXPECT_EQ(outcome({unread}), PublishedOutcome::quality_unread) << unread;
  const auto none = import(replaced(log_of({}), "eval_accuracy", "eval_start"));
  EXPECT_EQ(only_run(none).outcome, PublishedOutcome::quality_unread);
  EXPECT_THAT(none.notes,
              Contains("log: quality not readable: no eval_accuracy from run_start to run_stop"));
  EXPECT_THAT(refusal(log_of({.qualities = {"50", "72.0"}})),
              HasSubstr("log, line 7: eval_accuracy = 50 is above 1"));
  EXPECT_THAT(import(log_of({.benchmark = "mynet", .qualities = {"72.0"}})).notes,
              Contains("log: no target is known of 'mynet': whether its quality suffices is not "
                       "judged"));
}

constexpr const char* epochs_0_to_2 = ",time_per_epoch,iou\n0,50,0.1\n1,30,0.2\n2,30,0.3\n";

TEST_F(ImportedLogs, AnEpochLogThatStartsAgainIsTwoAttempts) {
  for (const auto* again : {"0,60,0.1\n1,40,0.2\n2,40,0.3\n3,40,0.4\n",
                            ",time_per_epoch,iou\n0,60,0.1\n1,40,0.2\n2,40,0.3\n3,40,0.4\n"}) {
    const auto imported = import_epochs(cat(epochs_0_to_2, again));
    const auto& runs = imported.studies.at(0).arms.at(0).runs;
    ASSERT_THAT(runs, SizeIs(2));
    EXPECT_EQ(runs[0].outcome, PublishedOutcome::censored) << "it came to epoch 2 of 3";
    EXPECT_EQ(runs[0].training_time_s, 110);
    EXPECT_EQ(runs[1].outcome, PublishedOutcome::complete);
    EXPECT_EQ(runs[1].training_time_s, 180);
    EXPECT_EQ(runs[1].epochs, 4);
  }
  const auto resumed = import_epochs(cat(epochs_0_to_2, "1,40,0.2\n2,40,0.3\n3,40,0.4\n"));
  EXPECT_EQ(resumed.studies[0].arms[0].runs.at(1).outcome, PublishedOutcome::censored)
      << "its time is not that of a whole training";
  EXPECT_THAT(resumed.notes, Contains("log, attempt 2: kept as censored: it goes on from epoch 1"));
  const auto shorter = cat(epochs_0_to_2, "0,60,0.1\n1,40,0.2\n");
  EXPECT_THAT(epochs_refusal(shorter),
              HasSubstr("log, line 6, column time_per_epoch: an attempt of 2 epochs, after one of "
                        "3 (which of them is the whole training cannot be told)"));
  EXPECT_THAT(import_epochs(shorter + "0,60,0.3\n1,50,0.2\n2,40,0.1\n").notes,
              ElementsAre("log, attempt 2: kept as censored: another attempt came further"));
}

TEST_F(ImportedLogs, AnEpochLogWithTheNewestFirstIsReadFromItsEnd) {
  for (const auto* rows : {"2,3,0.3\n1,4,0.2\n0,5,0.1\n", "2,3,0.3\n2,3,0.3\n1,4,0.2\n0,5,0.1\n"}) {
    const auto imported = import_epochs(cat("epoch,time_per_epoch,iou\n", rows));
    const auto& runs = imported.studies.at(0).arms.at(0).runs;
    ASSERT_THAT(runs, SizeIs(1)) << rows;
    EXPECT_EQ(runs[0].first_epoch_s, 5);
    EXPECT_EQ(runs[0].median_epoch_s, 3.5);
    EXPECT_EQ(runs[0].quality, 0.3);
    EXPECT_EQ(runs[0].outcome, PublishedOutcome::complete);
    EXPECT_THAT(imported.notes, Contains("log: the newest epoch stands first: read from the last "
                                         "row up"));
  }
}

TEST_F(ImportedLogs, RowsOfAnEpochLogThatStandThereTwiceCountOnce) {
  for (const auto& text :
       {interleaved({epochs_0_to_2, epochs_0_to_2}, {"", ""}),
        interleaved({epochs_0_to_2, replaced(epochs_0_to_2, "50", "60")}, {"[rank0]:", "[rank1]:"}),
        cat(epochs_0_to_2, epochs_0_to_2), as_utf16(epochs_0_to_2, true)}) {
    const auto runs = import_epochs(text).studies.at(0).arms.at(0).runs;
    ASSERT_THAT(runs, SizeIs(1)) << text;
    EXPECT_EQ(runs[0].epochs, 3);
    EXPECT_EQ(runs[0].training_time_s, 110);
  }
  EXPECT_THAT(import_epochs(cat(epochs_0_to_2, epochs_0_to_2)).notes,
              ElementsAre("log: 3 rows that stand there before count once: if another launch wrote "
                          "them, it is missing"));
  EXPECT_THAT(import_epochs(cat(epochs_0_to_2, "2,30,0.3\n")).notes,
              ElementsAre(HasSubstr("log: 1 row that stands there before counts once")));
  EXPECT_THAT(only_run(import_epochs("time\n5\n4\n5\n4\n")).epochs, 4);
  EXPECT_THAT(import_epochs(epochs_0_to_2).notes, IsEmpty());
  EXPECT_THAT(epochs_refusal(cat(epochs_0_to_2, "2,40,0.3\n")),
              HasSubstr("line 5, column 1: epoch 2 stands there twice, with other time_per_epoch"));
  EXPECT_THAT(epochs_refusal("time_per_epoch\ntime_per_epoch\n5\n5\n"),
              HasSubstr("the heading stands there twice"));
  const auto judged = only_run(import_epochs("epoch,time_per_epoch,iou\n1,5,\n2,5,0.4\n3,5,\n"));
  EXPECT_EQ(judged.quality, 0.4) << "of the last epoch that was evaluated";
  EXPECT_EQ(judged.outcome, PublishedOutcome::complete);
  EXPECT_THAT(epochs_refusal(cat(epochs_0_to_2, ",110,\n")),
              HasSubstr("line 5, column 1 is empty (which epoch took the time"));
}

}  // namespace
}  // namespace scalestudy
