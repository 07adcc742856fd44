#include "record/checksum.hpp"

#include <cstring>
#include <system_error>

#include <gtest/gtest.h>

#include "core/file_content.hpp"
#include "core/sha256.hpp"

#include "tests/record/sample_run.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using checksum::Finding;

constexpr std::size_t version_place = 512 + 8;
constexpr std::size_t length_place = 512 + 40;

/// A file of `size` bytes that looks like HDF5 with superblock version 0.
class ChecksumTest : public ::testing::Test {
 protected:
  ChecksumTest() { make(2000); }
  void make(std::size_t size) const {
    write_text(file(), std::string(512, '\0') + std::string(size - 512, 'x'));
    checksum::mark_open(file());
  }
  fs::path file() const { return folder_ / "run.h5.part"; }
  std::vector<std::byte> bytes() const { return bytes_of_file(file()); }
  Finding finding() const { return checksum::examine(bytes()); }
  void set_byte(std::size_t place, char value) const {
    auto text = content_of(file());
    text.at(place) = value;
    write_text(file(), text);
  }
  void state_length(std::uint64_t length) const {
    auto text = content_of(file());
    text.at(version_place) = '\0';
    std::memcpy(text.data() + length_place, &length, sizeof length);
    write_text(file(), text);
  }
  static std::uint64_t stated(const std::vector<std::byte>& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + length_place, sizeof length);
    return length;
  }
  TemporaryFolder folder_;
};

TEST_F(ChecksumTest, OpenThenIntact) {
  EXPECT_EQ(finding(), Finding::open);
  checksum::close(file());
  EXPECT_EQ(finding(), Finding::intact);
  checksum::mark_open(file());
  EXPECT_EQ(finding(), Finding::open);
}

TEST_F(ChecksumTest, ClosingKeepsLengthAndContent) {
  const auto before = content_of(file()).substr(512);
  checksum::close(file());
  EXPECT_EQ(fs::file_size(file()), 2000U);
  EXPECT_EQ(content_of(file()).substr(512), before);
  EXPECT_TRUE(content_of(file()).starts_with("scalestudy run file"));
}

/// So that `tail -c +513 run.h5 | sha256sum` finds the same.
TEST_F(ChecksumTest, IsTheSha256OfTheBytesBehindIt) {
  checksum::close(file());
  const auto text = content_of(file());
  EXPECT_NE(text.substr(0, 512).find(": " + sha256(text.substr(512)) + "\n"), std::string::npos);
}

TEST_F(ChecksumTest, AnyChangedByteBehindItIsDamage) {
  checksum::close(file());
  for (const std::size_t place : {std::size_t{512}, std::size_t{1000}, std::size_t{1999}}) {
    set_byte(place, 'y');
    EXPECT_EQ(finding(), Finding::damaged) << place;
    set_byte(place, 'x');
    EXPECT_EQ(finding(), Finding::intact) << place;
  }
}

TEST_F(ChecksumTest, AShorterOrLongerClosedFileIsDamage) {
  checksum::close(file());
  fs::resize_file(file(), 1999);
  EXPECT_EQ(finding(), Finding::damaged);
  make(2000);
  checksum::close(file());
  fs::resize_file(file(), 2001);
  EXPECT_EQ(finding(), Finding::damaged);
  fs::resize_file(file(), 512);
  EXPECT_EQ(finding(), Finding::damaged);
}

TEST_F(ChecksumTest, AWrongChecksumIsDamage) {
  checksum::close(file());
  auto text = content_of(file());
  const auto place = text.find(": ") + 2;
  text[place] = text[place] == '0' ? '1' : '0';
  write_text(file(), text);
  EXPECT_EQ(finding(), Finding::damaged);
}

TEST_F(ChecksumTest, OtherFilesAreForeign) {
  EXPECT_EQ(checksum::examine({}), Finding::foreign);
  EXPECT_EQ(checksum::examine(std::vector<std::byte>(5000)), Finding::foreign);
  set_byte(0, 'S');
  EXPECT_EQ(finding(), Finding::foreign);
  make(2000);
  fs::resize_file(file(), 511);
  EXPECT_EQ(finding(), Finding::foreign);
}

TEST_F(ChecksumTest, AHeaderThatStatesTooLittleStatesAll) {
  state_length(700);
  auto content = bytes();
  checksum::state_all_bytes(content);
  EXPECT_EQ(stated(content), 2000U);
  checksum::agree_on_length(file());
  EXPECT_EQ(stated(bytes()), 2000U);
  EXPECT_EQ(bytes(), content);
}

TEST_F(ChecksumTest, AHeaderThatStatesAllStaysAsItIs) {
  state_length(2000);
  const auto before = bytes();
  checksum::agree_on_length(file());
  EXPECT_EQ(bytes(), before);
}

TEST_F(ChecksumTest, AHeaderThatStatesTooMuchGetsAHole) {
  state_length(3000);
  const auto before = content_of(file());
  auto content = bytes();
  checksum::state_all_bytes(content);
  EXPECT_EQ(stated(content), 3000U) << "bytes that are not there cannot be made up in memory";
  checksum::agree_on_length(file());
  EXPECT_EQ(content_of(file()), before + std::string(1000, '\0'));
}

TEST_F(ChecksumTest, ALengthBeyondAllReasonIsLeftAlone) {
  state_length(2000 + (1ULL << 28U) + 1);
  checksum::agree_on_length(file());
  EXPECT_EQ(fs::file_size(file()), 2000U);
  state_length(~0ULL);
  checksum::agree_on_length(file());
  EXPECT_EQ(fs::file_size(file()), 2000U);
}

TEST_F(ChecksumTest, ClosedAndForeignFilesAreNeverCorrected) {
  state_length(700);
  checksum::close(file());
  const auto closed = bytes();
  checksum::agree_on_length(file());
  EXPECT_EQ(bytes(), closed);
  auto content = closed;
  checksum::state_all_bytes(content);
  EXPECT_EQ(content, closed);
  state_length(3000);
  set_byte(0, 'S');
  checksum::agree_on_length(file());
  EXPECT_EQ(fs::file_size(file()), 2000U);
}

TEST_F(ChecksumTest, AnotherSuperblockVersionHasNoLengthThatWeKnow) {
  state_length(700);
  set_byte(version_place, '\2');
  auto content = bytes();
  checksum::state_all_bytes(content);
  EXPECT_EQ(stated(content), 700U);
}

TEST_F(ChecksumTest, AFileTooShortForAHeaderIsLeftAlone) {
  for (const std::size_t size : {std::size_t{512}, length_place, length_place + 7}) {
    make(size);
    checksum::agree_on_length(file());
    EXPECT_EQ(fs::file_size(file()), size);
  }
}

TEST_F(ChecksumTest, BytesAreRestoredWhetherTheFileGrewOrShrank) {
  const auto before = bytes();
  for (const std::size_t size : {std::size_t{10}, std::size_t{9000}}) {
    fs::resize_file(file(), size);
    set_byte(0, '!');
    checksum::restore_bytes(file(), before);
    EXPECT_EQ(bytes(), before);
  }
}

TEST_F(ChecksumTest, MissingFilesAreSystemErrors) {
  const auto none = folder_ / "none";
  EXPECT_THROW(checksum::mark_open(none), std::system_error);
  EXPECT_THROW(checksum::close(none), std::system_error);
  EXPECT_THROW(checksum::agree_on_length(none), std::system_error);
  EXPECT_THROW(checksum::restore_bytes(none, {}), std::system_error);
}

/// The places that the tests above assume are those of the files that are really written.
TEST(RunFileChecksum, RealFilesStateTheirLengthWhereItIsExpected) {
  const TemporaryFolder folder;
  const auto bytes = bytes_of_file(make_sample_run(folder));
  EXPECT_EQ(checksum::examine(bytes), Finding::intact);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + length_place, sizeof length);
  EXPECT_EQ(bytes[version_place], std::byte{0});
  EXPECT_EQ(length, bytes.size());
}

}  // namespace
}  // namespace scalestudy
