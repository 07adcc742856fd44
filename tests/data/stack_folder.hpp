#pragma once
/// What tests of TIFF volumes share.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/volume.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/stack_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy::test {

/// Writes stacks into a folder of the test and looks how they are read.
class StackFolder : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path write(const StackFormat& format,
                                            std::int64_t pages = 3) const {
    auto file = folder_ / "stack.tif";
    test::write_stack(file, {pages, height, width}, value, format);
    return file;
  }

  /// Each of 120 pages has other values.
  static float value(std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<float>((z * 41 + y * 3 + x) % 120);
  }

  static void expect_pages(const Volume& volume, const std::vector<std::uint32_t>& pages) {
    ASSERT_EQ(volume.shape, (Shape3{std::ssize(pages), height, width}));
    for (std::uint32_t z = 0; z < pages.size(); ++z)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
          ASSERT_EQ(volume.at(z, y, x), value(pages[z], y, x)) << z;
  }
  static void expect_values(const Volume& volume) { expect_pages(volume, {0, 1, 2}); }

  static void expect_refused(const std::filesystem::path& file,
                             const std::string& part,
                             const StackChoice& choice = {}) {
    test::expect_refused([&] { (void)read_tiff_volume(file, choice); },
                         {part, file.filename().string()});
  }

  static constexpr std::int64_t height = 20;
  static constexpr std::int64_t width = 23;
  TemporaryFolder folder_;
};

}  // namespace scalestudy::test
