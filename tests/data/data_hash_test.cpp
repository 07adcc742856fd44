#include "data/source/data_hash.hpp"

#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::MatchesRegex;

std::string hash_of(const fs::path& path) {
  return hash_of_data(path, [](std::string_view, std::int64_t, std::int64_t) {});
}

/// Two pictures with their masks, and two splits of classes: a set of either layout.
void write_set(const fs::path& root) {
  for (const auto* name : {"images/a.png", "images/b.png", "masks/a.png", "masks/b.png",
                           "train/red/1.jpg", "train/blue/1.jpg", "test/red/2.jpg"})
    write_text(root / name, name);
}

TEST(DataHash, OfAFileIsOfItsBytesOnly) {
  const TemporaryFolder folder;
  write_text(folder / "a.tif", "voxels");
  write_text(folder / "b.tif", "voxels");
  write_text(folder / "c.tif", "Voxels");
  EXPECT_THAT(hash_of(folder / "a.tif"), MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(hash_of(folder / "a.tif"), hash_of(folder / "b.tif"));
  EXPECT_NE(hash_of(folder / "a.tif"), hash_of(folder / "c.tif"));
}

TEST(DataHash, SeesEveryByteOfALongFile) {
  const TemporaryFolder folder;
  std::string text(5'000'001, 'x');
  std::set<std::string> hashes;
  for (const std::size_t place : {0, 1 << 20, 4'999'999, 5'000'000}) {
    text[place] = 'y';
    write_text(folder / "long", text);
    EXPECT_TRUE(hashes.insert(hash_of(folder / "long")).second) << place;
  }
  text.pop_back();
  write_text(folder / "long", text);
  EXPECT_TRUE(hashes.insert(hash_of(folder / "long")).second) << "a shorter one";
}

TEST(DataHash, OfAFolderIsTheSameWhereverItLies) {
  const TemporaryFolder folder;
  write_set(folder / "one");
  write_set(folder / "another name");
  EXPECT_EQ(hash_of(folder / "one"), hash_of(folder / "another name"));
  EXPECT_EQ(hash_of(folder / "one/"), hash_of(folder / "one"));
}

TEST(DataHash, SeesWhateverChangesASet) {
  const std::vector<void (*)(const fs::path&)> changes{
      [](const fs::path&) {},
      [](const fs::path& root) { write_text(root / "images/b.png", "another picture"); },
      [](const fs::path& root) { write_text(root / "masks/a.png", "another mask"); },
      [](const fs::path& root) { fs::rename(root / "images/a.png", root / "images/c.png"); },
      [](const fs::path& root) { fs::remove(root / "train/blue/1.jpg"); },
      [](const fs::path& root) { write_text(root / "train/red/3.jpg", ""); },
      [](const fs::path& root) { fs::rename(root / "train/blue", root / "train/green"); },
      [](const fs::path& root) { fs::rename(root / "test", root / "valid"); },
      [](const fs::path& root) {
        // The same bytes behind each other, cut elsewhere.
        write_text(root / "images/a.png", "images/a.pngimages/");
        write_text(root / "images/b.png", "b.png");
      }};
  std::set<std::string> hashes;
  for (const auto change : changes) {
    const TemporaryFolder folder;
    write_set(folder.path());
    change(folder.path());
    hashes.insert(hash_of(folder.path()));
  }
  EXPECT_EQ(hashes.size(), changes.size());
}

TEST(DataHash, DoesNotSeeWhatTheReaderPassesOver) {
  const TemporaryFolder folder;
  write_set(folder.path());
  const auto before = hash_of(folder.path());
  for (const auto* name : {"README.md", "images/.DS_Store", "train/red/Thumbs.db"})
    write_text(folder / name, "clutter");
  write_text(folder / "results/picture.png", "beside the folders of the set");
  EXPECT_EQ(hash_of(folder.path()), before);
}

TEST(DataHash, OfNothingIsNone) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const auto& path :
       {fs::path(), folder / "missing", folder / "pipe", fs::path("/dev/zero"), folder.path()})
    EXPECT_EQ(hash_of(path), "") << path;
}

TEST(DataHash, LinksLeadToWhatTheyName) {
  const TemporaryFolder folder;
  write_set(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  EXPECT_EQ(hash_of(folder / "link"), hash_of(folder / "real"));
  fs::create_directory_symlink(folder / "real/train", folder / "real/train/red/again");
  EXPECT_EQ(hash_of(folder / "link"), hash_of(folder / "real")) << "no folder has no end";
}

TEST(DataHash, TellsHowFarItIsAndMayBeStopped) {
  const TemporaryFolder folder;
  write_text(folder / "long", std::string(5 << 20, 'x'));
  std::int64_t last = 0, calls = 0;
  static_cast<void>(
      hash_of_data(folder / "long", [&](std::string_view, std::int64_t done, std::int64_t total) {
        EXPECT_GE(done, last);
        EXPECT_LE(done, total);
        last = done;
        ++calls;
      }));
  EXPECT_GE(calls, 5);
  EXPECT_EQ(last, 5);
  const WorkProgress stop = [](std::string_view, std::int64_t, std::int64_t) {
    throw std::runtime_error("stop");
  };
  EXPECT_THROW(static_cast<void>(hash_of_data(folder / "long", stop)), std::runtime_error);
}

}  // namespace
}  // namespace scalestudy
