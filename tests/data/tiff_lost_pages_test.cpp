/// Chains of pages that leave some out.

#include <cstring>

#include <gtest/gtest.h>
#include <tiffio.h>

#include "tests/data/stack_folder.hpp"

namespace scalestudy {
namespace {

using test::StackFormat;

/// A little-endian file whose chain of pages is changed.
class TiffChain : public test::StackFolder {
 protected:
  /// Where the offset of each page's directory stands, and behind the last one 0.
  static std::vector<std::size_t> links(const std::string& bytes, bool is_big) {
    std::vector<std::size_t> places{is_big ? 8U : 4U};
    while (const auto directory = number_at(bytes, places.back(), is_big ? 8 : 4)) {
      const auto count = number_at(bytes, directory, is_big ? 8 : 2);
      places.push_back(directory + (is_big ? 8 + count * 20 : 2 + count * 12));
    }
    return places;
  }

  static std::size_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
    std::size_t number = 0;
    std::memcpy(&number, bytes.data() + at, size);
    return number;
  }

  /// Behind `page` comes what came behind `other` pages, or nothing.
  [[nodiscard]] std::filesystem::path write_with(const StackFormat& format,
                                                 std::int64_t pages,
                                                 std::size_t page,
                                                 std::size_t other) const {
    auto file = write(format, pages);
    auto bytes = content_of(file);
    const bool is_big = std::string(format.mode) == "wl8";
    const auto places = links(bytes, is_big);
    EXPECT_EQ(std::ssize(places), pages + 1);
    const auto next = number_at(bytes, places[other], is_big ? 8 : 4);
    std::memcpy(bytes.data() + places[page], &next, is_big ? 8 : 4);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

  const std::vector<StackFormat> formats_{{.mode = "wl"},
                                          {.mode = "wl8"},
                                          {.mode = "wl", .compression = COMPRESSION_ADOBE_DEFLATE},
                                          {.mode = "wl", .tiled = true}};
};

TEST_F(TiffChain, ThatIsWholeIsRead) {
  for (const auto& format : formats_)
    expect_pages(read_tiff_volume(write_with(format, 5, 2, 2)), {0, 1, 2, 3, 4});
}

TEST_F(TiffChain, ThatLeadsBackIsRefused) {
  for (const auto& format : formats_)
    for (const std::size_t to : {0, 1, 2})
      expect_refused(write_with(format, 5, 3, to),
                     "is damaged: behind page 3 its chain of pages leads back");
}

TEST_F(TiffChain, ThatEndsEarlyOrLeavesPagesOutIsRefused) {
  const std::string lost = "that its chain of pages does not lead to";
  for (const auto& format : formats_) {
    expect_refused(write_with(format, 5, 4, 5), lost);
    expect_refused(write_with(format, 5, 1, 5), lost);
    expect_refused(write_with(format, 5, 2, 3), lost);
  }
}

TEST_F(TiffChain, APageThatWasSavedAgainWithOtherTagsIsNotLost) {
  const auto file = write({});
  auto* const tiff = TIFFOpen(file.c_str(), "r+");
  ASSERT_NE(tiff, nullptr);
  TIFFSetDirectory(tiff, 1);
  TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "a text that was put in afterwards");
  ASSERT_EQ(TIFFRewriteDirectory(tiff), 1);
  TIFFClose(tiff);
  expect_values(read_tiff_volume(file));
}

TEST_F(TiffChain, PixelsThatLookLikeAPageAreNone) {
  const auto file = write({.mode = "wl"});
  const auto bytes = content_of(file);
  const auto first = number_at(bytes, 4, 4);
  std::ofstream(file, std::ios::binary) << bytes << bytes.substr(first, 26) << "and no more";
  expect_values(read_tiff_volume(file));
}

}  // namespace
}  // namespace scalestudy
