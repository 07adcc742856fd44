#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "record/checksum.hpp"

#include "tests/record/sample_run.hpp"

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

// "" when the file was read.
std::string refusal_of(const std::filesystem::path& file) {
  try {
    (void)read_run_file(file);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
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
    checksum::close(forged);
    if (!refusal_of(forged).empty()) ++refused;
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

TEST(DamagedFile, OpenFileCutAnywhereIsReadOrRefused) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  write_sample(writer);
  const auto bytes = content_of(part);
  const auto cut = folder / "cut.h5.part";
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    write_text(cut, bytes.substr(0, bytes.size() * static_cast<std::size_t>(i) / 40));
    refused += refusal_of(cut).empty() ? 0 : 1;
  }
  EXPECT_EQ(refused, 40);
}

// Without the sandbox some of these hang for ever or crash the program.
TEST(DamagedFile, OpenFileWithOverwrittenBytesIsReadOrRefusedInTime) {
  const TemporaryFolder folder;
  const auto bytes = content_of(make_open_sample_run(folder));
  const auto damaged_file = folder / "damaged.h5.part";
  std::mt19937_64 random(3);
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    write_text(damaged_file, overwritten(bytes, random));
    const auto refusal = refusal_of(damaged_file);
    refusal.empty() ? ++read : ++refused;
    EXPECT_TRUE(refusal.empty() || refusal.find("damaged.h5.part") != std::string::npos) << refusal;
  }
  EXPECT_GT(refused, 30);
  EXPECT_GT(read, 30);
}

TEST(DamagedFile, ClosingADamagedFileSucceedsOrLeavesItAsItIs) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  const auto bytes = content_of(part);
  std::mt19937_64 random(17);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    const auto damaged = overwritten(bytes, random);
    write_text(part, damaged);
    try {
      (void)read_run_file(close_run_file(part, complete_closing()));
    } catch (const RunFailed& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("run.h5.part"));
      // A length that the header states may have been made up for with a hole.
      EXPECT_EQ(content_of(part).substr(0, damaged.size()), damaged);
    }
  }
  EXPECT_GT(refused, 10);
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
