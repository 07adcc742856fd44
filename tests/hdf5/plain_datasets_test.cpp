#include "hdf5/plain_datasets.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy::hdf5 {
namespace {

using testing::ElementsAre;

template <class Value>
std::span<const std::byte> bytes_of(const std::vector<Value>& values) {
  return std::as_bytes(std::span(values));
}

/// `count` values that stand in the file at `offset`, read without the library.
template <class Value>
std::vector<Value> values_at(const std::filesystem::path& file,
                             std::uint64_t offset,
                             std::size_t count) {
  std::vector<Value> values(count);
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(values.data()),
          static_cast<std::streamsize>(count * sizeof(Value)));
  EXPECT_TRUE(in.good());
  return values;
}

class PlainDatasets : public testing::TestWithParam<std::uint64_t> {
 protected:
  [[nodiscard]] std::filesystem::path place() const { return folder_ / "plain.h5"; }

 private:
  TemporaryFolder folder_;
};

TEST_P(PlainDatasets, AnArrayStandsInTheFileAsInMemory) {
  const std::vector<std::uint16_t> values{1, 2, 65535, 4, 5, 6};
  std::uint64_t offset = 0;
  {
    const auto file = create_plain_file(place(), GetParam());
    const auto dataset =
        write_array(file, "/a/deep/array", Number::uint16, {2, 3}, bytes_of(values));
    offset = file_offset(dataset);
    EXPECT_THAT(shape_of(dataset), ElementsAre(2, 3));
    EXPECT_THAT(read_numbers(dataset, "/a/deep/array"), ElementsAre(1, 2, 65535, 4, 5, 6));
  }
  EXPECT_EQ(offset % 4096, 0U) << "objects begin at pages";
  EXPECT_EQ(values_at<std::uint16_t>(place(), offset, values.size()), values);
}

TEST_P(PlainDatasets, ChunksLieOneAfterTheOther) {
  std::uint64_t offset = 0;
  {
    const auto file = create_plain_file(place(), GetParam());
    const auto dataset = reserve_chunks(file, "/chunks", Number::float32, {4, 2}, {1, 2});
    offset = chunks_offset(dataset);
  }
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  std::fstream(place(), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(offset))
      .write(reinterpret_cast<const char*>(values.data()), 32);
  const auto file = open_plain_file_to_add(place());
  EXPECT_THAT(read_numbers(open_dataset(file, "/chunks"), "/chunks"),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_P(PlainDatasets, PaddedTextsAreThoseGiven) {
  const std::array<char, 8> texts{'a', 'b', 0, 0, 'c', 0, 0, 0};
  std::uint64_t offset = 0;
  {
    const auto file = create_plain_file(place(), GetParam());
    const auto dataset = write_padded_texts(file, "/names", 2, 4, std::as_bytes(std::span(texts)));
    offset = file_offset(dataset);
  }
  const auto found = values_at<char>(place(), offset, texts.size());
  EXPECT_TRUE(std::equal(found.begin(), found.end(), texts.begin()));
}

TEST_P(PlainDatasets, WhatIsAddedLaterLeavesTheRestInPlace) {
  const std::vector<std::int64_t> first{1, 2, 3};
  std::uint64_t offset = 0;
  {
    const auto file = create_plain_file(place(), GetParam());
    offset = file_offset(write_array(file, "/first", Number::int64, {3}, bytes_of(first)));
  }
  {
    const auto file = open_plain_file_to_add(place());
    const std::vector<std::uint64_t> more{7};
    (void)write_array(file, "/second", Number::uint64, {1}, bytes_of(more));
  }
  EXPECT_EQ(values_at<std::int64_t>(place(), offset, 3), first);
  const auto file = open_plain_file_to_add(place());
  EXPECT_THAT(member_names(file, "/"), ElementsAre("first", "second"));
}

TEST_P(PlainDatasets, EqualContentsMakeEqualFiles) {
  const auto write = [&](const std::filesystem::path& where) {
    const auto file = create_plain_file(where, GetParam());
    (void)write_array(file, "/a/b", Number::int8, {3}, bytes_of(std::vector<std::int8_t>{1, 2, 3}));
  };
  const auto other = place().parent_path() / "other.h5";
  write(place());
  write(other);
  const auto size = std::filesystem::file_size(place());
  EXPECT_EQ(size, std::filesystem::file_size(other));
  EXPECT_EQ(values_at<char>(place(), 0, size), values_at<char>(other, 0, size));
}

TEST_P(PlainDatasets, AnEmptyArrayHasNoPlace) {
  const auto file = create_plain_file(place(), GetParam());
  EXPECT_EQ(file_offset(write_array(file, "/none", Number::uint8, {0}, {})), 0U);
}

INSTANTIATE_TEST_SUITE_P(UserBlocks, PlainDatasets, testing::Values(0, 4096));

}  // namespace
}  // namespace scalestudy::hdf5
