#pragma once
/// What tests of TIFF volumes share.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/volume.hpp"

#include "tests/support/stack_files.hpp"

namespace scalestudy::test {

/// Writes stacks into a folder of the test and looks how they are read.
class StackFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / cat("scalestudy-tiff-", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path write(const StackFormat& format,
                                            std::int64_t pages = 3) const {
    auto file = folder_ / "stack.tif";
    test::write_stack(file, {pages, height, width}, value, format);
    return file;
  }

  static std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
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
    try {
      (void)read_tiff_volume(file, choice);
      FAIL() << "was accepted";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos);
    }
  }

  static constexpr std::int64_t height = 20;
  static constexpr std::int64_t width = 23;
  std::filesystem::path folder_;
};

}  // namespace scalestudy::test
