#include "record/run_file/checksum.hpp"

#include <algorithm>
#include <string_view>

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

}  // namespace

std::string stated(std::span<const std::byte> bytes) {
  SCALESTUDY_EXPECT(bytes.size() >= user_block_bytes);
  return std::string(as_text(bytes).substr(title.size(), checksum_length));
}

bool begins_as_run_file(std::string_view bytes) {
  return bytes.starts_with(title);
}

Finding examine(std::span<const std::byte> bytes) {
  if (bytes.size() < user_block_bytes || !begins_as_run_file(as_text(bytes)))
    return Finding::foreign;
  const auto checksum = stated(bytes);
  if (checksum.starts_with(no_checksum)) return Finding::open;
  const auto content = as_text(bytes).substr(user_block_bytes);
  return checksum == sha256(content) ? Finding::intact : Finding::damaged;
}

void seal(std::span<std::byte> bytes) {
  SCALESTUDY_EXPECT(bytes.size() >= user_block_bytes);
  std::string block = cat(title, sha256(as_text(bytes).substr(user_block_bytes)), "\n");
  block.resize(user_block_bytes, '\0');
  std::ranges::copy(std::as_bytes(std::span(block)), bytes.begin());
}

}  // namespace scalestudy::checksum
