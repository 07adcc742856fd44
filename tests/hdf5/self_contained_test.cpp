#include "hdf5/self_contained.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/file_content.hpp"

#include "tests/hdf5/written_image.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy::hdf5 {
namespace {

/// A file with a group and a plain data set, to which a test adds what must not be there.
class SelfContained : public testing::Test {
 protected:
  SelfContained() {
    const auto file = create_image(512);
    create_group(file, "/group");
    make_dataset(file, "/group/plain", H5P_DEFAULT);
    write_image(file, 512, path());
  }

  static void make_dataset(const File& file, const char* name, hid_t creation) {
    constexpr std::array<hsize_t, 1> shape{4};
    const Space space(H5Screate_simple(1, shape.data(), nullptr));
    const Dataset dataset(H5Dcreate2(file.get(), name, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT,
                                     creation, H5P_DEFAULT));
    ASSERT_GE(dataset.get(), 0);
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "file.h5"; }

  template <class Change>
  void change(Change change) const {
    const auto file = open_file_to_change(path());
    change(file);
  }

  /// What is refused, or "".
  [[nodiscard]] std::string refusal() const {
    const auto bytes = bytes_of_file(path());
    return failure_of([&] { require_self_contained(open_image(bytes)); });
  }

  TemporaryFolder folder_;
};

TEST_F(SelfContained, PlainGroupsAndDataSetsAre) {
  EXPECT_EQ(refusal(), "");
}

TEST_F(SelfContained, LinksToOtherFilesAreNotFollowed) {
  change([](const File& file) {
    H5Lcreate_external("/etc/passwd", "/", file.get(), "/group/out", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(refusal(), "/group/out: it is a link to something else");
}

TEST_F(SelfContained, SoftLinksAreNotFollowed) {
  change([](const File& file) {
    H5Lcreate_soft("/group/plain", file.get(), "/other", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(refusal(), "/other: it is a link to something else");
}

TEST_F(SelfContained, ACircleOfGroupsEnds) {
  change([](const File& file) {
    H5Lcreate_hard(file.get(), "/group", file.get(), "/group/self", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(refusal(), "");
}

TEST_F(SelfContained, ValuesInOtherFilesAreRefused) {
  change([](const File& file) {
    const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_external(creation.get(), "/etc/passwd", 0, 32);
    make_dataset(file, "/external", creation.get());
  });
  EXPECT_EQ(refusal(), "/external: its values lie in other files");
}

TEST_F(SelfContained, VirtualDataSetsAreRefused) {
  change([](const File& file) {
    constexpr std::array<hsize_t, 1> shape{4};
    const Space space(H5Screate_simple(1, shape.data(), nullptr));
    const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_virtual(creation.get(), space.get(), "other.h5", "/group/plain", space.get());
    make_dataset(file, "/virtual", creation.get());
  });
  EXPECT_EQ(refusal(), "/virtual: its values lie in other files");
}

TEST_F(SelfContained, CompressedValuesAreRefused) {
  change([](const File& file) {
    constexpr std::array<hsize_t, 1> chunk{4};
    const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(creation.get(), 1, chunk.data());
    H5Pset_shuffle(creation.get());
    make_dataset(file, "/group/small", creation.get());
  });
  EXPECT_EQ(refusal(), "/group/small: its values are compressed or filtered");
}

TEST_F(SelfContained, NamedTypesAreRefused) {
  change([](const File& file) {
    const Type type(H5Tcopy(H5T_NATIVE_DOUBLE));
    H5Tcommit2(file.get(), "/type", type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(refusal(), "/type: it is neither a group nor a data set");
}

}  // namespace
}  // namespace scalestudy::hdf5
