/// What logs and tables say of a run and what is given of it: which counts, and what is said
/// of the rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/analysis/invented_log.hpp"

namespace scalestudy {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

using test::ImportedLogs;
using test::line;
using test::log_of;
using test::published_heading;
using test::replaced;

TEST_F(ImportedLogs, FactsThatCannotBeRightAreRefusedByLine) {
  const auto second = line(995, "\"global_batch_size\", \"value\": 64");
  EXPECT_THAT(refusal(second + log_of({})),
              HasSubstr("log, line 5: global_batch_size is 32, and 64 in line 1"));
  EXPECT_EQ(runs_in(line(995, "\"global_batch_size\", \"value\": \"32\"") + log_of({}))
                .at(0)
                .global_batch_size,
            32);
  EXPECT_THAT(refusal(log_of({.start_ms = 1'600'000'000})),
              HasSubstr("log, line 5: time_ms = 1.6e+09 is no date in milliseconds since 1970"));
  for (const auto* batch : {"-4", "0", "1.5", "1e12", "\"-4\""})
    EXPECT_THAT(refusal(log_of({.facts = cat("\"global_batch_size\", \"value\": ", batch)})),
                HasSubstr("log, line 4: global_batch_size = "))
        << batch;
  EXPECT_THAT(refusal(log_of({.facts = "\"train_samples\", \"value\": 0"})),
              HasSubstr("log, line 4: train_samples = 0 cannot be right"));
  const auto two =
      runs_in(log_of({.facts = "\"train_samples\", \"value\": 32"}) +
              log_of({.start_ms = 90'000, .facts = "\"train_samples\", \"value\": 64"}));
  EXPECT_EQ(two.at(0).samples_per_epoch, 32);
  EXPECT_EQ(two.at(1).samples_per_epoch, 64);
}

TEST_F(ImportedLogs, WhatIsGivenInPlaceOfTheLogsNumberIsNoted) {
  auto given = facts();
  given.global_batch_size = {400};
  const auto imported = import_files(ImportFormat::mllog, {write(log_of({}))}, given);
  EXPECT_EQ(only_run(imported).global_batch_size, 400);
  EXPECT_THAT(imported.notes,
              Contains(HasSubstr("--global-batch-size 400 counts, where the log says 32")));
}

TEST_F(ImportedLogs, ACommaBetweenThousandsIsRefused) {
  const auto refused = [](const std::string& text) {
    return message_of<BadInput>([&] { return numbers_of_files({text}, "--ranks"); });
  };
  EXPECT_EQ(refused("1,024"),
            "--ranks 1,024 may be one number, or one for each file (a comma stands between numbers "
            "of files, not between thousands). Give --ranks 1024, or with blanks between files "
            "--ranks 1 24.");
  for (const auto* text : {"12,800", "1,281,167", "117,266", "50,000", "4,08", "1,2,03"})
    EXPECT_THAT(refused(text), HasSubstr("may be one number, or one for each file")) << text;
  EXPECT_THAT(numbers_of_files({"128", "256"}, "--ranks"), ElementsAre(128, 256));
  EXPECT_THAT(numbers_of_files({"64,32", "1e3"}, "--ranks"), ElementsAre(64, 32, 1000));
  EXPECT_THAT(numbers_of_files({"8, 16,128"}, "--ranks"), ElementsAre(8, 16, 128));
  EXPECT_THAT(numbers_of_files({"64,128,512"}, "--ranks"), ElementsAre(64, 128, 512));
  EXPECT_THAT(numbers_of_files({"0.5,100,0"}, "--ranks"), ElementsAre(0.5, 100, 0));
  EXPECT_THAT(numbers_of_files({}, "--ranks"), IsEmpty());
  for (const auto* text :
       {"", "1,", "08,", "08,,16", "1,000,", ",128", "1 2", "log.csv", "nan", "4x"})
    EXPECT_THAT(refused(text), HasSubstr("' is no number (all up to the next option")) << text;
}

TEST_F(ImportedLogs, ACountBelowOneIsRefused) {
  auto given = facts();
  given.samples_per_epoch = {0};
  EXPECT_THAT(message_of<BadInput>(
                  [&] { return import_files(ImportFormat::mllog, {write(log_of({}))}, given); }),
              HasSubstr("--samples-per-epoch: 0 is no count"));
}

TEST_F(ImportedLogs, RanksThatTheLogContradictsAreRefusedOrNoted) {
  const auto with_ranks = [](const char* ranks) {
    return line(995, cat("\"number_of_ranks\", \"value\": ", ranks)) + log_of({});
  };
  EXPECT_THAT(refusal(with_ranks("32")), HasSubstr("log says number_of_ranks 32, --ranks 4"));
  EXPECT_THAT(import(with_ranks("4")).notes, IsEmpty());
  EXPECT_EQ(only_run(import_files(ImportFormat::mllog, {write(with_ranks("32"))}, facts({}))).ranks,
            32);
  const auto on_nodes = [](const char* nodes, const char* accelerators) {
    return line(995, cat("\"number_of_nodes\", \"value\": ", nodes)) +
           line(995, cat("\"accelerators_per_node\", \"value\": ", accelerators)) + log_of({});
  };
  EXPECT_THAT(refusal(on_nodes("4", "2")),
              HasSubstr("log says number_of_nodes × accelerators_per_node 8, --ranks 4"));
  EXPECT_THAT(import(on_nodes("2", "2")).notes, IsEmpty());
  EXPECT_THAT(import(on_nodes("2", "0")).notes, IsEmpty()) << "no accelerators";
  EXPECT_THAT(import(line(995, "\"number_of_ranks\", \"value\": 4") + on_nodes("8", "1")).notes,
              IsEmpty());
  const auto of_nodes = import_files(ImportFormat::mllog, {write(on_nodes("4", "4"))}, facts({}));
  EXPECT_EQ(only_run(of_nodes).ranks, 16);
  const auto noted = import(log_of({.platform = "8xH100"}));
  EXPECT_THAT(noted.notes, ElementsAre("log: --ranks 4 counts, where the platform is 8xH100"));
  EXPECT_THAT(noted.studies[0].arms[0].remark,
              StartsWith("When imported: log: --ranks 4 counts, where"));
  EXPECT_THAT(import(log_of({.platform = "H100"})).notes, IsEmpty());
  for (const auto* platform : {"XE8545-4xA100", "XE8545x1-4xA100-SXM-80GB", "C4140-K-4xV100"})
    EXPECT_THAT(import(log_of({.platform = platform})).notes, IsEmpty()) << platform;
  for (const auto* platform : {"XE8545x2-4xA100-SXM-80GB", "XE8545-8xA100"})
    EXPECT_THAT(import(log_of({.platform = platform})).notes, ElementsAre(HasSubstr("--ranks 4")))
        << platform;
  const std::string of_16_gpus = "2xXE9680x8H100-SXM-80GB";
  EXPECT_THAT(
      import_files(ImportFormat::mllog, {write(log_of({.platform = of_16_gpus}))}, facts({16}))
          .notes,
      IsEmpty());
  EXPECT_THAT(
      import_files(ImportFormat::mllog, {write(log_of({.platform = of_16_gpus}))}, facts({2}))
          .notes,
      ElementsAre(HasSubstr("--ranks 2 counts, where the platform is 2xXE9680x8H100")));
  EXPECT_THAT(import(log_of({.platform = "4x DGX A100"})).notes,
              ElementsAre("log: --ranks 4 counts ranks, and the platform 4x DGX A100 as many "
                          "machines of several GPUs"));
  EXPECT_THAT(import(log_of({.platform = "4xA100"})).notes, IsEmpty());
  EXPECT_THAT(import(replaced(with_ranks("4"), "4xA100", "2xA100")).notes, IsEmpty())
      << "of two machines";
}

TEST_F(ImportedLogs, RanksInAnotherOrderThanInTheNamesAreRefused) {
  const auto refused = [&](const std::vector<std::string>& names,
                           const std::vector<double>& ranks) {
    std::vector<std::filesystem::path> files;
    for (const auto& name : names)
      files.push_back(write(cat("time_per_epoch\n", 20 + files.size(), "\n"), name));
    return message_of<BadInput>(
        [&] { return import_files(ImportFormat::epoch_csv, files, epoch_facts(ranks)); });
  };
  EXPECT_EQ(refused({"log_16gpu.csv", "log_8gpu.csv"}, {8, 16}),
            "--ranks gives log_16gpu.csv 8: the names of the files have its numbers in another "
            "order (a point has its place by it). Give --ranks 16,8, or rename the files where "
            "they number something else.");
  EXPECT_THAT(refused({"e2_n1_a", "e2_n16_b", "e2_n2_c"}, {1, 2, 16}), HasSubstr("--ranks 1,16,2"));
  for (const auto& [names, ranks] :
       std::vector<std::pair<std::vector<std::string>, std::vector<double>>>{
           {{"log_16.csv", "log_8.csv"}, {16, 8}},
           {{"run_1", "run_2"}, {8, 16}},
           {{"n1_2", "n2_1"}, {1, 2}},
           {{"n8", "m"}, {4, 8}},
           {{"n4_1", "n4_2"}, {4, 4}},
           {{"log_8", "log_16"}, {4}}})
    EXPECT_EQ(refused(names, ranks), "accepted") << names[0];
}

TEST_F(ImportedLogs, ThroughputsOfEvaluationAreNotThoseOfTraining) {
  const auto rate = [](const char* stage, const char* images_per_s) {
    return line(2000, cat(R"("tracked_stats", "value": {"throughput": )", images_per_s,
                          R"(}, "metadata": {"file": "eval.py", "stage": ")", stage, "\"}"));
  };
  const auto both =
      import(log_of({}) + rate("train", "320") + rate("Eval", "960") + rate("test", "950"));
  EXPECT_EQ(only_run(both).samples_per_s, 320);
  EXPECT_THAT(both.notes,
              ElementsAre("log: 2 throughput lines of evaluation not counted, the first "
                          "is line 14"));
}

TEST_F(ImportedLogs, WhatIsNotCountedIsNotedWithItsLine) {
  const auto second = line(9000, R"("run_stop", "metadata": {"status": "aborted"})");
  const auto stopped = import(log_of({}) + second);
  EXPECT_THAT(stopped.notes, ElementsAre("log: 1 run_stop line beside line 12 not counted, the "
                                         "first is line 13"));
  EXPECT_EQ(only_run(stopped).training_time_s, 6);
  EXPECT_THAT(import(log_of({.facts = R"("global_batch_size", "value": "3,200")"})).notes,
              ElementsAre("log: 1 global_batch_size line without a number not counted, the first "
                          "is line 4"));
  const auto rate = line(2000, R"("tracked_stats", "value": {"throughput": "3,200"})");
  EXPECT_THAT(
      import(log_of({}) + rate).notes,
      ElementsAre("log: 1 throughput line without a rate not counted, the first is line 13"));
  EXPECT_THAT(import(log_of({.qualities = {"0.5", "\"0,7\"", "0.76"}})).notes,
              ElementsAre("log: eval_accuracy of line 9 is no number: it is not counted"));
}

TEST_F(ImportedLogs, ALogThatWasClosedLateIsNotedWithItsLine) {
  const auto notes_of = [&](const char* event, std::int64_t at_ms, std::int64_t stop_ms) {
    return import(
               line(0, R"("submission_benchmark", "value": "resnet")") + line(0, "\"run_start\"") +
               line(at_ms, cat("\"", event, R"(", "value": 0.76, "metadata": {"epoch_num": 1})")) +
               line(stop_ms, R"("run_stop", "metadata": {"status": "success"})"))
        .notes;
  };
  EXPECT_THAT(notes_of("eval_accuracy", 600'000, 7'800'000),
              ElementsAre("log: run_stop of line 4 comes 2 h 0 min after all else: if the log was "
                          "closed late, the time is too long"));
  EXPECT_THAT(notes_of("eval_accuracy", 600'000, 1'800'000), IsEmpty()) << "rare evaluations";
  EXPECT_THAT(notes_of("eval_accuracy", 2000, 62'000), IsEmpty()) << "a last checkpoint";
  EXPECT_THAT(notes_of("epoch_start", 1, 7'200'000), ElementsAre(HasSubstr("no eval_accuracy")));
}

/// Blocks of epochs are numbered by their first one, or by samples.
TEST_F(ImportedLogs, ARunThatGoesOnFromALaterBlockIsCensored) {
  struct Found {
    double epochs = 0;
    std::string reason;
  };
  const auto from = [&](int first, int step, std::string_view number, int count = 1) {
    auto text = line(0, R"("submission_benchmark", "value": "resnet")") +
                line(0, R"("train_samples", "value": 1000)") + line(0, "\"run_start\"");
    for (int block = 0; block < 3; ++block) {
      const int begin = first + block * step;
      const int end = step == 1000 && count == 1 ? begin : begin + step - 1;
      text += line(100 + 1'000'000 * block, cat(R"("block_start", "metadata": {"epoch_count": )",
                                                count, ", \"", number, "\": ", begin, "}")) +
              line(900'000 + 1'000'000 * block,
                   cat(R"("eval_accuracy", "value": 0.76, "metadata": {"epoch_num": )", end, "}"));
    }
    const auto imported =
        import(text + line(20'000'001, R"("run_stop", "metadata": {"status": "success"})"));
    constexpr std::string_view censored = "log: kept as censored: ";
    Found found{imported.studies.at(0).arms.at(0).runs.at(0).epochs, ""};
    for (const auto& note : imported.notes)
      if (note.starts_with(censored)) found.reason = note.substr(censored.size());
    return found;
  };
  for (const auto* number : {"first_epoch_num", "epoch_num"}) {
    EXPECT_EQ(from(4, 1, number).reason, "it goes on from epoch 4") << number;
    EXPECT_EQ(from(4, 1, number).epochs, 3) << number;
    EXPECT_EQ(from(5, 4, number).epochs, 12) << number;
    EXPECT_EQ(from(1, 4, number).reason, "") << number;
    EXPECT_EQ(from(1, 4, number).epochs, 12) << number;
    EXPECT_EQ(from(4000, 1000, number).reason, "it goes on from sample 4000") << number;
    EXPECT_TRUE(std::isnan(from(4000, 1000, number).epochs)) << number;
    EXPECT_EQ(from(1000, 1000, number).reason, "") << number;
    EXPECT_EQ(from(1000, 1000, number).epochs, 3) << number;
    EXPECT_EQ(from(1, 1000, number, 1000).epochs, 3000) << number << " of blocks as long";
  }
}

/// The times tell where nothing but evaluations is numbered.
TEST_F(ImportedLogs, ARunThatIsJudgedTooEarlyIsCensored) {
  const auto notes_of = [&](int first, int delay_ms) {
    auto text = line(0, R"("submission_benchmark", "value": "resnet")") + line(0, "\"run_start\"");
    for (int i = 0; i < 4; ++i)
      text += line(
          delay_ms + 220'000 * i,
          cat(R"("eval_accuracy", "value": 0.76, "metadata": {"epoch_num": )", first + 4 * i, "}"));
    return import(text + line(2'000'000, R"("run_stop", "metadata": {"status": "success"})")).notes;
  };
  EXPECT_THAT(notes_of(24, 220'000), Contains("log: kept as censored: it goes on from epoch 21"));
  EXPECT_THAT(notes_of(24, 24 * 55'000), Each(Not(HasSubstr("censored")))) << "first judged late";
  EXPECT_THAT(notes_of(4, 220'000), Each(Not(HasSubstr("censored"))));
  EXPECT_THAT(notes_of(3, 220'000), Each(Not(HasSubstr("censored")))) << "counts from 0";
}

/// As of somebody's own training.
TEST_F(ImportedLogs, WithoutABenchmarkNoQualityIsAsked) {
  const auto text = line(0, "\"run_start\"") +
                    line(900, R"("epoch_stop", "metadata": {"epoch_num": 1})") +
                    line(1000, R"("run_stop", "metadata": {"status": "success"})");
  const auto imported = import_files(ImportFormat::mllog, {write(text)}, epoch_facts());
  EXPECT_EQ(only_run(imported).outcome, PublishedOutcome::complete);
  EXPECT_THAT(imported.notes, Contains(HasSubstr("no quality is asked")));
  const auto named = import(line(0, R"("submission_benchmark", "value": "resnet")") + text);
  EXPECT_EQ(only_run(named).outcome, PublishedOutcome::quality_unread);
}

TEST_F(ImportedLogs, AnErrorIsANegativeAccuracy) {
  const auto run_with = [&](const char* key, const char* error) {
    const auto text = log_of({.benchmark = "cosmoflow", .qualities = {error, error}});
    return only_run(import(replaced(text, "eval_accuracy", key)));
  };
  EXPECT_EQ(run_with("eval_error", "0.123").outcome, PublishedOutcome::complete);
  EXPECT_EQ(run_with("eval_error", "0.123").quality, -0.123);
  EXPECT_EQ(run_with("eval_error", "0.125").outcome, PublishedOutcome::quality_missed);
  EXPECT_EQ(run_with("eval_accuracy", "-0.123").outcome, PublishedOutcome::complete);
  EXPECT_EQ(run_with("eval_accuracy", "-0.125").outcome, PublishedOutcome::quality_missed);
}

TEST_F(ImportedLogs, LinesThatDockerQuotesAreRead) {
  const auto plain = log_of({});
  std::string quoted;
  for (const auto& one : split(plain, '\n'))
    if (!one.empty())
      quoted += cat(R"({"log":")", replaced(one, "\"", "\\\""), R"(\n","stream":"stdout"})", "\n");
  const auto run = only_run(import(quoted)), expected = only_run(import(plain));
  EXPECT_EQ(run.training_time_s, expected.training_time_s);
  EXPECT_EQ(run.epochs, expected.epochs);
  EXPECT_EQ(run.quality, expected.quality);
}

/// As language models are judged.
TEST_F(ImportedLogs, SamplesCountIsWhatWasTrained) {
  const auto text = replaced(log_of({.facts = "\"train_samples\", \"value\": 1000"}),
                             "\"epoch_num\": ", "\"samples_count\": 150");
  const auto run = only_run(import(replaced(text, "epoch_stop", "other")));
  EXPECT_EQ(run.epochs, 1.503) << "1501, 1502, 1503 samples of 1000";
}

/// One epoch encloses all, of a training that ends within it.
TEST_F(ImportedLogs, AnEpochThatEnclosesAllEvaluationsCountsNone) {
  const auto run_with = [&](const std::string& number) {
    auto text = line(0, R"("submission_benchmark", "value": "bert")") +
                line(0, R"("train_samples", "value": 1000000)") + line(0, "\"run_start\"") +
                line(0, R"("epoch_start", "metadata": {"epoch_num": 1})");
    for (int i = 1; i <= 3; ++i)
      text += line(100'000 * i, cat(R"("eval_accuracy", "value": 0.72, "metadata": {")", number,
                                    "\": ", 150'000 * i, "}"));
    return only_run(import(text + line(300'000, R"("epoch_stop", "metadata": {"epoch_num": 1})") +
                           line(300'001, R"("run_stop", "metadata": {"status": "success"})")));
  };
  EXPECT_EQ(run_with("epoch_num").epochs, 0.45);
  const auto parts =
      log_of({.benchmark = "gnn", .qualities = {"0.6", "0.7", "0.73"}, .epoch_step = 2});
  const auto in_parts = replaced(replaced(replaced(parts, "epoch_num\": 2", "epoch_num\": 0.25"),
                                          "epoch_num\": 4", "epoch_num\": 0.5"),
                                 "epoch_num\": 6", "epoch_num\": 0.55");
  EXPECT_EQ(
      only_run(import(in_parts + line(6'900, R"("epoch_stop", "metadata": {"epoch_num": 0})")))
          .epochs,
      0.55);
  EXPECT_EQ(run_with("samples_count").epochs, 0.45);
  EXPECT_EQ(run_with("step_num").epochs, 1);
}

/// As after a restart from a checkpoint, whatever became of the log before it.
TEST_F(ImportedLogs, ARunThatGoesOnFromALaterEpochIsCensored) {
  const auto from = [&](int first) {
    auto text = line(0, R"("submission_benchmark", "value": "resnet")") + line(0, "\"run_start\"");
    for (int epoch = first; epoch < first + 3; ++epoch)
      for (const auto& [event, at_ms] : {std::pair("start", 1000), std::pair("stop", 2000)})
        text += line(at_ms + 2000 * epoch,
                     cat("\"epoch_", event, R"(", "metadata": {"epoch_num": )", epoch, "}"));
    text += line(20'000, R"("eval_accuracy", "value": 0.76, "metadata": {"epoch_num": 3})") +
            line(20'001, R"("run_stop", "metadata": {"status": "success"})");
    return import(text).notes;
  };
  EXPECT_THAT(from(4), Contains("log: kept as censored: it goes on from epoch 4"));
  for (const int first : {0, 1}) EXPECT_THAT(from(first), Each(Not(HasSubstr("censored"))));
}

TEST_F(ImportedLogs, EpochsWhoseLinesAreMissingAreNoted) {
  const auto without_stop_of = [](int epoch) {
    return replaced(
        log_of({}),
        line(1000 + 2000 * epoch, cat(R"("epoch_stop", "metadata": {"epoch_num": )", epoch, "}")),
        "");
  };
  EXPECT_THAT(import(without_stop_of(2)).notes,
              ElementsAre("log: from epoch_stop 1 to 3 1 is missing, and not counted"));
  const auto last = import(without_stop_of(3));
  EXPECT_THAT(last.notes, ElementsAre(HasSubstr("epoch 3 was evaluated")));
  EXPECT_EQ(last.studies[0].arms[0].remark, "When imported: " + last.notes[0] + ".");
}

TEST_F(ImportedLogs, AnEpochStopOfSeveralEpochsCountsThem) {
  /// Of 2 s each, numbered so far apart.
  const auto stopped = [&](int first, int step, int count, const char* without = "none") {
    auto text = line(0, R"("submission_benchmark", "value": "unet3d")") + line(1, "\"run_start\"");
    for (int i = 0; i < 4; ++i)
      text += line(2000 * i + 2000, cat(R"("epoch_stop", "metadata": {"epoch_num": )",
                                        first + step * i, ", \"epoch_count\": ", count, "}"));
    text += line(8001, R"("run_stop", "metadata": {"status": "success"})");
    const auto imported = import(replaced(text, without, "epoch_start"));
    return std::pair{only_run(imported).epochs, imported.studies[0].arms[0].remark};
  };
  EXPECT_THAT(stopped(1, 20, 20), Pair(80, ""));
  EXPECT_THAT(stopped(20, 20, 20), Pair(80, ""));
  EXPECT_THAT(stopped(1, 1, 1), Pair(4, ""));
  EXPECT_THAT(stopped(1, 1, 36), Pair(4, "")) << "epoch_count of the whole training";
  EXPECT_THAT(stopped(1, 20, 20, "epoch_stop\", \"metadata\": {\"epoch_num\": 21"),
              Pair(60, HasSubstr("from epoch_stop 1 to 80 20 are missing")));
}

TEST_F(ImportedLogs, SecondsOfAClockOfItsOwnAreRefused) {
  const auto of_epochs = [](std::int64_t start, std::int64_t epoch_ms) {
    auto text = line(start, "\"submission_benchmark\", \"value\": \"resnet\"") +
                line(start, "\"run_start\"");
    for (int epoch = 1; epoch <= 10; ++epoch)
      text += line(start + epoch * epoch_ms,
                   cat(R"("epoch_stop", "metadata": {"epoch_num": )", epoch, "}"));
    return text + line(start + 10 * epoch_ms, R"("run_stop", "metadata": {"status": "success"})");
  };
  EXPECT_THAT(
      refusal(of_epochs(100, 27)),
      HasSubstr("log: by time_ms the run took 270 ms, and ended 10 epochs (time_ms may be in"));
  EXPECT_EQ(refusal(of_epochs(100, 100)), "accepted");
  EXPECT_EQ(refusal(of_epochs(1'600'000'000'000, 27)), "accepted") << "dates in milliseconds";
}

TEST_F(ImportedLogs, EpochsThatAreJudgedNowAndThenAreCountedFromZeroOrOne) {
  const auto of = [](const char* key, int epoch_num, std::int64_t time_ms) {
    return line(time_ms,
                cat('"', key, R"(", "value": 0.76, "metadata": {"epoch_num": )", epoch_num, "}"));
  };
  /// After so many epochs of 1 s each, which epoch_num calls less.
  const auto judged = [&](const std::vector<int>& epochs, int less, const std::string& more = "") {
    auto text = line(0, R"("submission_benchmark", "value": "resnet")") + line(1, "\"run_start\"");
    for (const int epoch : epochs) text += of("eval_accuracy", epoch - less, 1000 * epoch);
    const auto imported =
        import(text + more +
               line(1000 * epochs.back() + 1, R"("run_stop", "metadata": {"status": "success"})"));
    return std::pair{only_run(imported).epochs, join(imported.notes, "")};
  };
  const auto by_times = [](const char* rest) {
    return cat("log: by the times of eval_accuracy, epoch_num counts from ", rest);
  };
  EXPECT_THAT(judged({4, 8, 12}, 1), Pair(12, by_times("0: 12 epochs count")));
  EXPECT_THAT(judged({4, 8, 12}, 0), Pair(12, ""));
  EXPECT_THAT(judged({3, 7, 11}, 0), Pair(11, by_times("1: 11 epochs count"))) << "from the third";
  EXPECT_THAT(judged({3, 7, 11}, 1), Pair(11, by_times("0: 11 epochs count")));
  EXPECT_THAT(
      judged({12}, 1),
      Pair(11, "log: whether epoch_num counts from 0 or from 1 is not said: 11 epochs count"));
  const auto started = [&](int first, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += of("epoch_start", first + i, 1 + 1000 * i);
    return text;
  };
  EXPECT_THAT(judged({12}, 1, started(0, 12)),
              Pair(12, "log: by epoch_start, epoch_num counts from 0: 12 epochs count"));
  EXPECT_THAT(judged({11}, 0, started(1, 11)), Pair(11, ""));
  EXPECT_THAT(judged({12}, 0, started(0, 13)), Pair(12, "")) << "eval_accuracy counts what is done";
  EXPECT_THAT(judged({4, 8}, 0, started(1, 1)), Pair(8, "")) << "one start of all";
}

TEST_F(ImportedLogs, OneNumberByTwoNamesIsRefusedWhereTheyDiffer) {
  const auto both = [&](const std::string& other) {
    return import_table(cat(published_heading, "\na,w,d,1,p,weak,epoch_median,100,s,x\n",
                            "a,w,d,1,p,weak,epoch,", other, ",s,x\n"));
  };
  EXPECT_EQ(only_run(both("100")).median_epoch_s, 100);
  EXPECT_THAT(message_of<BadInput>([&] { both("400"); }), HasSubstr("line 3, column metric"));
}

TEST_F(ImportedLogs, AModeIsKnownInAnyUsualSpellingOrRefusedByLine) {
  const auto import_mode = [&](const std::string& mode) {
    return import_table(cat(published_heading, "\na,w,d,8,p,", mode,
                            ",throughput,3,it/s,x\n"
                            "a,w,d,8,p,",
                            mode, ",ttt,3,s,x\n"));
  };
  const auto rule = [&](const std::string& mode) {
    return import_mode(mode).studies.at(0).arms.at(0).scaling_rule;
  };
  for (const auto* mode : {"strong", "Strong scaling", "STRONG-SCALING", "strong_gbs16"})
    EXPECT_EQ(rule(mode), PublishedRule::strong) << mode;
  for (const auto* mode : {"WEAK", "weak scaling", "Weak_Synthetic"})
    EXPECT_EQ(rule(mode), PublishedRule::weak) << mode;
  EXPECT_EQ(rule("linear_fixed_epochs"), PublishedRule::linear_fixed_epochs);
  EXPECT_EQ(rule(""), PublishedRule::not_stated);
  EXPECT_EQ(only_run(import_mode("Strong_GBS16")).samples_per_s, 48);
  EXPECT_THAT(import_mode("strong").notes,
              ElementsAre(HasSubstr("how many a step has, only a mode as strong_gbs256 says")));
  const auto refused = [&](const char* mode) {
    return message_of<BadInput>([&] { import_mode(mode); });
  };
  EXPECT_THAT(refused("stronk"),
              HasSubstr("log, line 3, column mode: 'stronk' cannot be right (it is none of "
                        "not_stated, linear_fixed_samples, linear_fixed_epochs, linear, weak, "
                        "strong, time_to_quality, linear_rule, mlperf_ttt, and begins with none "
                        "of weak_, strong_gbs (and the global batch))"));
  for (const auto* mode : {"strong_gbs", "strong_gbs0", "strong_gbs16x"})
    EXPECT_THAT(refused(mode), HasSubstr("column mode: ")) << mode;
  EXPECT_THAT(refused("strong_gbs"),
              HasSubstr("the global batch stands behind it, as strong_gbs256"));
}

TEST_F(ImportedLogs, NumbersThatNobodyMeasuredAreRefusedByLine) {
  const auto refused = [&](const char* metric, const char* value, const char* unit) {
    return message_of<BadInput>([&] {
      return import_table(cat(published_heading, "\na,w,d,1,p,weak,ttt,10,s,x\na,w,d,8,p,weak,",
                              metric, ",", value, ",", unit, ",x\n"));
    });
  };
  for (const auto& [metric, unit] : {std::pair{"throughput", "img/s"}, std::pair{"ttt", "min"},
                                     std::pair{"epoch", "s"}, std::pair{"epochs", ""}}) {
    for (const auto* value : {"-400", "0", "1e300"})
      EXPECT_THAT(refused(metric, value, unit), HasSubstr("log, line 3, column value: '"))
          << metric << value;
    EXPECT_EQ(refused(metric, "0.5", unit), "accepted");
  }
  EXPECT_EQ(refused("iou", "0", "1"), "accepted");
}

TEST_F(ImportedLogs, UnitsOfTablesAreConverted) {
  const auto run_of = [&](const char* metric, const char* unit) {
    return only_run(
        import_table(cat("ID,Workload,Device,N,Precision,Mode,Metric,Value,Unit,Source\n",
                         "a,w,d,1,p,weak,", metric, ",120,", unit, ",x\n")));
  };
  for (const auto& [unit, unit_s] :
       {std::pair{"minutes", 60.0}, std::pair{"mins", 60.0}, std::pair{"Hours", 3600.0},
        std::pair{"hr", 3600.0}, std::pair{"sec", 1.0}, std::pair{"SECS", 1.0},
        std::pair{"days", 86400.0}, std::pair{"msec", 1e-3}})
    EXPECT_DOUBLE_EQ(run_of("ttt", unit).training_time_s, 120 * unit_s) << unit;
  for (const auto& [unit, per_s] :
       {std::pair{"IMAGES/S", 1.0}, std::pair{"fps", 1.0}, std::pair{"images / min", 1 / 60.0},
        std::pair{"Images per Hour", 1 / 3600.0}, std::pair{"kimg/min", 1e3 / 60}})
    EXPECT_DOUBLE_EQ(run_of("throughput", unit).samples_per_s, 120 * per_s) << unit;
  for (const auto* unit : {"m", "images", "images/m", "mimages/s", "fps/GPU", "images/s/GPU"})
    for (const auto* metric : {"ttt", "throughput"})
      EXPECT_THAT(
          import_table(cat(published_heading, "\na,w,d,1,p,weak,", metric, ",120,", unit, ",x\n"))
              .notes,
          ElementsAre(HasSubstr(cat("unit '", unit, "'"))))
          << unit;
}

TEST_F(ImportedLogs, ColumnsThatAreNotUsedAreNamed) {
  EXPECT_THAT(import_table(cat(published_heading, ",remark\na,w,d,1,p,weak,ttt,10,s,x,32\n")).notes,
              ElementsAre(HasSubstr("remark")));
}

TEST_F(ImportedLogs, LinesThatATerminalWrappedAreNamed) {
  EXPECT_THAT(refusal(replaced(log_of({}), ", \"key\"", ",\n\"key\"")),
              HasSubstr("lines of the log cannot be read, the first is line 1 (the time to quality "
                        "starts at its run_start). Give the file as it was written"));
}

TEST_F(ImportedLogs, EachPlatformHasItsOwnName) {
  const auto import_two = [&](const std::string& other, const std::vector<double>& ranks) {
    return import_all({log_of({}), log_of({.platform = other})}, ranks).studies.at(0);
  };
  const auto curve = import_two("1xA100", {4, 1});
  ASSERT_THAT(curve.arms, SizeIs(1));
  EXPECT_EQ(curve.arms[0].runs.at(0).platform, "4xA100");
  EXPECT_EQ(curve.arms[0].runs.at(1).platform, "1xA100");
  EXPECT_EQ(curve.title, "resnet, Acme");
  EXPECT_THAT(import_two("4XA100 ", {4, 4}).arms, SizeIs(1))
      << "blanks and capitals are no machine";
  const auto side_by_side = import_two("4xH100", {4, 4});
  ASSERT_THAT(side_by_side.arms, SizeIs(2)) << "no mean of two machines";
  EXPECT_EQ(side_by_side.arms[0].name, "4xA100");
  EXPECT_EQ(side_by_side.arms[1].name, "4xH100");
}

TEST_F(ImportedLogs, TwoWorkloadsAreRefused) {
  EXPECT_THAT(message_of<BadInput>([&] {
                return import_all({log_of({}), log_of({.benchmark = "ssd"})});
              }),
              HasSubstr("b trains 'ssd', a 'resnet'"));
}

}  // namespace
}  // namespace scalestudy
