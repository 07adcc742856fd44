#include "record/run_file/run_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/run_file_content.hpp"
#include "record/run_file/run_layout.hpp"

#include "tests/record/record_parts.hpp"
#include "tests/record/sample_run.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> journal_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// What is wrong with a journal, or "".
std::string problem_of(const std::string& journal) {
  RunRecord record;
  return problem_reading(journal_bytes(journal), record);
}

/// One event and one step of two ranks a flush.
class Growing {
 public:
  void flush_one() {
    writer_.append_steps(1, sample_steps(2, flushed_, 1));
    writer_.append_event(sample_row<EventRow>(static_cast<double>(flushed_)));
    writer_.flush();
    lengths_.push_back(std::filesystem::file_size(part_));
    ++flushed_;
  }
  [[nodiscard]] std::string content() const { return content_of(part_); }
  /// After each flush [bytes].
  [[nodiscard]] const std::vector<std::size_t>& lengths() const { return lengths_; }
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path part_ = folder_ / "run.h5.part";
  RunFileWriter writer_{part_, sample_header(), 2};
  std::vector<std::size_t> lengths_;
  std::int64_t flushed_ = 0;
};

void expect_flushes(const RunRecord& run, std::int64_t count) {
  ASSERT_EQ(run.steps.steps(), count);
  ASSERT_EQ(std::ssize(run.events), count);
  for (std::int64_t step = 0; step < count; ++step) {
    for (const StepColumn column : columns_of<StepRow>)
      for (std::int64_t rank = 0; rank < 2; ++rank)
        ASSERT_EQ(run.steps.at(column, rank, step), sample_step_value(rank, step, column));
    EXPECT_EQ(run.events[static_cast<std::size_t>(step)].code,
              sample_row<EventRow>(static_cast<double>(step)).code);
  }
}

TEST(RunJournal, CutAnywhereHoldsWhatWasFlushedBefore) {
  Growing run;
  for (int i = 0; i < 4; ++i) run.flush_one();
  const auto content = run.content();
  for (std::size_t length = 0; length < content.size(); ++length) {
    const auto cut = content.substr(0, length);
    const auto whole = std::ranges::upper_bound(run.lengths(), length) - run.lengths().begin();
    RunRecord record;
    const auto problem = problem_reading(journal_bytes(cut), record);
    if (whole == 0) {
      ASSERT_NE(problem, "") << length;
    } else {
      ASSERT_EQ(problem, "") << length;
      ASSERT_EQ(record.steps.steps(), whole) << length;
      ASSERT_EQ(std::ssize(record.events), whole) << length;
    }
  }
  RunRecord record;
  ASSERT_EQ(problem_reading(journal_bytes(content), record), "");
  expect_flushes(record, 4);
}

TEST(RunJournal, AnyFlippedBitEndsItBeforeItsFrame) {
  Growing run;
  for (int i = 0; i < 2; ++i) run.flush_one();
  const auto content = run.content();
  for (auto place = run.lengths()[0]; place < content.size(); ++place) {
    auto damaged = content;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
    RunRecord record;
    ASSERT_EQ(problem_reading(journal_bytes(damaged), record), "") << place;
    ASSERT_EQ(record.steps.steps(), 1) << place;
  }
}

/// A rank that ended well flushed all: whatever does not count there was lost since.
TEST(RunJournal, ACompleteRunMayNotEndWithinAFlush) {
  Growing run;
  for (int i = 0; i < 2; ++i) run.flush_one();
  write_text(run.part(), run.content() + "half of a flush");
  expect_flushes(read_run_file(run.part()), 2);
  EXPECT_THAT(message_of<RunFailed>([&] { close_run_file(run.part(), complete_closing()); }),
              HasSubstr("it is damaged from byte " + std::to_string(run.lengths()[1])));
  expect_flushes(read_run_file(close_run_file(run.part(), {RunStatus::failed, "killed"})), 2);
}

TEST(RunJournal, AClosedFileHoldsTheSameAsItsJournal) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  auto open = read_run_file(part);
  const auto closed = read_run_file(close_run_file(part, complete_closing()));
  open.header.status = RunStatus::complete;
  open.summary.launch_wall_time_s = closed.summary.launch_wall_time_s;
  EXPECT_EQ(parts_of(open), parts_of(closed));
}

/// A journal of another version of this program: entries as text, numbers as bytes.
class Entries {
 public:
  Entries& text(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  template <class Number>
  Entries& number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  /// With the header of a run of two ranks before it.
  [[nodiscard]] std::string journal() const {
    journal::Frame header;
    header.add_header(sample_header(), 2);
    return std::string(journal::title) + std::string(header.sealed()) + frame();
  }
  [[nodiscard]] std::string frame() const {
    const journal::FrameHead head{bytes_.size(), fnv1a(bytes_)};
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + bytes_;
  }

 private:
  std::string bytes_;
};

TEST(RunJournal, ColumnsOfOtherVersionsAreLeftOutAndMissingOnesAbsent) {
  Entries entries;
  entries.text("/epochs").number<std::int64_t>(2).number<std::int64_t>(3);
  entries.text("of_a_newer_version").number(std::int64_t{0}).number(1.0).number(2.0);
  entries.text("words_of_a_newer_version").number(std::int64_t{2}).text("a").text("b");
  entries.text("epoch_s").number(std::int64_t{0}).number(3.0).number(4.0);
  entries.text("/steps").number<std::int64_t>(2).number<std::int64_t>(1);
  entries.text("step_s").number(std::int64_t{0}).number(5.0).number(6.0);
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  write_text(part, entries.journal());
  for (const bool is_closed : {false, true}) {
    SCOPED_TRACE(is_closed);
    const auto run = read_run_file(is_closed ? close_run_file(part, complete_closing()) : part);
    ASSERT_EQ(run.epochs.size(), 2U);
    EXPECT_EQ(run.epochs[1].epoch_s, 4);
    EXPECT_TRUE(std::isnan(run.epochs[1].training_loss));
    EXPECT_TRUE(run.absent_columns.contains("/epochs/training_loss"));
    EXPECT_FALSE(run.absent_columns.contains("/epochs/epoch_s"));
    EXPECT_EQ(run.steps.row(1, 0).step_s, 6);
    EXPECT_TRUE(std::isnan(run.steps.at(&StepRow::epoch, 1, 0)));
  }
}

TEST(RunJournal, WhatNoWriterWritesIsRefused) {
  const auto problem_with = [](const auto& fill) {
    Entries entries;
    fill(entries);
    return problem_of(entries.journal());
  };
  const auto table = [](Entries& entries, const char* path, std::int64_t rows) -> Entries& {
    return entries.text(path).number(rows).number(std::int64_t{1});
  };
  EXPECT_THAT(problem_with([](auto& entries) { entries.text("/unheard-of"); }),
              HasSubstr("/unheard-of: this build knows no such part"));
  EXPECT_THAT(problem_with([](auto& entries) { entries.number(std::int64_t{1} << 60); }),
              HasSubstr("an entry is longer than its frame"));
  EXPECT_THAT(problem_with([&](auto& entries) { table(entries, "/epochs", 1'000'000'000); }),
              HasSubstr("an entry has more values than its frame"));
  EXPECT_THAT(problem_with([&](auto& entries) {
                entries.text("/epochs").number(std::int64_t{0}).number(std::int64_t{0});
              }),
              HasSubstr("/epochs: it has no columns"));
  EXPECT_THAT(problem_with([&](auto& entries) {
                table(entries, "/steps", 1).text("step_s").number(std::int64_t{0}).number(1.0);
              }),
              HasSubstr("/steps: it has rows of other ranks"));
  EXPECT_THAT(problem_with([&](auto& entries) {
                table(entries, "/steps", 2).text("step_s").number(std::int64_t{2}).number(1.0);
              }),
              HasSubstr("/steps: it has a column of texts"));
  EXPECT_THAT(problem_with([](auto& entries) { entries.text("/panels").text("a/b"); }),
              HasSubstr("it has no name"));
  EXPECT_THAT(problem_with([](auto& entries) {
                entries.text("/panels").text("a").number(std::int64_t{-1}).number(std::int64_t{1});
              }),
              HasSubstr("it is no small image"));
  EXPECT_THAT(problem_with([](auto& entries) {
                entries.text("/panels").text("a").number(std::int64_t{9}).number(std::int64_t{9});
              }),
              HasSubstr("an entry is longer than its frame"));
  EXPECT_THAT(problem_of(std::string(journal::title)), HasSubstr("nothing was recorded"));
  EXPECT_THAT(
      problem_of(std::string(journal::title) + Entries().text("/environment").text("").frame()),
      HasSubstr("nothing was recorded"));
}

TEST(RunJournal, ARankCountBeyondAllReasonIsRefused) {
  for (const std::int64_t ranks : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    journal::Frame header;
    header.add_header(sample_header(), ranks);
    EXPECT_THAT(problem_of(std::string(journal::title) + std::string(header.sealed())),
                HasSubstr("ranks"));
  }
}

TEST(RunJournal, TheNumberOfRanksStaysTheSame) {
  journal::Frame frame;
  frame.add_header(sample_header(), 2);
  frame.add_rows(std::span<const StepRow>(std::vector<StepRow>(2)));
  frame.add_header(sample_header(), 100);
  EXPECT_THAT(problem_of(std::string(journal::title) + std::string(frame.sealed())),
              HasSubstr("its number of ranks changes"));
}

TEST(RunJournal, OnlyAnOpenRunHasOne) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  std::filesystem::rename(part, folder / "run.h5");
  EXPECT_THAT(message_of<BadInput>([&] { (void)read_run_file(folder / "run.h5"); }),
              HasSubstr("it has no checksum, as every closed file has"));
}

}  // namespace
}  // namespace scalestudy
