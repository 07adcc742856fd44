#include "core/atomic_file.hpp"

#include <csignal>
#include <system_error>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public ::testing::Test {
 protected:
  AtomicFile draft(const std::string& text) const {
    AtomicFile file(path(), "a test reads it");
    file.write(text.data(), text.size());
    return file;
  }
  fs::path path() const { return folder_.path() / "file.bin"; }
  fs::path part() const { return folder_.path() / "file.bin.part"; }
  TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, TheOldContentStaysUntilPublished) {
  write_text(path(), "old");
  auto file = draft("new");
  EXPECT_EQ(content_of(path()), "old");
  file.finish();
  EXPECT_EQ(content_of(path()), "old");
  EXPECT_EQ(content_of(part()), "new");
  file.publish();
  EXPECT_EQ(content_of(path()), "new");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(AtomicFileTest, NothingButAFileIsReplaced) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_THAT(message_of<BadInput>([&] { draft("new"); }), testing::HasSubstr("no ordinary file"));
  EXPECT_TRUE(fs::is_fifo(path()));
  EXPECT_FALSE(fs::exists(part()));
  fs::remove(path());
  fs::create_symlink("/nowhere/file", path());
  EXPECT_THAT(message_of<BadInput>([&] { draft("new"); }), testing::HasSubstr("no ordinary file"));
  EXPECT_TRUE(fs::is_symlink(path()));
}

TEST_F(AtomicFileTest, OnlyFoldersThatExistAreSynchronised) {
  const auto none = folder_.path() / "none";
  EXPECT_THROW(sync_folder(none), std::system_error);
  EXPECT_NO_THROW(sync_folder(folder_.path()));
  EXPECT_NO_THROW(sync_folder({}));
  EXPECT_NO_THROW(sync_folder_of(none / "file"));
}

TEST_F(AtomicFileTest, WhatIsNotPublishedIsGone) {
  write_text(path(), "old");
  { static_cast<void>(draft("new")); }
  EXPECT_EQ(content_of(path()), "old");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(AtomicFileTest, AMovedFromDraftLeavesTheFileAlone) {
  auto file = draft("new");
  auto moved = std::move(file);
  moved.finish();
  moved.publish();
  EXPECT_EQ(content_of(path()), "new");
}

TEST_F(AtomicFileTest, AFullDiskIsToldOnceTheWritingEnds) {
  write_text(path(), "old");
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto problem = message_of<RunFailed>([&] {
    auto file = draft(std::string(1000, 'x'));
    file.write("y", 1);
    file.finish();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(problem, testing::HasSubstr("file.bin cannot be written: File too large (a test"));
  EXPECT_EQ(content_of(path()), "old");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(AtomicFileTest, AMissingFolderIsNamed) {
  EXPECT_THROW(AtomicFile(folder_.path() / "none" / "file", "a test reads it"), RunFailed);
}

TEST_F(AtomicFileTest, ReplacingMakesAndReplacesTheWhole) {
  replace_file(path(), "a long first version", "a test reads it");
  EXPECT_EQ(content_of(path()), "a long first version");
  replace_file(path(), "short", "a test reads it");
  EXPECT_EQ(content_of(path()), "short");
  replace_file(path(), "", "a test reads it");
  EXPECT_EQ(content_of(path()), "");
  EXPECT_TRUE(fs::exists(path()));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(AtomicFileTest, ReplacingKeepsZeroBytes) {
  const std::string_view content("a\0b", 3);
  replace_file(path(), content, "a test reads it");
  EXPECT_EQ(content_of(path()), content);
}

TEST_F(AtomicFileTest, AReaderOfTheOldFileKeepsIt) {
  replace_file(path(), "old", "a test reads it");
  std::ifstream reader(path());
  replace_file(path(), "new", "a test reads it");
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(AtomicFileTest, WhatAKilledWriterLeftIsOverwritten) {
  write_text(part(), "the longer remains of a killed process");
  replace_file(path(), "new", "a test reads it");
  EXPECT_EQ(content_of(path()), "new");
}

TEST_F(AtomicFileTest, AFolderInItsPlaceIsRefusedWithTheReason) {
  fs::create_directories(path() / "inner");
  const auto replace = [&] { replace_file(path(), "new", "the report shows it"); };
  EXPECT_THAT(message_of<RunFailed>(replace), testing::HasSubstr("(the report shows it)"));
  EXPECT_TRUE(fs::exists(path() / "inner"));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(AtomicFileTest, PublishingBeforeFinishingIsABugOfOurs) {
  auto file = draft("new");
  EXPECT_THROW(file.publish(), InternalError);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(AtomicFileTest, PiecesFollowEachOther) {
  AtomicFile file(path(), "a test reads it");
  for (const std::string piece : {"one ", "", "two ", "three"})
    file.write(piece.data(), piece.size());
  file.finish();
  file.publish();
  EXPECT_EQ(content_of(path()), "one two three");
}

}  // namespace
}  // namespace scalestudy
