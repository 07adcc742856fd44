/// Closed files that were written to mislead: everything in them fits its checksum and is readable,
/// but says more than there is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/run_layout.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/reseal.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

class ForgedFile : public testing::Test {
 protected:
  /// What is refused of the sample with more in it, or "accepted".
  template <class More>
  static std::string refusal_with(More write_more) {
    const TemporaryFolder folder;
    const auto part = folder / "run.h5.part";
    {
      RunFileWriter writer(part, sample_header(), 2);
      write_sample(writer);
      write_more(writer);
      writer.flush();
    }
    return refusal(part);
  }

  /// Likewise, with what the writer would not write.
  template <class Change>
  static std::string refusal_of_changed(Change change) {
    const TemporaryFolder folder;
    const auto file = make_sample_run(folder);
    {
      const auto opened = hdf5::open_file_to_change(file);
      change(opened);
    }
    reseal(file);
    return refusal(file);
  }

  static std::string refusal(const std::filesystem::path& file) {
    return message_of([&] { return read_run_file(file); });
  }
};

void replace(const hdf5::File& file, const std::string& path, const hdf5::Layout& layout) {
  hdf5::remove(file, path);
  (void)hdf5::create_dataset(file, path, layout);
}

TEST_F(ForgedFile, RanksThatThereAreNot) {
  EXPECT_THAT(refusal_with([](auto& writer) { writer.append_rank(sample_row<RankRow>(30)); }),
              HasSubstr("/ranks: it has 3 rows, but there are steps of 2 ranks"));
  EXPECT_THAT(refusal_with([](auto& writer) {
                writer.append_buckets(std::vector<BucketRow>{{.rank = 2, .step = 0, .bucket = 0}});
              }),
              HasSubstr("/buckets: it names rank 2, but there are steps of 2 ranks"));
  EXPECT_THAT(refusal_with([](auto& writer) {
                writer.append_monitor(std::vector{sample_row<MonitorRow>(2)});
              }),
              HasSubstr("/monitor: it names rank 2, but there are steps of 2 ranks"));
}

/// A killed writer may leave such rows, a forger too.
TEST_F(ForgedFile, RowsOfNoRankAreDropped) {
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  {
    RunFileWriter writer(part, sample_header(), 2);
    write_sample(writer);
    writer.append_buckets(std::vector<BucketRow>{{.rank = -1, .step = 0, .bucket = 0}});
    writer.flush();
  }
  const auto record = read_run_file(part);
  EXPECT_FALSE(record.buckets.empty());
  for (const auto& row : record.buckets) EXPECT_GE(row.rank, 0);
}

TEST_F(ForgedFile, NumbersThatCountNothing) {
  for (const std::int64_t count : {std::int64_t{-2}, std::int64_t{1} << 60}) {
    EXPECT_THAT(refusal_with([&](auto& writer) { writer.append_epoch({.samples_seen = count}); }),
                HasSubstr("/epochs/samples_seen: it holds"));
    EXPECT_THAT(refusal_with([&](auto& writer) {
                  writer.append_buckets(std::vector<BucketRow>{{.rank = 0, .step = count}});
                }),
                HasSubstr("/buckets/step: it holds"));
  }
}

TEST_F(ForgedFile, NoRanksAtAll) {
  EXPECT_THAT(refusal_of_changed([](const auto& file) {
                replace(file, "/steps/step_s", {.storage = Storage::float64, .shape = {0, 7}});
              }),
              HasSubstr("/steps/step_s: its shape is not ranks by steps"));
}

TEST_F(ForgedFile, ShapesThatOnlyTogetherAreLargerThanTheFile) {
  EXPECT_THAT(refusal_of_changed([](const auto& file) {
                for (int i = 0; i < 40; ++i)
                  (void)hdf5::create_dataset(file, "/panels/more-" + std::to_string(i),
                                             {.storage = Storage::float64, .shape = {300, 300}});
              }),
              HasSubstr("its shape is larger than the file"));
}

TEST_F(ForgedFile, PicturesThatAreNotSmall) {
  EXPECT_THAT(refusal_with([](auto& writer) {
                writer.write_panel({"wide", 1, 5000, std::vector<float>(5000)});
              }),
              HasSubstr("/panels/wide: it is no small image: 1 x 5000 px"));
  EXPECT_THAT(refusal_with([](auto& writer) {
                for (int i = 0; i < 300; ++i)
                  writer.write_panel({"input-" + std::to_string(i), 1, 1, {0.F}});
              }),
              HasSubstr("/panels: no run has so many"));
}

TEST_F(ForgedFile, SettingsLongerThanAnySettings) {
  EXPECT_THAT(refusal_of_changed([](const auto& file) {
                hdf5::write(hdf5::open_dataset(file, "/environment"),
                            std::vector{std::string(2 << 20, ' ')});
              }),
              HasSubstr("/environment: it is longer than any settings"));
}

TEST_F(ForgedFile, TextsThatNoReaderTakesAreNotWritten) {
  const std::string longest(run_layout::most_text_bytes, ' ');
  EXPECT_EQ(refusal_with([&](auto& writer) { writer.write_environment(longest); }), "accepted");
  EXPECT_THROW(refusal_with([&](auto& writer) { writer.write_environment(longest + ' '); }),
               BadInput);
  EXPECT_THROW(refusal_with([&](auto& writer) { writer.write_settings("", longest + ' ', ""); }),
               BadInput);
}

}  // namespace
}  // namespace scalestudy
