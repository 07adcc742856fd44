#include "hdf5/plain_datasets.hpp"

#include <algorithm>

#include <hdf5.h>

#include "core/error.hpp"

namespace scalestudy::hdf5 {
namespace {

hid_t file_type(Number number) {
  switch (number) {
    case Number::int8:
      return H5T_STD_I8LE;
    case Number::uint8:
      return H5T_STD_U8LE;
    case Number::int16:
      return H5T_STD_I16LE;
    case Number::uint16:
      return H5T_STD_U16LE;
    case Number::float32:
      return H5T_IEEE_F32LE;
    case Number::int64:
      return H5T_STD_I64LE;
    case Number::uint64:
      return H5T_STD_U64LE;
  }
  return H5I_INVALID_HID;
}

std::vector<hsize_t> sizes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

Space fixed_space(const Shape& shape, const std::string& path) {
  const auto size = sizes(shape);
  return Space(checked(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                       "H5Screate_simple", path));
}

// Without the time of creation: equal contents are to make equal files.
Properties timeless(Id kind, const std::string& path) {
  Properties creation(checked(H5Pcreate(kind), "H5Pcreate", path));
  checked(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times", path);
  return creation;
}

// The library's own H5Pset_create_intermediate_group would record times.
void create_groups_above(const File& file, const std::string& path) {
  const auto creation = timeless(H5P_GROUP_CREATE, path);
  for (auto end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    const auto group = path.substr(0, end);
    if (checked(H5Lexists(file.get(), group.c_str(), H5P_DEFAULT), "H5Lexists", group) > 0)
      continue;
    const Group created(
        checked(H5Gcreate2(file.get(), group.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                "H5Gcreate2", group));
  }
}

Dataset write_fixed(
    const File& file, const std::string& path, Id type, const Shape& shape, const void* data) {
  create_groups_above(file, path);
  const auto space = fixed_space(shape, path);
  const auto creation = timeless(H5P_DATASET_CREATE, path);
  Dataset dataset(checked(H5Dcreate2(file.get(), path.c_str(), type, space.get(), H5P_DEFAULT,
                                     creation.get(), H5P_DEFAULT),
                          "H5Dcreate2", path));
  checked(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dwrite", path);
  return dataset;
}

haddr_t first_chunk_address(const Dataset& dataset) {
  const Shape start(shape_of(dataset).size(), 0);
  const auto origin = sizes(start);
  haddr_t address = HADDR_UNDEF;
  checked(H5Dget_chunk_info_by_coord(dataset.get(), origin.data(), nullptr, &address, nullptr),
          "H5Dget_chunk_info_by_coord", "");
  if (address == HADDR_UNDEF) throw Failure("", "a chunk has no place");
  return address;
}

hsize_t user_block_bytes(const Dataset& dataset) {
  const File file(checked(H5Iget_file_id(dataset.get()), "H5Iget_file_id", ""));
  const Properties creation(checked(H5Fget_create_plist(file.get()), "H5Fget_create_plist", ""));
  hsize_t size = 0;
  checked(H5Pget_userblock(creation.get(), &size), "H5Pget_userblock", "");
  return size;
}

Properties plain_access(hsize_t alignment_bytes) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures are reported in our own messages
  Properties access(checked(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", "/"));
  // Only from this format on do chunks of a fixed number lie one after the other.
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110),
          "H5Pset_libver_bounds", "/");
  // Where files cannot be locked, they can still be written.
  checked(H5Pset_file_locking(access.get(), 0, 1), "H5Pset_file_locking", "/");
  // The usual driver insists on a name that it can resolve.
  checked(H5Pset_fapl_stdio(access.get()), "H5Pset_fapl_stdio", "/");
  checked(H5Pset_alignment(access.get(), 1, alignment_bytes), "H5Pset_alignment", "/");
  return access;
}

// Some versions of the library count addresses of chunks from the file's first byte, others from
// the end of the user block. A small file in memory with a large user block tells.
bool addresses_count_the_user_block() {
  constexpr hsize_t large = 1U << 20U;
  const Properties access(checked(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", ""));
  checked(H5Pset_fapl_core(access.get(), 2 * large, 0), "H5Pset_fapl_core", "");
  const Properties creation(checked(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate", ""));
  checked(H5Pset_userblock(creation.get(), large), "H5Pset_userblock", "");
  const File file(
      checked(H5Fcreate("probe", H5F_ACC_TRUNC, creation.get(), access.get()), "H5Fcreate", ""));
  return first_chunk_address(reserve_chunks(file, "/probe", Number::uint8, {1}, {1})) >= large;
}

}  // namespace

File create_plain_file(const std::filesystem::path& file, std::uint64_t user_block_bytes) {
  constexpr hsize_t page_bytes = 4096;
  const auto access = plain_access(page_bytes);
  const auto creation = timeless(H5P_FILE_CREATE, "/");
  checked(H5Pset_userblock(creation.get(), user_block_bytes), "H5Pset_userblock", "/");
  return File(checked(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()),
                      "H5Fcreate", "/"));
}

File open_plain_file_to_add(const std::filesystem::path& file) {
  const auto access = plain_access(1);
  return File(checked(H5Fopen(file.c_str(), H5F_ACC_RDWR, access.get()), "H5Fopen", "/"));
}

Dataset write_array(const File& file,
                    const std::string& path,
                    Number number,
                    const Shape& shape,
                    std::span<const std::byte> bytes) {
  return write_fixed(file, path, file_type(number), shape, bytes.data());
}

Dataset write_padded_texts(const File& file,
                           const std::string& path,
                           std::uint64_t count,
                           std::size_t text_bytes,
                           std::span<const std::byte> bytes) {
  SCALESTUDY_EXPECT(text_bytes > 0 && bytes.size() == count * text_bytes);
  const Type type(checked(H5Tcopy(H5T_C_S1), "H5Tcopy", path));
  checked(H5Tset_size(type.get(), text_bytes), "H5Tset_size", path);
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset", path);
  checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad", path);
  return write_fixed(file, path, type.get(), {count}, bytes.data());
}

std::uint64_t file_offset(const Dataset& dataset) {
  if (H5Dget_storage_size(dataset.get()) == 0) return 0;
  return H5Dget_offset(dataset.get());
}

Dataset reserve_chunks(const File& file,
                       const std::string& path,
                       Number number,
                       const Shape& shape,
                       const Shape& chunk) {
  const auto space = fixed_space(shape, path);
  const auto chunk_size = sizes(chunk);
  const auto creation = timeless(H5P_DATASET_CREATE, path);
  checked(H5Pset_chunk(creation.get(), static_cast<int>(chunk_size.size()), chunk_size.data()),
          "H5Pset_chunk", path);
  checked(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time", path);
  checked(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time", path);
  return Dataset(checked(H5Dcreate2(file.get(), path.c_str(), file_type(number), space.get(),
                                    H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                         "H5Dcreate2", path));
}

std::uint64_t chunks_offset(const Dataset& dataset) {
  static const bool user_block_counts = addresses_count_the_user_block();
  const auto address = first_chunk_address(dataset);
  return user_block_counts ? address : address + user_block_bytes(dataset);
}

}  // namespace scalestudy::hdf5
