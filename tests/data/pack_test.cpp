#include <thread>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/pack/pack_set.hpp"
#include "data/pack/pack_set_writer.hpp"
#include "data/pack/pack_volume.hpp"
#include "data/source/image_source.hpp"
#include "data/volume_statistics.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/resealed_pack.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using test::expect_refused;
using test::pattern;

const WorkProgress in_silence = [](std::string_view, std::int64_t, std::int64_t) {};

Image binary_mask(std::int64_t height_px, std::int64_t width_px) {
  auto mask = blank_image(height_px, width_px, 1, SampleType::uint8);
  mask.bytes.front() = std::byte{255};
  return mask;
}

Volume small_volume(const std::string& type) {
  Volume volume{{3, 4, 5}, {}, type};
  for (int i = 0; i < 60; ++i) volume.voxels.push_back(static_cast<float>(i * 2));
  return volume;
}

class Pack : public ::testing::Test {
 protected:
  /// Samples whose shapes and bit depths differ; together beyond one chunk.
  void write_classes() const {
    PackSetWriter writer(file_, {PackKind::classes, PackEncoding::pixels, "birds"}, {"gull", "owl"},
                         Existing::refuse);
    for (std::size_t i = 0; i < samples_.size(); ++i)
      writer.add(samples_[i], pictures_[i], pictures_[i].bytes);
    writer.finish(in_silence);
  }

  void write_masks() const {
    PackSetWriter writer(file_, {PackKind::image_mask, PackEncoding::pixels, "cells"}, {},
                         Existing::refuse);
    for (const auto* id : {"images/a.png", "images/b.png"}) {
      const auto image = pattern(6, 7, 1);
      writer.add({id, "", -1}, image, image.bytes);
      writer.add_mask(binary_mask(6, 7));
    }
    writer.finish(in_silence);
  }

  void flip_byte(std::size_t offset) const {
    auto bytes = content_of(file_);
    bytes.at(offset) = static_cast<char>(bytes[offset] ^ 1);
    write_text(file_, bytes);
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "pack.h5";
  std::vector<SampleEntry> samples_{{"test/owl/d.png", "test", 1},
                                    {"train/gull/a.png", "train", 0},
                                    {"train/owl/b.png", "train", 1},
                                    {"train/owl/c.png", "train", 1}};
  std::vector<Image> pictures_{pattern(300, 400, 3), pattern(5, 7, 1),
                               pattern(64, 32, 3, SampleType::uint16), pattern(1, 1, 1)};
};

TEST_F(Pack, GivesBackWhatWasWritten) {
  write_classes();
  const auto set = open_class_set(file_);
  EXPECT_EQ(set->samples(), samples_);
  EXPECT_EQ(set->class_names(), (std::vector<std::string>{"gull", "owl"}));
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    EXPECT_TRUE(set->read_image(i) == pictures_[i]) << i;
    EXPECT_TRUE(set->read_image(i) == pictures_[i]) << i;  // no longer checked
  }
  EXPECT_FALSE(fs::exists(file_.string() + ".part"));
}

TEST_F(Pack, TablesHoldContentHashes) {
  write_classes();
  const PackSet set(file_);
  for (std::size_t i = 0; i < samples_.size(); ++i)
    EXPECT_EQ(set.images()[i].content_hash, content_hash(pictures_[i]));
  EXPECT_EQ(set.description().source, "birds");
}

TEST_F(Pack, MasksComeBackWithTheirImages) {
  write_masks();
  const auto set = open_image_mask_set(file_);
  ASSERT_EQ(set->samples().size(), 2U);
  EXPECT_TRUE(set->read_image(1) == pattern(6, 7, 1));
  EXPECT_TRUE(set->read_mask(1) == binary_mask(6, 7));
  EXPECT_EQ(PackSet(file_).masks()[0].foreground_count, 1);
}

TEST_F(Pack, KeepsEncodedFiles) {
  const auto jpeg = test::jpeg_bytes(test::smooth(20, 30, 3));
  const auto image = decode_image(test::as_byte_span(jpeg), "a.jpg");
  {
    PackSetWriter writer(file_, {PackKind::classes, PackEncoding::files, "x"}, {"a"},
                         Existing::refuse);
    writer.add({"train/a/a.jpg", "train", 0}, image, test::as_byte_span(jpeg));
    writer.finish(in_silence);
  }
  const PackSet set(file_);
  EXPECT_EQ(set.images()[0].size_bytes, jpeg.size());
  EXPECT_TRUE(set.read_image(0) == image);
}

TEST_F(Pack, ManyThreadsReadAtOnce) {
  write_classes();
  const auto set = open_class_set(file_);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n < 40; ++n) {
        const auto i = (n + static_cast<std::size_t>(t)) % samples_.size();
        if (!(set->read_image(i) == pictures_[i])) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Pack, RefusesTheOtherKind) {
  write_classes();
  expect_refused([&] { (void)open_image_mask_set(file_); },
                 {"pack.h5", "of kind classes", "kind image_mask is needed"});
  expect_refused([&] { (void)read_volume(file_); }, {"pack.h5", "kind classes"});
}

TEST_F(Pack, ExistingFileStaysUnlessReplaced) {
  write_classes();
  const auto precious = content_of(file_);
  expect_refused([&] { write_classes(); }, {"pack.h5' exists already", "--force"});
  EXPECT_EQ(content_of(file_), precious);
  {
    PackSetWriter writer(file_, {}, {"a"}, Existing::replace);
    writer.add({"train/a/a.png", "train", 0}, pictures_[1], pictures_[1].bytes);
    EXPECT_EQ(content_of(file_), precious);  // until the new one is whole
    writer.finish(in_silence);
  }
  EXPECT_EQ(open_class_set(file_)->samples().size(), 1U);
}

TEST_F(Pack, NothingButAPackIsReplaced) {
  write_text(file_, "precious");
  expect_refused([&] { PackSetWriter(file_, {}, {"a"}, Existing::replace); },
                 {"pack.h5' is no pack", "Choose another name"});
  EXPECT_EQ(content_of(file_), "precious");
}

TEST_F(Pack, NothingIsLeftOfAnUnfinishedOne) {
  {
    PackSetWriter writer(file_, {}, {"a"}, Existing::refuse);
    writer.add({"train/a/a.png", "train", 0}, pictures_[0], pictures_[0].bytes);
    EXPECT_TRUE(fs::exists(file_.string() + ".part"));
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Pack, MissingFolderIsNamed) {
  file_ = folder_.path() / "none" / "pack.h5";
  expect_refused([&] { write_classes(); }, {"none' does not exist"});
}

TEST_F(Pack, APartThatIsThereAlreadyStays) {
  const auto part = folder_.path() / "pack.h5.part";
  write_text(part, "of another one at work");
  expect_refused([&] { write_classes(); }, {"pack.h5.part' is there already"});
  EXPECT_EQ(content_of(part), "of another one at work");
  fs::remove(part);
  fs::create_symlink("/dev/full", part);
  expect_refused([&] { write_classes(); }, {"pack.h5.part' is there already"});
  EXPECT_TRUE(fs::is_symlink(part));
}

TEST_F(Pack, DamagedPixelsAreRefusedNamingTheSample) {
  write_classes();
  const auto bytes = content_of(file_);
  const std::string needle(reinterpret_cast<const char*>(pictures_[2].bytes.data()), 200);
  flip_byte(bytes.find(needle) + 100);
  const auto set = open_class_set(file_);
  EXPECT_TRUE(set->read_image(0) == pictures_[0]);
  for (int attempt = 0; attempt < 2; ++attempt)
    expect_refused([&] { (void)set->read_image(2); }, {"pack.h5", "train/owl/b.png", "damaged"});
}

TEST_F(Pack, EveryCutIsRefused) {
  write_masks();
  const auto whole = content_of(file_);
  for (std::size_t size = 0; size < whole.size(); size += size < 5000 ? 197 : 40099) {
    write_text(file_, whole.substr(0, size));
    EXPECT_THROW((void)PackSet(file_), BadInput) << size;
  }
  write_text(file_, whole + "x");
  expect_refused([&] { (void)PackSet(file_); }, {"bytes and not the"});
}

TEST_F(Pack, EveryChangeOfHeaderOrTableIsRefused) {
  write_masks();
  const auto whole = content_of(file_);
  const auto header_end = whole.find("header_hash ") + 28;
  for (std::size_t at = 0; at < header_end; ++at) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_text(file_, bytes);
    EXPECT_THROW((void)PackSet(file_), BadInput) << at;
  }
  auto bytes = whole;
  bytes[bytes.rfind("images/b.png")] = 'j';
  write_text(file_, bytes);
  expect_refused([&] { (void)PackSet(file_); }, {"damaged table /samples/id"});
}

/// Ours would read it, nothing that needs the HDF5 library could.
TEST_F(Pack, AChangeOfHdf5sOwnRecordsIsRefused) {
  write_masks();
  const auto whole = content_of(file_);
  for (const auto place : {pack_header_bytes, pack_header_bytes + 40, whole.size() - 1}) {
    auto bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    write_text(file_, bytes);
    expect_refused([&] { (void)PackSet(file_); }, {"where HDF5 keeps its records"});
  }
}

/// A hostile pack: one number of a table replaced, all hashes right.
class HostilePack : public Pack {
 protected:
  void SetUp() override { write_masks(); }

  void replace(const std::string& table, std::size_t index, std::uint64_t value) const {
    auto bytes = content_of(file_);
    const auto line_start = bytes.find("table " + table + " ");
    ASSERT_NE(line_start, std::string::npos) << table;
    const auto words =
        split(bytes.substr(line_start, bytes.find('\n', line_start) - line_start), ' ');
    const auto offset = test::number_in(words[4]) + 8 * index;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    write_text(file_, test::resealed(bytes));
  }

  void replace_text(const std::string& from, const std::string& to) const {
    const auto bytes = content_of(file_);
    auto header = bytes.substr(0, pack_header_bytes);
    const auto at = header.find(from);
    ASSERT_NE(at, std::string::npos);
    header.replace(at, from.size(), to).resize(pack_header_bytes);
    write_text(file_, test::resealed(header + bytes.substr(pack_header_bytes)));
  }

  void expect_pack_refused(const std::string& reason) const {
    expect_refused([&] { (void)PackSet(file_); }, {"pack.h5", reason});
  }
};

TEST_F(HostilePack, ResealingAloneChangesNothing) {
  const auto before = content_of(file_);
  EXPECT_EQ(test::resealed(before), before);
}

TEST_F(HostilePack, ImpossibleNumbersAreRefused) {
  const std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::tuple<std::string, std::size_t, std::uint64_t, std::string>> cases{
      {"/images/shape", 0, 0, "impossible shape"},
      {"/images/shape", 1, huge, "impossible shape"},
      {"/images/shape", 1, 1U << 30U, "impossible shape"},
      {"/images/shape", 2, 2, "impossible shape"},
      {"/masks/shape", 3, 7, "disagree"},
      {"/images/bit_depth", 1, 7, "odd bit depth"},
      {"/images/bit_depth", 1, 16, "disagree"},
      {"/images/offset_bytes", 0, huge, "disagree"},
      {"/images/offset_bytes", 1, 1U << 20U, "disagree"},
      {"/images/size_bytes", 0, huge, "disagree"},
      {"/masks/foreground_count", 0, 43, "disagree"},
      {"/masks/foreground_count", 0, huge, "disagree"},
      {"/samples/label", 0, 0, "no valid class"},
  };
  const auto whole = content_of(file_);
  for (const auto& [table, index, value, reason] : cases) {
    write_text(file_, whole);
    replace(table, index, value);
    SCOPED_TRACE(cat(table, "[", index, "] = ", value));
    expect_pack_refused(reason);
  }
}

TEST_F(HostilePack, HeadersThatMeanNothingAreRefused) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"schema 2", "schema 9", "schema 9"},
      {"kind image_mask", "kind image_tusk", "unknown 'image_tusk'"},
      {"table /images/shape 2", "table /images/shapf 2", "no table /images/shape"},
      {"table /images/shape 2 24", "table /images/shape 9999999999999999 24", "damaged table"},
      {"table /images/bit_depth 2 8", "table /images/bit_depth 1 8", "different length"},
      {"mask_threshold_frac 0", "mask_threshold_frac 1", "fraction"},
      {"tables 17", "tables 18", "lacks 'table'"},
      {"tables 17", "tables 16", "goes on"},
      {"stored_bytes 1", "stored_bytes 99999991", "beyond its end"},
      {"stored_bytes 1", "stored_bytes ", "disagree"},
      {"stored_offset_bytes 1", "stored_offset_bytes 99999999999991", "beyond its end"},
      {"height_px 0", "height_px -", "number"},
  };
  const auto whole = content_of(file_);
  for (const auto& [from, to, reason] : cases) {
    write_text(file_, whole);
    replace_text(from, to);
    SCOPED_TRACE(to);
    expect_pack_refused(reason);
  }
}

TEST_F(HostilePack, IdsMustBeOrderedAndPrintable) {
  const auto whole = content_of(file_);
  const auto at = whole.rfind("images/b.png");
  for (const auto& [letter, reason] :
       {std::pair{'a', "order of their ids"}, std::pair{'\x1b', "control characters"}}) {
    auto bytes = whole;
    bytes[at + 7] = letter;
    write_text(file_, test::resealed(bytes));
    expect_pack_refused(reason);
  }
}

class VolumePack : public Pack {
 protected:
  void write(const Volume& volume) const {
    (void)write_volume_pack(file_, volume, {"stack.tif", Existing::replace, in_silence});
  }
};

TEST_F(VolumePack, KeepsEveryStoredTypeExactly) {
  for (const auto* type : {"uint8", "int8", "uint16", "int16", "float32"}) {
    auto volume = small_volume(type);
    if (std::string(type) == "float32") volume.voxels[7] = 0.1F;
    if (std::string(type) == "int16") volume.voxels[7] = -300;
    write(volume);
    const auto read = read_volume(file_);
    EXPECT_EQ(read.shape, volume.shape) << type;
    EXPECT_EQ(read.stored_type, type);
    EXPECT_EQ(read.voxels, volume.voxels) << type;
    EXPECT_EQ(content_hash(read), content_hash(volume)) << type;
  }
}

TEST_F(VolumePack, EqualsTheRealStack) {
  const auto stack =
      read_volume(fs::path(test::in_sources("workloads/noise2void/data/chromosomes.tif")));
  write(stack);
  EXPECT_EQ(read_volume(file_).voxels, stack.voxels);
}

TEST_F(VolumePack, DamagedSliceIsNamed) {
  write(small_volume("float32"));
  const auto bytes = content_of(file_);
  const float value = 42;  // voxel 21, in slice 1
  flip_byte(bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof value)));
  expect_refused([&] { (void)read_volume(file_); }, {"pack.h5", "damaged slice 1"});
}

TEST_F(VolumePack, EveryCutIsRefused) {
  write(small_volume("uint16"));
  const auto whole = content_of(file_);
  for (std::size_t size = 0; size < whole.size(); size += 101) {
    write_text(file_, whole.substr(0, size));
    EXPECT_THROW((void)read_volume(file_), BadInput) << size;
  }
}

TEST_F(VolumePack, ShapeMustFitTheStoredBytes) {
  write(small_volume("uint16"));
  const auto whole = content_of(file_);
  const std::int64_t shape[] = {3, 4, 5};
  const auto at = whole.rfind(std::string(reinterpret_cast<const char*>(shape), sizeof shape));
  ASSERT_NE(at, std::string::npos);
  for (const std::int64_t side :
       {std::int64_t{0}, std::int64_t{4}, std::int64_t{-3}, std::int64_t{1} << 62}) {
    auto bytes = whole;
    std::memcpy(bytes.data() + at, &side, sizeof side);
    write_text(file_, test::resealed(bytes));
    expect_refused([&] { (void)read_volume(file_); }, {"pack.h5", "volume"});
  }
}

}  // namespace
}  // namespace scalestudy
