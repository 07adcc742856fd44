#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_file/checksum.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/reseal.hpp"

namespace scalestudy {
namespace {

using ::testing::HasSubstr;

/// Some of what HDF5 wrote has any other value.
std::string overwritten(std::string bytes, std::mt19937_64& random) {
  for (int k = 0; k < 40; ++k) {
    const auto place =
        checksum::user_block_bytes + random() % (bytes.size() - checksum::user_block_bytes);
    bytes[place] = static_cast<char>(random());
  }
  return bytes;
}

std::string refusal_of(const std::filesystem::path& file) {
  return message_of([&] { return read_run_file(file); });
}

TEST(DamagedFile, MissingFileFolderAndForeignFiles) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of(folder / "absent.h5"), HasSubstr("No such file"));
  EXPECT_THAT(refusal_of(folder / "."), HasSubstr("Is a directory"));
  write_text(folder / "empty.h5", "");
  EXPECT_THAT(refusal_of(folder / "empty.h5"), HasSubstr("the file is empty"));
  write_text(folder / "text.h5", std::string(5000, 'a'));
  EXPECT_THAT(refusal_of(folder / "text.h5"), HasSubstr("text.h5: this is not a run file"));
}

/// Anybody can compute a checksum: it says nothing about good will.
TEST(DamagedFile, WhatWasChangedAndClosedAgainIsRefusedOrRead) {
  const TemporaryFolder folder;
  const auto bytes = content_of(make_sample_run(folder));
  std::mt19937_64 random(23);
  const auto forged = folder / "forged.h5";
  int refused = 0;
  for (int k = 0; k < 60; ++k) {
    write_text(forged, overwritten(bytes, random));
    reseal(forged);
    if (refusal_of(forged) != "accepted") ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST(DamagedFile, ClosedFileCutAnywhereIsRefused) {
  const TemporaryFolder folder;
  const auto bytes = content_of(make_sample_run(folder));
  const auto cut = folder / "cut.h5";
  for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 200) {
    write_text(cut, bytes.substr(0, length));
    EXPECT_THAT(refusal_of(cut), HasSubstr("cut.h5")) << "length " << length;
  }
}

TEST(DamagedFile, ClosedFileWithAnyFlippedBitIsRefused) {
  const TemporaryFolder folder;
  const auto bytes = content_of(make_sample_run(folder));
  std::mt19937_64 random(7);
  const auto flipped = folder / "flipped.h5";
  for (int i = 0; i < 300; ++i) {
    auto damaged = bytes;
    const auto place =
        checksum::user_block_bytes + random() % (bytes.size() - checksum::user_block_bytes);
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
    write_text(flipped, damaged);
    EXPECT_THAT(refusal_of(flipped), HasSubstr("changed or cut")) << "byte " << place;
  }
}

// Earlier versions wrote HDF5 while the run went on. A killed writer may have written the index of
// a text but not the text.
TEST(DamagedFile, TextsThatWereNeverWrittenEndTheirTableNotTheFile) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), 1);
    writer.append_steps(3, sample_steps(1, 0, 3));
    for (int i = 0; i < 500; ++i) writer.append_event(sample_row<EventRow>(static_cast<double>(i)));
  }
  const auto file = close_run_file(part, {RunStatus::failed, "killed", 0, "forward", {}});
  auto bytes = content_of(file);
  const auto some_texts = bytes.rfind("GCOL", bytes.find("code 250"));  // a global heap collection
  ASSERT_NE(some_texts, std::string::npos);
  write_text(file, bytes.replace(some_texts, 4, 4, '\0'));
  reseal(file);
  const auto run = read_run_file(file);
  EXPECT_EQ(run.steps.steps(), 3);
  EXPECT_LT(run.events.size(), 251U);
  ASSERT_GT(run.events.size(), 0U);
  EXPECT_EQ(run.events.back().code,
            sample_row<EventRow>(static_cast<double>(run.events.size() - 1)).code);
}

TEST(DamagedFile, UnknownSchemaIsNamed) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  auto header = sample_header();
  header.schema = 99;
  RunFileWriter(part, header, 1).flush();
  EXPECT_THAT(refusal_of(part), HasSubstr("it has schema 99, this build reads 1"));
}

}  // namespace
}  // namespace scalestudy
