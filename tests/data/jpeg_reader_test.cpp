#include <cmath>

#include <gtest/gtest.h>

#include "data/random.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

class JpegReader : public ::testing::Test {
 protected:
  Image read(const std::string& bytes) {
    test::write_bytes(file_, bytes);
    return read_jpeg(file_);
  }
  void expect_refused(const std::string& bytes, const std::string& part) {
    test::write_bytes(file_, bytes);
    test::expect_refused([this] { (void)read_jpeg(file_); }, {"picture.jpg", part});
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "picture.jpg";
};

double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i)
    sum += std::abs(std::to_integer<int>(a.bytes[i]) - std::to_integer<int>(b.bytes[i]));
  return sum / static_cast<double>(a.bytes.size());
}

TEST_F(JpegReader, ReadsGreyAndColourBaselineAndProgressive) {
  for (const std::int64_t channels : {1, 3}) {
    for (const bool progressive : {false, true}) {
      const auto picture = test::smooth(37, 53, channels);
      const auto image = read(test::jpeg_bytes(picture, {.progressive = progressive}));
      ASSERT_EQ(image.height_px, 37);
      ASSERT_EQ(image.width_px, 53);
      ASSERT_EQ(image.channels, channels);
      ASSERT_EQ(image.type, SampleType::uint8);
      EXPECT_LT(mean_difference(image, picture), 2.0);
    }
  }
}

TEST_F(JpegReader, RefusesWhatItCannotUseWithTheReason) {
  expect_refused("", "is empty");
  expect_refused("hello, this is no picture", "not a readable JPEG");
  expect_refused(test::png_bytes(test::pattern(8, 8, 3)), "not a readable JPEG");
  expect_refused(test::jpeg_bytes(test::smooth(16, 16, 3), {.cmyk = true}), "CMYK");
  test::expect_refused([this] { (void)read_jpeg(folder_.path() / "missing.jpg"); },
                       {"missing.jpg", "does not exist"});
  test::expect_refused([this] { (void)read_jpeg(folder_.path()); }, {"not a regular file"});
}

/// Puts another size into the frame header (marker SOF0: length, precision, height, width).
std::string with_size(std::string jpeg, std::uint16_t height_px, std::uint16_t width_px) {
  const auto frame = jpeg.find("\xff\xc0");
  for (const auto& [at, value] : {std::pair{frame + 5, height_px}, {frame + 7, width_px}}) {
    jpeg[at] = static_cast<char>(value >> 8U);
    jpeg[at + 1] = static_cast<char>(value & 0xffU);
  }
  return jpeg;
}

TEST_F(JpegReader, RefusesHugeClaimsBeforeAllocating) {
  const auto small = test::jpeg_bytes(test::smooth(16, 16, 3));
  expect_refused(with_size(small, 65000, 65000), "the limit is 1 GiB");
  expect_refused(with_size(small, 10000, 10000), "but has only");
  expect_refused(with_size(small, 0, 16), "JPEG");
  expect_refused(with_size(small, 400, 300), "damaged or truncated");
}

TEST_F(JpegReader, ReadsPicturesThatCompressAsWellAsTheyCan) {
  const auto black = blank_image(4000, 4000, 3, SampleType::uint8);
  EXPECT_TRUE(read(test::jpeg_bytes(black)) == black);
}

TEST_F(JpegReader, NoTruncationIsAccepted) {
  for (const bool progressive : {false, true}) {
    const auto bytes = test::jpeg_bytes(test::pattern(24, 24, 3), {.progressive = progressive});
    // The last two bytes only say that the picture ends; all of it is there before them.
    for (std::size_t length = 1; length + 2 < bytes.size(); ++length) {
      const auto cut = test::as_byte_span(bytes).first(length);
      ASSERT_THROW((void)decode_jpeg(cut, "cut.jpg"), BadInput) << length << " of " << bytes.size();
    }
  }
}

TEST_F(JpegReader, BytesBetweenSegmentsAreNoDamage) {
  const auto picture = test::smooth(16, 16, 3);
  auto bytes = test::jpeg_bytes(picture);
  const auto expected = read(bytes);
  bytes.insert(bytes.find("\xff\xdb"), "junk of an old camera");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(read(bytes) == expected);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(JpegReader, ManyScansAreRefused) {
  const auto bytes = test::jpeg_bytes(test::smooth(16, 16, 1), {.progressive = true});
  // The last scan again and again, as a file would that is made to take long.
  const auto last_scan = bytes.rfind("\xff\xda");
  const auto scan = bytes.substr(last_scan, bytes.size() - 2 - last_scan);
  auto long_file = bytes.substr(0, last_scan);
  for (int i = 0; i < 300; ++i) long_file += scan;
  expect_refused(long_file + "\xff\xd9", "damaged");
}

TEST_F(JpegReader, NoFlippedByteCrashesOrTalks) {
  Random random(2026);
  int refused = 0;
  testing::internal::CaptureStderr();
  for (const bool progressive : {false, true}) {
    const auto bytes = test::jpeg_bytes(test::pattern(40, 24, 3), {.progressive = progressive});
    for (int i = 0; i < 1000; ++i) {
      auto damaged = bytes;
      damaged[static_cast<std::size_t>(random.below(std::ssize(bytes)))] =
          static_cast<char>(random.next());
      try {
        const auto image = decode_jpeg(test::as_byte_span(damaged), "flipped.jpg");
        EXPECT_EQ(std::ssize(image.bytes), image.value_count());
      } catch (const BadInput& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find("flipped.jpg"), std::string::npos);
      }
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace scalestudy
