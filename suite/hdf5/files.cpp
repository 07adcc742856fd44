/// Files: made in memory, read from memory, or opened to change.

#include <string>

#include <hdf5.h>

#include "hdf5/hdf5.hpp"

namespace scalestudy::hdf5 {
namespace {

// The library prints its error stack unless told not to; we report it in our own messages.
Properties file_access() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Properties access(checked(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", "/"));
  // HDF5 2.0 raises the default low bound; older programs could not open what it writes.
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110),
          "H5Pset_libver_bounds", "/");
  // Where files cannot be locked, they can still be opened.
  checked(H5Pset_file_locking(access.get(), 0, 1), "H5Pset_file_locking", "/");
  return access;
}

/// A name for what is in memory. The library takes two files of one name for the same, and looks
/// for one on disk before it makes one: no file can have this name, and no id is given twice.
std::string name_of_image(const Properties& access) {
  return "/dev/null/image " + std::to_string(access.get());
}

/// Kept in memory and never on disk.
Properties image_access() {
  auto access = file_access();
  constexpr std::size_t increment_bytes = 1 << 20;
  checked(H5Pset_fapl_core(access.get(), increment_bytes, 0), "H5Pset_fapl_core", "/");
  return access;
}

/// The library would copy an image three times on its way to the reader. With these it uses the
/// bytes themselves, which a file that is opened for reading never changes.
H5FD_file_image_callbacks_t lending(std::span<const std::byte> bytes) {
  H5FD_file_image_callbacks_t callbacks{};
  callbacks.image_malloc = [](std::size_t, H5FD_file_image_op_t, void* lent) { return lent; };
  callbacks.image_memcpy = [](void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) {
    return to;
  };
  callbacks.image_realloc = [](void*, std::size_t, H5FD_file_image_op_t, void*) -> void* {
    return nullptr;  // only writing asks for more
  };
  callbacks.image_free = [](void*, H5FD_file_image_op_t, void*) { return herr_t{0}; };
  callbacks.udata_copy = [](void* lent) { return lent; };
  callbacks.udata_free = [](void*) { return herr_t{0}; };
  callbacks.udata = const_cast<std::byte*>(bytes.data());  // its signature lacks the const
  return callbacks;
}

}  // namespace

File create_image(std::uint64_t user_block_bytes) {
  const auto access = image_access();
  const Properties creation(checked(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate", "/"));
  checked(H5Pset_userblock(creation.get(), user_block_bytes), "H5Pset_userblock", "/");
  return File(
      checked(H5Fcreate(name_of_image(access).c_str(), H5F_ACC_TRUNC, creation.get(), access.get()),
              "H5Fcreate", "/"));
}

std::vector<std::byte> bytes_of_image(const File& file, std::uint64_t user_block_bytes) {
  flush(file);
  const auto size = checked(H5Fget_file_image(file.get(), nullptr, 0), "H5Fget_file_image", "/");
  const auto content_bytes = static_cast<std::size_t>(size);
  std::vector<std::byte> bytes(user_block_bytes + content_bytes);
  checked(H5Fget_file_image(file.get(), bytes.data() + user_block_bytes, content_bytes),
          "H5Fget_file_image", "/");
  return bytes;
}

File open_file_to_change(const std::filesystem::path& file) {
  const auto access = file_access();
  return File(checked(H5Fopen(file.c_str(), H5F_ACC_RDWR, access.get()), "H5Fopen", "/"));
}

File open_image(std::span<const std::byte> bytes) {
  const auto access = image_access();
  auto callbacks = lending(bytes);
  checked(H5Pset_file_image_callbacks(access.get(), &callbacks), "H5Pset_file_image_callbacks",
          "/");
  // Its signature lacks the const.
  checked(H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size()),
          "H5Pset_file_image", "/");
  return File(checked(H5Fopen(name_of_image(access).c_str(), H5F_ACC_RDONLY, access.get()),
                      "H5Fopen", "/"));
}

void flush(const File& file) {
  checked(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "H5Fflush", "/");
}

}  // namespace scalestudy::hdf5
