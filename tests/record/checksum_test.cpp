#include "record/run_file/checksum.hpp"

#include <gtest/gtest.h>

#include "core/file_content.hpp"
#include "core/sha256.hpp"

#include "tests/record/sample_run.hpp"

namespace scalestudy {
namespace {

using checksum::Finding;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Finding finding_of(const std::string& text) {
  return checksum::examine(bytes_of(text));
}

/// Of `size` bytes, 512 of them for the line.
std::string sealed(std::size_t size) {
  std::string text = std::string(512, '\0') + std::string(size - 512, 'x');
  checksum::seal(std::as_writable_bytes(std::span(text)));
  return text;
}

TEST(Checksum, ASealedFileIsIntactAndItsContentTheSame) {
  const auto text = sealed(2000);
  EXPECT_EQ(finding_of(text), Finding::intact);
  EXPECT_TRUE(text.starts_with("scalestudy run file"));
  EXPECT_EQ(text.substr(512), std::string(1488, 'x'));
}

/// So that `tail -c +513 run.h5 | sha256sum` finds the same.
TEST(Checksum, IsTheSha256OfTheBytesBehindIt) {
  const auto text = sealed(2000);
  EXPECT_NE(text.substr(0, 512).find(": " + sha256(text.substr(512)) + "\n"), std::string::npos);
  EXPECT_EQ(checksum::stated(bytes_of(text)), sha256(text.substr(512)));
}

TEST(Checksum, AnyChangedByteBehindItIsDamage) {
  for (const std::size_t place : {std::size_t{512}, std::size_t{1000}, std::size_t{1999}}) {
    auto text = sealed(2000);
    text.at(place) = 'y';
    EXPECT_EQ(finding_of(text), Finding::damaged) << place;
  }
}

TEST(Checksum, AShorterOrLongerFileIsDamage) {
  const auto text = sealed(2000);
  EXPECT_EQ(finding_of(text.substr(0, 1999)), Finding::damaged);
  EXPECT_EQ(finding_of(text + "x"), Finding::damaged);
  EXPECT_EQ(finding_of(text.substr(0, 512)), Finding::damaged);
}

TEST(Checksum, AWrongChecksumIsDamageAndNoneIsAnOpenFile) {
  auto text = sealed(2000);
  const auto place = text.find(": ") + 2;
  text[place] = text[place] == '0' ? '1' : '0';
  EXPECT_EQ(finding_of(text), Finding::damaged);
  EXPECT_EQ(finding_of(text.replace(place, 64, "open" + std::string(60, ' '))), Finding::open);
}

TEST(Checksum, OtherFilesAreForeign) {
  EXPECT_EQ(finding_of(""), Finding::foreign);
  EXPECT_EQ(finding_of(std::string(5000, '\0')), Finding::foreign);
  EXPECT_EQ(finding_of(sealed(2000).substr(0, 511)), Finding::foreign);
  EXPECT_EQ(finding_of("S" + sealed(2000).substr(1)), Finding::foreign);
}

TEST(Checksum, RunFilesAreSealed) {
  const TemporaryFolder folder;
  const auto part = make_open_sample_run(folder);
  EXPECT_TRUE(is_run_file(part));
  const auto file = close_run_file(part, complete_closing());
  EXPECT_TRUE(is_run_file(file));
  EXPECT_EQ(checksum::examine(bytes_of_file(file)), Finding::intact);
  EXPECT_FALSE(is_run_file(folder / "absent"));
}

}  // namespace
}  // namespace scalestudy
