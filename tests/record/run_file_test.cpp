#include "record/run_file/run_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file_content.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/rank_row.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/reseal.hpp"

namespace scalestudy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunFile, RoundTripOfHeaderAndTexts) {
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  EXPECT_EQ(file, folder / "run.h5");
  EXPECT_FALSE(std::filesystem::exists(folder / "run.h5.part"));
  const auto run = read_run_file(file);
  EXPECT_EQ(run.file, file);
  EXPECT_EQ(run.header.run_id, sample_header().run_id);
  EXPECT_EQ(run.header.build_id, sample_header().build_id);
  EXPECT_EQ(run.header.status, RunStatus::complete);
  EXPECT_EQ(run.header.reason, "");
  EXPECT_EQ(run.header.failed_rank, -1);
  EXPECT_THAT(run.header.labels, ElementsAre("oversubscribed", "resumed"));
  EXPECT_TRUE(run.header.has_label(RunLabel::resumed));
  EXPECT_FALSE(run.header.has_label(RunLabel::emulated_input));
  EXPECT_TRUE(run.header.validity_codes.empty());
  EXPECT_EQ(run.requested_settings, R"({"a": "requested"})");
  EXPECT_EQ(run.resolved_settings, R"({"a": "resolved"})");
  EXPECT_EQ(run.effective_settings, R"({"a": "µ"})");
  EXPECT_EQ(run.environment, R"({"host": "somewhere"})");
}

TEST(RunFile, RoundTripOfSteps) {
  const TemporaryFolder folder;
  const auto run = read_run_file(make_sample_run(folder));
  ASSERT_EQ(run.steps.ranks(), 2);
  ASSERT_EQ(run.steps.steps(), 7);
  for (const StepColumn column : columns_of<StepRow>) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      for (std::int64_t step = 0; step < 7; ++step) {
        EXPECT_EQ(run.steps.at(column, rank, step), sample_step_value(rank, step, column));
      }
    }
  }
}

TEST(RunFile, RoundTripOfTablesPanelsAndSummary) {
  const TemporaryFolder folder;
  const auto run = read_run_file(make_sample_run(folder));
  ASSERT_EQ(run.epochs.size(), 2U);
  EXPECT_EQ(run.epochs[0].epoch_s, 0.5);
  EXPECT_EQ(run.epochs[1].epoch_s, 1.5);
  EXPECT_EQ(run.epochs[1].end_s, 9.5);
  EXPECT_EQ(run.epochs[1].samples_seen, 5);
  ASSERT_EQ(run.evaluations.size(), 1U);
  EXPECT_EQ(run.evaluations[0].evaluation_set_hash, "evaluation_set_hash 3.000000 µ");
  ASSERT_EQ(run.buckets.size(), 2U);
  EXPECT_EQ(run.buckets[0].rank, 0);
  EXPECT_EQ(run.buckets[1].rank, 1);
  EXPECT_EQ(run.buckets[1].left_s, 0.6);
  ASSERT_EQ(run.ranks.size(), 2U);
  EXPECT_EQ(run.ranks[1].host, "host 20.000000 µ");
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].rank, 0);
  ASSERT_EQ(run.monitor.size(), 2U);
  EXPECT_EQ(run.monitor[1].rank, 1);
  EXPECT_EQ(run.monitor[1].frequency_hz, 3);
  EXPECT_TRUE(run.absent_columns.empty());
  ASSERT_EQ(run.panels.size(), 2U);
  EXPECT_EQ(run.panels[0].name, "input");
  EXPECT_EQ(run.panels[0].height_px, 2);
  EXPECT_EQ(run.panels[0].width_px, 3);
  EXPECT_THAT(run.panels[0].pixels, ElementsAre(0, 1, 2, 3, 4, -5.5));
  EXPECT_EQ(run.summary_value(&SummaryRow::samples_per_s), 251.25);
  EXPECT_EQ(run.summary_value(&SummaryRow::launch_wall_time_s), 12.5);
  EXPECT_EQ(run.summary_value(&SummaryRow::psnr_db), std::nullopt);
}

/// Under the names that other readers use, whatever the order of fields and columns.
TEST(RunFile, EveryValueOfARowStandsInTheColumnOfItsName) {
  EXPECT_EQ(column_of(&EpochRow::training_loss).name, "training_loss");
  EXPECT_EQ(column_of(&EpochRow::samples_seen).storage, Storage::int64);
  EXPECT_EQ(column_of(&EvaluationRow::evaluation_set).storage, Storage::text);
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  const EpochRow epoch{.epoch_s = 1,
                       .training_loss = 2,
                       .validation_loss = 3,
                       .learning_rate = 4,
                       .samples_seen = 5,
                       .evaluation_s = 6,
                       .checkpoint_s = 7,
                       .replica_check_s = 8,
                       .end_s = 9};
  {
    RunFileWriter writer(part, sample_header(), 1);
    writer.append_epoch(epoch);
    writer.flush();
  }
  const auto read = read_run_file(part).epochs.at(0);
  EXPECT_EQ(read.epoch_s, 1);
  EXPECT_EQ(read.training_loss, 2);
  EXPECT_EQ(read.validation_loss, 3);
  EXPECT_EQ(read.learning_rate, 4);
  EXPECT_EQ(read.samples_seen, 5);
  EXPECT_EQ(read.evaluation_s, 6);
  EXPECT_EQ(read.checkpoint_s, 7);
  EXPECT_EQ(read.replica_check_s, 8);
  EXPECT_EQ(read.end_s, 9);
}

TEST(RunFile, AColumnThatTheFileWasWrittenWithoutKeepsItsInitialValue) {
  const TemporaryFolder folder;
  const auto closed = make_sample_run(folder);
  {
    const auto file = hdf5::open_file_to_change(closed);
    for (const auto* path :
         {"/epochs/checkpoint_s", "/evaluations/evaluation_set", "/ranks/threads", "/steps/epoch"})
      hdf5::remove(file, path);
  }
  reseal(closed);
  const auto run = read_run_file(closed);
  ASSERT_EQ(run.epochs.size(), 2U);
  EXPECT_TRUE(std::isnan(run.epochs[1].checkpoint_s));
  EXPECT_EQ(run.epochs[1].end_s, 9.5);
  EXPECT_EQ(run.evaluations.at(0).evaluation_set, "validation");
  EXPECT_EQ(run.ranks.at(0).threads, 0);
  EXPECT_TRUE(std::isnan(run.steps.at(&StepRow::epoch, 0, 0)));
  EXPECT_THAT(run.absent_columns,
              ElementsAre("/epochs/checkpoint_s", "/evaluations/evaluation_set", "/ranks/threads"));
}

TEST(RankRow, IsTheSameAfterItWasText) {
  const auto row = sample_row<RankRow>(3);
  const auto again = rank_row_from_json_text(to_json_text(row));
  for (const auto& column : columns_of<RankRow>)
    std::visit([&](auto field) { EXPECT_EQ(again.*field, row.*field) << column.name; },
               column.field);
}

TEST(RunFile, PartCanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  for (std::int64_t step = 0; step < 700; ++step) {
    writer.append_steps(1, sample_steps(2, step, 1));
    if (step % 100 != 99) continue;
    writer.flush();
    const auto run = read_run_file(part);
    EXPECT_EQ(run.header.status, RunStatus::running);
    ASSERT_EQ(run.steps.steps(), step + 1);
    EXPECT_EQ(run.steps.at(&StepRow::epoch, 1, step), sample_step_value(1, step, &StepRow::epoch));
  }
}

TEST(RunFile, StatusAndValidityCodesAreUpdatedAndUnknownOnesKept) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  auto header = sample_header();
  header.labels.emplace_back("label_of_a_newer_version");
  header.validity_codes.emplace_back("found_by_a_newer_version");
  RunFileWriter writer(part, header, 1);
  writer.set_status(RunStatus::diverged, "loss is NaN at step 3");
  writer.add_validity_code(ValidityCode::nonfinite_loss);
  writer.add_validity_code(ValidityCode::nonfinite_loss);
  writer.write_summary(&SummaryRow::final_loss, 1.0);
  writer.write_summary(&SummaryRow::final_loss, 2.0);
  writer.flush();
  const auto run = read_run_file(part);
  EXPECT_EQ(run.header.status, RunStatus::diverged);
  EXPECT_EQ(run.header.reason, "loss is NaN at step 3");
  EXPECT_THAT(run.header.validity_codes, ElementsAre("found_by_a_newer_version", "nonfinite_loss"));
  EXPECT_EQ(run.header.labels.back(), "label_of_a_newer_version");
  EXPECT_EQ(run.summary_value(&SummaryRow::final_loss), 2.0);
  EXPECT_EQ(run.steps.steps(), 0);
}

TEST(RunFile, ClosingRecordsWhoFailedWhere) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  { RunFileWriter writer(part, sample_header(), 2); }
  const auto run = read_run_file(
      close_run_file(part, {RunStatus::failed, "killed by signal 9", 1, "backward", {}}));
  EXPECT_EQ(run.header.status, RunStatus::failed);
  EXPECT_EQ(run.header.reason, "killed by signal 9");
  EXPECT_EQ(run.header.failed_rank, 1);
  EXPECT_EQ(run.header.failed_phase, "backward");
}

TEST(RunFile, LongTextsSurvive) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  const std::string text(200'000, 'x');  // more than a fixed-length attribute could hold
  RunFileWriter writer(part, sample_header(), 1);
  writer.write_environment(text);
  writer.set_status(RunStatus::failed, text);
  writer.flush();
  EXPECT_EQ(read_run_file(part).environment, text);
  EXPECT_EQ(read_run_file(part).header.reason, text);
}

TEST(RunFile, NobodyMeetsAFileWhoseSettingsAreHalfWritten) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 1);
  writer.write_settings("{}", "{}", "{}");
  EXPECT_FALSE(std::filesystem::exists(part));
  writer.flush();
  EXPECT_EQ(read_run_file(part).resolved_settings, "{}");
}

TEST(RunFile, WriterRefusesToOverwrite) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 1);
  writer.flush();
  EXPECT_THAT(message_of<RunFailed>([&] { RunFileWriter(part, sample_header(), 1); }),
              HasSubstr("file exists"));
}

TEST(RunFile, WriterRefusesToRecordBesideAClosedRun) {
  const TemporaryFolder folder;
  make_sample_run(folder);
  EXPECT_THAT(
      message_of<RunFailed>([&] { RunFileWriter(folder / "run.h5.part", sample_header(), 1); }),
      HasSubstr("run.h5 exists already"));
}

TEST(RunFile, WriterNamesTheFolderThatIsMissing) {
  const TemporaryFolder folder;
  RunFileWriter writer(folder / "absent" / "run.h5.part", sample_header(), 1);
  const auto text = message_of<RunFailed>([&] { writer.flush(); });
  EXPECT_THAT(text, HasSubstr("absent/run.h5.part"));
  EXPECT_THAT(text, HasSubstr("No such file or directory"));
}

TEST(RunFile, WriterChecksTheNumberOfSteps) {
  const TemporaryFolder folder;
  RunFileWriter writer(folder / "run.h5.part", sample_header(), 1);
  EXPECT_THROW(writer.append_steps(2, std::vector<StepRow>(3)), InternalError);
}

TEST(RunFile, WriterMoves) {
  const TemporaryFolder folder;
  RunFileWriter first(folder / "a.h5.part", sample_header(), 1);
  RunFileWriter second(folder / "b.h5.part", sample_header(), 1);
  first.append_steps(1, sample_steps(1, 0, 1));
  second = std::move(first);  // closes b
  second.append_steps(1, sample_steps(1, 1, 1));
  second.flush();
  EXPECT_EQ(read_run_file(folder / "a.h5.part").steps.steps(), 2);
  EXPECT_EQ(read_run_file(folder / "b.h5.part").steps.steps(), 0);
}

TEST(CloseRunFile, SaysThatThePartIsMissing) {
  const TemporaryFolder folder;
  const auto text =
      message_of<RunFailed>([&] { close_run_file(folder / "run.h5.part", complete_closing()); });
  EXPECT_THAT(text, HasSubstr("run.h5.part cannot be closed"));
  EXPECT_THAT(text, HasSubstr("No such file"));
}

TEST(CloseRunFile, WhatIsAddedMayFollowFromTheContent) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), 2);
    write_sample(writer);
  }
  const auto run = read_run_file(close_run_file(part, [](const RunRecord& record) {
    auto closing = complete_closing();
    closing.reason = std::to_string(record.steps.steps());
    return closing;
  }));
  EXPECT_EQ(run.header.reason, "7");
}

/// As a driver leaves it that is killed between the new name and the journal's end.
TEST(CloseRunFile, LeavesAClosingThatStandsAlready) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  std::filesystem::copy_file(part, folder / "journal");
  const auto before = bytes_of_file(close_run_file(part, complete_closing()));
  std::filesystem::rename(folder / "journal", part);
  const auto file =
      close_run_file(part, {RunStatus::interrupted, "the driver ended before the run did"});
  EXPECT_EQ(bytes_of_file(file), before);
  EXPECT_EQ(read_run_file(file).header.status, RunStatus::complete);
  EXPECT_FALSE(std::filesystem::exists(part));
}

TEST(CloseRunFile, KeepsTheJournalBesideAClosedFileThatIsDamaged) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  std::ofstream(folder / "run.h5") << "no run's";
  const auto before = bytes_of_file(part);
  EXPECT_THROW(close_run_file(part, complete_closing()), RunFailed);
  EXPECT_EQ(bytes_of_file(part), before);
}

TEST(CloseRunFile, WhatCannotBeWrittenLeavesTheJournal) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  const auto before = bytes_of_file(part);
  std::filesystem::create_directories(folder / "run.h5.new" / "in the way");
  EXPECT_THROW(close_run_file(part, complete_closing()), RunFailed);
  EXPECT_EQ(bytes_of_file(part), before);
  EXPECT_FALSE(std::filesystem::exists(folder / "run.h5"));
}

TEST(CloseRunFile, LeavesAnUnreadablePartAsItIs) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  std::ofstream(part) << "no run's";
  EXPECT_THROW(close_run_file(part, complete_closing()), RunFailed);
  EXPECT_EQ(std::filesystem::file_size(part), 8U);
  EXPECT_FALSE(std::filesystem::exists(folder / "run.h5"));
}

}  // namespace
}  // namespace scalestudy
