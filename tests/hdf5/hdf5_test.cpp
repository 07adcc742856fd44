#include "hdf5/hdf5.hpp"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/hdf5/written_image.hpp"
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

 private:
  TemporaryFolder folder_;
};

TEST_F(Hdf5, AttributesOfEveryKindSurviveTheFile) {
  {
    const auto file = create_image(0);
    write_attribute(file.get(), "text", std::string("µ and \"quotes\""));
    write_attribute(file.get(), "empty", std::string());
    write_attribute(file.get(), "whole", std::int64_t{1} << 60U);
    write_attribute(file.get(), "list", std::vector<std::string>{"a", "", "c d"});
    write_attribute(file.get(), "nothing", std::vector<std::string>{});
    write_image(file, 0, place());
  }
  const auto file = open_file_to_change(place());
  EXPECT_EQ(read_text_attribute(file.get(), "text"), "µ and \"quotes\"");
  EXPECT_EQ(read_text_attribute(file.get(), "empty"), "");
  EXPECT_EQ(read_integer_attribute(file.get(), "whole"), std::int64_t{1} << 60U);
  EXPECT_THAT(read_texts_attribute(file.get(), "list"), ElementsAre("a", "", "c d"));
  EXPECT_THAT(read_texts_attribute(file.get(), "nothing"), IsEmpty());
}

TEST_F(Hdf5, AnAttributeWrittenAgainIsReplaced) {
  const auto file = create_image(0);
  write_attribute(file.get(), "labels", std::vector<std::string>{"a"});
  write_attribute(file.get(), "labels", std::vector<std::string>{"b", "c"});
  write_attribute(file.get(), "status", std::string("running"));
  write_attribute(file.get(), "status", std::string("a much longer status than before"));
  EXPECT_THAT(read_texts_attribute(file.get(), "labels"), ElementsAre("b", "c"));
  EXPECT_EQ(read_text_attribute(file.get(), "status"), "a much longer status than before");
}

TEST_F(Hdf5, AnAttributeOfAnotherKindIsNotMisread) {
  const auto file = create_image(0);
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
  const auto file = create_image(0);
  create_group(file, "/steps");
  for (const auto* name : {"/steps/b", "/steps/a", "/steps/c"})
    (void)create_dataset(file, name, {Storage::float64, {}});
  EXPECT_THAT(member_names(file, "/steps"), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(exists(file, "/steps/b"));
  remove(file, "/steps/b");
  EXPECT_FALSE(exists(file, "/steps/b"));
  EXPECT_THAT(member_names(file, "/steps"), ElementsAre("a", "c"));
  EXPECT_THAT(failure_of([&] { (void)member_names(file, "/absent"); }), HasSubstr("/absent"));
}

TEST_F(Hdf5, NumbersOfOneAndTwoDimensionsKeepTheirValues) {
  const auto file = create_image(0);
  const auto rows = create_dataset(file, "/rows", {Storage::int64, {3}});
  write(rows, std::vector<double>{1, -2, 9007199254740992.0});
  EXPECT_THAT(shape_of(rows), ElementsAre(3));
  EXPECT_THAT(read_numbers(rows, "/rows"), ElementsAre(1, -2, 9007199254740992.0));
  EXPECT_EQ(storage_of(rows, "/rows"), Storage::int64);
  const auto steps = create_dataset(file, "/steps", {Storage::float64, {2, 3}});
  write(steps, std::vector<double>{1, 2, 3, 11, NAN, 13});
  EXPECT_THAT(shape_of(steps), ElementsAre(2, 3));
  EXPECT_THAT(read_numbers(steps, "/steps"), ElementsAre(1, 2, 3, 11, IsNan(), 13));
}

TEST_F(Hdf5, ATableMayBeEmpty) {
  const auto file = create_image(0);
  const auto numbers = create_dataset(file, "/numbers", {Storage::float64, {2, 0}});
  write(numbers, std::vector<double>{});
  EXPECT_THAT(read_numbers(numbers, "/numbers"), IsEmpty());
  const auto texts = create_dataset(file, "/texts", {Storage::text, {0}});
  write(texts, std::vector<std::string>{});
  EXPECT_THAT(read_texts(texts, "/texts"), IsEmpty());
}

TEST_F(Hdf5, AsManyValuesAsElements) {
  const auto file = create_image(0);
  const auto dataset = create_dataset(file, "/rows", {Storage::float64, {2}});
  EXPECT_THROW(write(dataset, std::vector<double>(3)), InternalError);
}

TEST_F(Hdf5, TextsOfAnyLengthKeepTheirBytes) {
  const auto file = create_image(0);
  const auto dataset = create_dataset(file, "/codes", {Storage::text, {3}});
  const std::string long_text(100'000, 'x');
  write(dataset, std::vector<std::string>{"first", "", long_text});
  EXPECT_THAT(read_texts(dataset, "/codes"), ElementsAre("first", "", long_text));
  EXPECT_EQ(storage_of(dataset, "/codes"), Storage::text);
}

TEST_F(Hdf5, ScalarsAndImagesKeepTheirValues) {
  const auto file = create_image(0);
  const auto number = create_dataset(file, "/number", {Storage::float64, {}});
  write(number, std::vector{0.1});
  EXPECT_THAT(read_numbers(number, "/number"), ElementsAre(0.1));
  const auto text = create_dataset(file, "/text", {Storage::text, {}});
  write(text, std::vector<std::string>{"{\"a\": 1}"});
  EXPECT_THAT(read_texts(text, "/text"), ElementsAre("{\"a\": 1}"));
  const auto image = write_pixels(file, "/image", {2, 2}, std::vector<float>{0, 0.5F, -1, 3});
  EXPECT_THAT(read_pixels(image, "/image"), ElementsAre(0, 0.5F, -1, 3));
  EXPECT_THAT(shape_of(image), ElementsAre(2, 2));
}

TEST_F(Hdf5, NumbersAreNotReadAsTextNorTextAsNumbers) {
  const auto file = create_image(0);
  const auto number = create_dataset(file, "/number", {Storage::float64, {}});
  const auto text = create_dataset(file, "/text", {Storage::text, {}});
  EXPECT_EQ(failure_of([&] { (void)read_numbers(text, "/text"); }),
            "/text: it holds text, not numbers");
  EXPECT_EQ(failure_of([&] { (void)read_texts(number, "/number"); }),
            "/number: it holds numbers, not text");
}

TEST_F(Hdf5, AFailureNamesTheObject) {
  const auto file = create_image(0);
  EXPECT_THAT(failure_of([&] { (void)open_dataset(file, "/absent"); }), HasSubstr("/absent: "));
  EXPECT_THAT(failure_of([&] { (void)open_file_to_change(place("absent.h5")); }),
              HasSubstr("absent.h5"));
  create_group(file, "/twice");
  EXPECT_THAT(failure_of([&] { create_group(file, "/twice"); }), HasSubstr("/twice"));
}

TEST_F(Hdf5, TheBytesOfAnImageAreASnapshot) {
  const auto file = create_image(512);
  const auto rows = create_dataset(file, "/rows", {Storage::float64, {1}});
  const auto bytes_with = [&](double value) {
    write(rows, std::vector{value});
    return bytes_of_image(file, 512);
  };
  const auto row_in = [](const std::vector<std::byte>& bytes) {
    const auto image = open_image(bytes);
    return read_numbers(open_dataset(image, "/rows"), "/rows");
  };
  const auto before = bytes_with(1);
  const auto after = bytes_with(2);
  EXPECT_THAT(row_in(before), ElementsAre(1));
  EXPECT_THAT(row_in(after), ElementsAre(2));
}

/// The library looks for files of the name it is given, also where it makes none.
TEST_F(Hdf5, AnImageHasNothingToDoWithFilesThatAreThere) {
  const auto folder = std::filesystem::current_path();
  std::filesystem::current_path(place().parent_path());
  std::ofstream("image") << "somebody's";
  { create_group(create_image(512), "/a"); }
  std::filesystem::current_path(folder);
  EXPECT_EQ(content_of(place("image")), "somebody's");
}

TEST_F(Hdf5, WhatIsNoFileOfItsIsRefused) {
  EXPECT_NE(failure_of([] { (void)open_image({}); }), "");
  const std::vector<std::byte> noise(4096, std::byte{0x5a});
  EXPECT_NE(failure_of([&] { (void)open_image(noise); }), "");
}

TEST_F(Hdf5, TheUserBlockIsTheCallers) {
  {
    const auto file = create_image(512);
    create_group(file, "/a");
    write_image(file, 512, place());
  }
  std::fstream(place(), std::ios::in | std::ios::out | std::ios::binary).write("mine", 4);
  EXPECT_TRUE(exists(open_file_to_change(place()), "/a"));
  EXPECT_TRUE(content_of(place()).starts_with("mine"));
}

}  // namespace
}  // namespace scalestudy::hdf5
