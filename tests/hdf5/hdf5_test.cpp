#include "hdf5/hdf5.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy::hdf5 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNan;

class Hdf5 : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path place(const std::string& name = "a.h5") const {
    return folder_ / name;
  }

  /// What the call's Failure says: object, then reason.
  template <class Call>
  static std::string failure_of(Call call) {
    try {
      call();
    } catch (const Failure& failure) {
      return failure.object() + ": " + failure.what();
    }
    return "no failure";
  }

  [[nodiscard]] std::vector<std::byte> bytes_of(const std::filesystem::path& file) const {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> chars{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::byte> bytes(chars.size());
    std::copy(chars.begin(), chars.end(), reinterpret_cast<char*>(bytes.data()));
    return bytes;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Hdf5, AttributesOfEveryKindSurviveTheFile) {
  {
    const auto file = create_file(place(), 0);
    write_attribute(file.get(), "text", std::string("µ and \"quotes\""));
    write_attribute(file.get(), "empty", std::string());
    write_attribute(file.get(), "whole", std::int64_t{1} << 60U);
    write_attribute(file.get(), "list", std::vector<std::string>{"a", "", "c d"});
    write_attribute(file.get(), "nothing", std::vector<std::string>{});
  }
  const auto file = open_file_to_change(place());
  EXPECT_EQ(read_text_attribute(file.get(), "text"), "µ and \"quotes\"");
  EXPECT_EQ(read_text_attribute(file.get(), "empty"), "");
  EXPECT_EQ(read_integer_attribute(file.get(), "whole"), std::int64_t{1} << 60U);
  EXPECT_THAT(read_texts_attribute(file.get(), "list"), ElementsAre("a", "", "c d"));
  EXPECT_THAT(read_texts_attribute(file.get(), "nothing"), IsEmpty());
}

TEST_F(Hdf5, AnAttributeWrittenAgainIsReplaced) {
  const auto file = create_file(place(), 0);
  write_attribute(file.get(), "labels", std::vector<std::string>{"a"});
  write_attribute(file.get(), "labels", std::vector<std::string>{"b", "c"});
  write_attribute(file.get(), "status", std::string("running"));
  write_attribute(file.get(), "status", std::string("a much longer status than before"));
  EXPECT_THAT(read_texts_attribute(file.get(), "labels"), ElementsAre("b", "c"));
  EXPECT_EQ(read_text_attribute(file.get(), "status"), "a much longer status than before");
}

TEST_F(Hdf5, AnAttributeOfAnotherKindIsNotMisread) {
  const auto file = create_file(place(), 0);
  write_attribute(file.get(), "number", std::int64_t{7});
  write_attribute(file.get(), "text", std::string("seven"));
  EXPECT_THAT(failure_of([&] { (void)read_text_attribute(file.get(), "number"); }),
              HasSubstr("number"));
  EXPECT_THAT(failure_of([&] { (void)read_integer_attribute(file.get(), "text"); }),
              HasSubstr("text"));
  EXPECT_THAT(failure_of([&] { (void)read_text_attribute(file.get(), "absent"); }),
              HasSubstr("absent"));
}

TEST_F(Hdf5, GroupsListTheirMembersSorted) {
  const auto file = create_file(place(), 0);
  create_group(file, "/steps");
  for (const auto* name : {"/steps/b", "/steps/a", "/steps/c"})
    (void)create_dataset(file, name, {Storage::float64, {}, {}});
  EXPECT_THAT(member_names(file, "/steps"), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(exists(file, "/steps/b"));
  remove(file, "/steps/b");
  EXPECT_FALSE(exists(file, "/steps/b"));
  EXPECT_THAT(member_names(file, "/steps"), ElementsAre("a", "c"));
  EXPECT_THAT(failure_of([&] { (void)member_names(file, "/absent"); }), HasSubstr("/absent"));
}

TEST_F(Hdf5, RowsAreAppendedToOneDimension) {
  const auto file = create_file(place(), 0);
  const auto dataset = create_dataset(file, "/rows", {Storage::int64, {0}, {4}});
  EXPECT_THAT(read_numbers(dataset, "/rows"), IsEmpty());
  append(dataset, {0}, {2}, std::vector<double>{1, -2});
  append(dataset, {2}, {3}, std::vector<double>{3, 4, 9007199254740992.0});
  EXPECT_THAT(shape_of(dataset), ElementsAre(5));
  EXPECT_THAT(read_numbers(dataset, "/rows"), ElementsAre(1, -2, 3, 4, 9007199254740992.0));
  EXPECT_EQ(storage_of(dataset, "/rows"), Storage::int64);
}

TEST_F(Hdf5, BlocksOfColumnsAreAppendedToTwoDimensions) {
  const auto file = create_file(place(), 0);
  const auto dataset = create_dataset(file, "/steps", {Storage::float64, {2, 0}, {1, 4}});
  append(dataset, {0, 0}, {2, 2}, std::vector<double>{1, 2, 11, 12});
  append(dataset, {0, 2}, {2, 1}, std::vector<double>{3, 13});
  EXPECT_THAT(shape_of(dataset), ElementsAre(2, 3));
  EXPECT_THAT(read_numbers(dataset, "/steps"), ElementsAre(1, 2, 3, 11, 12, 13));
}

TEST_F(Hdf5, ANumberThatWasNeverWrittenIsNotZero) {
  const auto file = create_file(place(), 0);
  const auto dataset = create_dataset(file, "/steps", {Storage::float64, {2, 0}, {1, 4}});
  append(dataset, {0, 1}, {2, 1}, std::vector<double>{2, 12});  // the first column is left out
  EXPECT_THAT(read_numbers(dataset, "/steps"), ElementsAre(IsNan(), 2, IsNan(), 12));
}

TEST_F(Hdf5, TextsOfAnyLengthAreAppended) {
  const auto file = create_file(place(), 0);
  const auto dataset = create_dataset(file, "/codes", {Storage::text, {0}, {4}});
  const std::string long_text(100'000, 'x');
  append(dataset, {0}, std::string("first"));
  append(dataset, {1}, std::string());
  append(dataset, {2}, long_text);
  EXPECT_THAT(read_texts(dataset, "/codes"), ElementsAre("first", "", long_text));
  EXPECT_EQ(storage_of(dataset, "/codes"), Storage::text);
}

TEST_F(Hdf5, ScalarsAndImagesKeepTheirValues) {
  const auto file = create_file(place(), 0);
  const auto number = create_dataset(file, "/number", {Storage::float64, {}, {}});
  write_scalar(number, 0.1);
  EXPECT_THAT(read_numbers(number, "/number"), ElementsAre(0.1));
  const auto text = create_dataset(file, "/text", {Storage::text, {}, {}});
  write_scalar(text, std::string("{\"a\": 1}"));
  EXPECT_THAT(read_texts(text, "/text"), ElementsAre("{\"a\": 1}"));
  const auto image = create_image(file, "/image", {2, 2}, std::vector<float>{0, 0.5F, -1, 3});
  EXPECT_THAT(read_pixels(image, "/image"), ElementsAre(0, 0.5F, -1, 3));
  EXPECT_THAT(shape_of(image), ElementsAre(2, 2));
}

TEST_F(Hdf5, NumbersAreNotReadAsTextNorTextAsNumbers) {
  const auto file = create_file(place(), 0);
  const auto number = create_dataset(file, "/number", {Storage::float64, {}, {}});
  const auto text = create_dataset(file, "/text", {Storage::text, {}, {}});
  EXPECT_EQ(failure_of([&] { (void)read_numbers(text, "/text"); }),
            "/text: it holds text, not numbers");
  EXPECT_EQ(failure_of([&] { (void)read_texts(number, "/number"); }),
            "/number: it holds numbers, not text");
}

TEST_F(Hdf5, AFailureNamesTheObject) {
  const auto file = create_file(place(), 0);
  EXPECT_THAT(failure_of([&] { (void)open_dataset(file, "/absent"); }), HasSubstr("/absent: "));
  EXPECT_THAT(failure_of([&] { (void)open_file_to_change(place("absent.h5")); }),
              HasSubstr("absent.h5"));
  EXPECT_THAT(failure_of([&] { (void)create_file(place("no/folder.h5"), 0); }),
              HasSubstr("folder.h5"));
  create_group(file, "/twice");
  EXPECT_THAT(failure_of([&] { create_group(file, "/twice"); }), HasSubstr("/twice"));
}

TEST_F(Hdf5, AnImageIsASnapshot) {
  const auto file = create_file(place(), 512);
  const auto dataset = create_dataset(file, "/rows", {Storage::float64, {0}, {4}});
  append(dataset, {0}, {1}, std::vector<double>{1});
  flush(file);
  const auto before = bytes_of(place());
  append(dataset, {1}, {1}, std::vector<double>{2});
  flush(file);
  const auto rows_in = [](const std::vector<std::byte>& bytes) {
    const auto image = open_image(bytes);
    return read_numbers(open_dataset(image, "/rows"), "/rows");
  };
  EXPECT_THAT(rows_in(before), ElementsAre(1));
  EXPECT_THAT(rows_in(bytes_of(place())), ElementsAre(1, 2));
}

TEST_F(Hdf5, WhatIsNoFileOfItsIsRefused) {
  EXPECT_NE(failure_of([] { (void)open_image({}); }), "no failure");
  const std::vector<std::byte> noise(4096, std::byte{0x5a});
  EXPECT_NE(failure_of([&] { (void)open_image(noise); }), "no failure");
}

TEST_F(Hdf5, TheUserBlockIsTheCallers) {
  {
    const auto file = create_file(place(), 512);
    create_group(file, "/a");
  }
  std::fstream(place(), std::ios::in | std::ios::out | std::ios::binary).write("mine", 4);
  EXPECT_TRUE(exists(open_file_to_change(place()), "/a"));
  EXPECT_EQ(static_cast<char>(bytes_of(place())[0]), 'm');
}

}  // namespace
}  // namespace scalestudy::hdf5
