#include "core/program_output.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "tests/support/scoped_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

void make_program(const fs::path& file) {
  write_text(file, "#!/bin/sh\necho found\n");
  fs::permissions(file, fs::perms::owner_all);
}

TEST(OutputOf, HasBothStreamsInTheirOrder) {
  EXPECT_EQ(output_of({"sh", "-c", "echo one; echo two >&2; echo three"}, Seconds(60)),
            "one\ntwo\nthree\n");
}

TEST(OutputOf, ASilentSuccessIsAnEmptyText) {
  EXPECT_EQ(output_of({"true"}, Seconds(60)), "");
}

TEST(OutputOf, AFailureIsNothingWhateverItSaid) {
  EXPECT_EQ(output_of({"sh", "-c", "echo partial; exit 3"}, Seconds(60)), std::nullopt);
  EXPECT_EQ(run_program({"sh", "-c", "echo partial; exit 3"}, Seconds(60)).text, "partial\n");
  EXPECT_EQ(output_of({"sh", "-c", "echo partial; kill -9 $$"}, Seconds(60)), std::nullopt);
}

TEST(OutputOf, AMissingProgramIsNothing) {
  EXPECT_EQ(output_of({"/nowhere/program"}, Seconds(60)), std::nullopt);
  EXPECT_EQ(output_of({"/"}, Seconds(60)), std::nullopt);
}

TEST(OutputOf, WhatIsNotDoneInTimeIsNothingWhateverItSaidSoFar) {
  EXPECT_EQ(output_of({"sh", "-c", "echo partial; sleep 600"}, Seconds(0.2)), std::nullopt);
}

TEST(OutputOf, StandardInputIsEmpty) {
  EXPECT_EQ(output_of({"cat"}, Seconds(60)), "");
}

TEST(OutputOf, ManyLinesAreAllThere) {
  const auto output = output_of({"seq", "1", "50000"}, Seconds(60));
  ASSERT_TRUE(output.has_value());
  EXPECT_TRUE(output->ends_with("49999\n50000\n"));
  EXPECT_EQ(split(*output, '\n').size(), 50001U);
}

TEST(OutputOf, LeavesNoFileBehind) {
  const TemporaryFolder folder;
  const ScopedVariable scratch("TMPDIR", folder.path().string());
  EXPECT_EQ(output_of({"echo", "x"}, Seconds(60)), "x\n");
  EXPECT_EQ(output_of({"false"}, Seconds(60)), std::nullopt);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FindOnPath, TheFirstFolderWins) {
  const TemporaryFolder folder;
  for (const auto* name : {"a", "b"}) {
    fs::create_directory(folder / name);
    make_program(folder.path() / name / "tool");
  }
  const ScopedVariable path("PATH", cat((folder / "b").string(), ":", (folder / "a").string()));
  EXPECT_EQ(find_on_path("tool"), (folder.path() / "b" / "tool").string());
}

TEST(FindOnPath, FoldersAndPlainFilesAreNoPrograms) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "tool");
  write_text(folder / "plain", "no permission to execute");
  const ScopedVariable path("PATH", folder.path().string());
  EXPECT_EQ(find_on_path("tool"), "");
  EXPECT_EQ(find_on_path("plain"), "");
  EXPECT_EQ(find_on_path("none"), "");
}

TEST(ProgramOutput, NeedsNoTemporaryFolder) {
  const ScopedVariable nowhere("TMPDIR", "/nowhere");
  EXPECT_EQ(output_of({"echo", "x"}, Seconds(60)), "x\n");
}

TEST(FindOnPath, MissingFoldersArePassedOver) {
  const TemporaryFolder folder;
  make_program(folder / "tool");
  const ScopedVariable path("PATH", cat("/nowhere/at/all:", folder.path().string()));
  const auto found = find_on_path("tool");
  EXPECT_EQ(found, (folder / "tool").string());
  EXPECT_EQ(output_of({found}, Seconds(60)), "found\n");
}

}  // namespace
}  // namespace scalestudy
