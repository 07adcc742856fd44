#include "core/file_content.hpp"

#include <string>
#include <system_error>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.hpp"

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

std::error_code reason_for(const std::filesystem::path& file) {
  try {
    static_cast<void>(bytes_of_file(file));
  } catch (const std::system_error& error) {
    return error.code();
  }
  return {};
}

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) >= 0;
}

TEST(FileContent, AMissingFileHasASystemReason) {
  const TemporaryFolder folder;
  EXPECT_EQ(reason_for(folder / "none").value(), ENOENT);
  EXPECT_EQ(readable_text_of_file(folder / "none"), std::nullopt);
}

TEST(FileContent, WhatIsAbsentIsToldFromWhatCannotBeReached) {
  const TemporaryFolder folder;
  EXPECT_EQ(absence_of(folder.path()), "");
  EXPECT_EQ(absence_of(folder / "none"), "does not exist");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_EQ(absence_of(folder / "loop"), "cannot be reached: Too many levels of symbolic links");
}

TEST(FileContent, AFolderIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(reason_for(folder.path()).value(), EISDIR);
  EXPECT_EQ(readable_text_of_file(folder.path()), std::nullopt);
}

TEST(FileContent, AFileUsedAsAFolderIsNotRead) {
  const TemporaryFolder folder;
  write_text(folder / "file", "x");
  EXPECT_EQ(reason_for(folder.path() / "file" / "inner").value(), ENOTDIR);
}

TEST(FileContent, AnEmptyFileIsEmptyAndNotMissing) {
  const TemporaryFolder folder;
  write_text(folder / "empty", "");
  EXPECT_TRUE(bytes_of_file(folder / "empty").empty());
  EXPECT_EQ(text_of_file(folder / "empty"), "");
}

TEST(FileContent, ZeroBytesAndLineEndsAreKept) {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\n\xff\n", 7);
  write_text(folder / "file", content);
  EXPECT_EQ(text_of_file(folder / "file"), content);
  const auto bytes = bytes_of_file(folder / "file");
  ASSERT_EQ(bytes.size(), 7U);
  EXPECT_EQ(bytes[1], std::byte{0});
  EXPECT_EQ(bytes[5], std::byte{0xff});
}

TEST(FileContent, ALargeFileIsReadToItsLastByte) {
  const TemporaryFolder folder;
  std::string content(5 * 1024 * 1024 + 3, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 3U);
  write_text(folder / "large", content);
  const auto text = text_of_file(folder / "large");
  EXPECT_TRUE(text == content);
}

TEST(FileContent, ALinkIsFollowed) {
  const TemporaryFolder folder;
  write_text(folder / "file", "content");
  std::filesystem::create_symlink("file", folder / "link");
  EXPECT_EQ(text_of_file(folder / "link"), "content");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  EXPECT_EQ(reason_for(folder / "dangling").value(), ENOENT);
}

TEST(FileContent, NobodyWaitsForAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const auto& file : {folder / "pipe", std::filesystem::path("/dev/zero")})
    EXPECT_EQ(reason_for(file).message(), "it is a device, pipe or socket") << file;
}

TEST(FileContent, NoFileIsLongerThanItsKindAllows) {
  const TemporaryFolder folder;
  write_text(folder / "sparse", "start");
  std::filesystem::resize_file(folder / "sparse", 100'000'000'000);
  EXPECT_THROW(static_cast<void>(bytes_of_file(folder / "sparse")), std::system_error);
  EXPECT_THROW(static_cast<void>(text_of_file(folder / "sparse")), std::system_error);
  EXPECT_EQ(end_of_file(folder / "sparse", 3), std::string(3, '\0'));
}

TEST(FileContent, TheEndIsTheWholeOfAShortFile) {
  const TemporaryFolder folder;
  write_text(folder / "log", "abcdef");
  EXPECT_EQ(end_of_file(folder / "log", 2), "ef");
  EXPECT_EQ(end_of_file(folder / "log", 100), "abcdef");
  EXPECT_EQ(end_of_file(folder / "none", 100), "");
}

TEST(FileContent, ReadingLeavesNoDescriptorOpen) {
  const TemporaryFolder folder;
  write_text(folder / "file", "content");
  const int before = ::open("/dev/null", O_RDONLY);
  ::close(before);
  EXPECT_EQ(text_of_file(folder / "file"), "content");
  EXPECT_EQ(readable_text_of_file(folder.path()), std::nullopt);
  const int after = ::open("/dev/null", O_RDONLY);
  ::close(after);
  EXPECT_EQ(after, before);
}

TEST(Descriptor, IsClosedAtTheEndOfItsScope) {
  const int id = ::open("/dev/null", O_RDONLY);
  {
    const Descriptor descriptor(id);
    EXPECT_TRUE(is_open(id));
  }
  EXPECT_FALSE(is_open(id));
}

TEST(Descriptor, AFailedOpenIsNone) {
  const Descriptor descriptor(::open("/nowhere/file", O_RDONLY));
  EXPECT_FALSE(descriptor);
}

TEST(Descriptor, ZeroIsADescriptor) {
  Descriptor none;
  EXPECT_FALSE(none);
  const int saved = ::dup(STDIN_FILENO);
  {
    const Descriptor zero(0);
    EXPECT_TRUE(zero);
  }
  EXPECT_FALSE(is_open(0));
  if (saved >= 0) ::dup2(saved, STDIN_FILENO);
  if (saved >= 0) ::close(saved);
}

}  // namespace
}  // namespace scalestudy
