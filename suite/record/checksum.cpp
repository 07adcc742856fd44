#include "record/checksum.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"

namespace scalestudy::checksum {
namespace {

constexpr std::string_view title =
    "scalestudy run file (HDF5 from byte 512). SHA-256 from there on: ";
constexpr std::size_t checksum_length = 64;
constexpr std::string_view no_checksum = "open";

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

Descriptor open_descriptor(const std::filesystem::path& file, int flags) {
  Descriptor descriptor(::open(file.c_str(), flags | O_CLOEXEC));
  if (!descriptor) fail("open");
  return descriptor;
}

void write_block(const Descriptor& descriptor, std::string checksum) {
  checksum.resize(checksum_length, ' ');
  std::string block = cat(title, checksum, "\n");
  block.resize(user_block_bytes, '\0');
  const auto written = ::pwrite(descriptor.get(), block.data(), block.size(), 0);
  if (written != static_cast<ssize_t>(block.size())) fail("pwrite");
}

// HDF5 file format specification 2.0, superblock version 0 (Field "End of File Address").
constexpr std::size_t version_offset = user_block_bytes + 8;
constexpr std::size_t end_of_file_offset = user_block_bytes + 40;

std::uint64_t stated_length(std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < end_of_file_offset + sizeof length) return 0;
  if (bytes[version_offset] != std::byte{0}) return 0;
  std::memcpy(&length, bytes.data() + end_of_file_offset, sizeof length);
  return length;
}

}  // namespace

std::string of(std::span<const std::byte> bytes) {
  const auto content = bytes.subspan(user_block_bytes);
  return sha256({reinterpret_cast<const char*>(content.data()), content.size()});
}

std::string stated(std::span<const std::byte> bytes) {
  SCALESTUDY_EXPECT(bytes.size() >= user_block_bytes);
  return {reinterpret_cast<const char*>(bytes.data()) + title.size(), checksum_length};
}

void restore_bytes(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  const auto descriptor = open_descriptor(file, O_WRONLY);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = ::pwrite(descriptor.get(), bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(done));
    if (count < 0 && errno != EINTR) fail("pwrite");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  if (::ftruncate(descriptor.get(), static_cast<off_t>(bytes.size())) != 0) fail("ftruncate");
}

bool is_run_file(const std::filesystem::path& file) {
  return start_of_file(file, title.size()) == title;
}

Finding examine(std::span<const std::byte> bytes) {
  if (bytes.size() < user_block_bytes) return Finding::foreign;
  const std::string_view block(reinterpret_cast<const char*>(bytes.data()), user_block_bytes);
  if (block.substr(0, title.size()) != title) return Finding::foreign;
  const auto checksum = stated(bytes);
  if (checksum.starts_with(no_checksum)) return Finding::open;
  return checksum == of(bytes) ? Finding::intact : Finding::damaged;
}

void state_all_bytes(std::span<std::byte> bytes) {
  const std::uint64_t length = bytes.size();
  const auto stated = stated_length(bytes);
  if (stated == 0 || stated >= length) return;
  if (examine(bytes) != Finding::open) return;  // of a closed file this hashes all bytes
  std::memcpy(bytes.data() + end_of_file_offset, &length, sizeof length);
}

void agree_on_length(const std::filesystem::path& file) {
  constexpr std::uint64_t most_missing_bytes = 1U << 28U;  // more is damage, not one lost flush
  auto bytes = bytes_of_file(file);
  const auto length = stated_length(bytes);
  if (examine(bytes) != Finding::open) return;
  if (length > bytes.size()) {
    if (length - bytes.size() <= most_missing_bytes) std::filesystem::resize_file(file, length);
    return;
  }
  state_all_bytes(bytes);
  if (stated_length(bytes) != length) restore_bytes(file, bytes);
}

void mark_open(const std::filesystem::path& file) {
  write_block(open_descriptor(file, O_WRONLY), std::string(no_checksum));
}

void close(const std::filesystem::path& file) {
  const auto checksum = of(bytes_of_file(file));
  const auto descriptor = open_descriptor(file, O_WRONLY);
  write_block(descriptor, checksum);
  if (::fsync(descriptor.get()) != 0) fail("fsync");
}

}  // namespace scalestudy::checksum
