#include "data/pack/pack_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"

namespace scalestudy {
namespace {

static_assert(std::endian::native == std::endian::little, "packs hold little-endian numbers");

template <class T>
std::vector<T> numbers_in(const std::vector<std::byte>& bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

}  // namespace

PackBytes::PackBytes(const std::filesystem::path& file)
    : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!descriptor_) refuse(cat("cannot be opened (", std::strerror(errno), ")"));
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0 || !S_ISREG(status.st_mode))
    refuse("is not a regular file");
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  read_header();
}

void PackBytes::refuse(const std::string& problem) const {
  throw BadInput({cat("Pack '", file_.string(), "' ", problem),
                  "its pictures or voxels cannot be trusted",
                  "Copy it again, or make it anew with scalestudy data prepare"});
}

void PackBytes::read_header() {
  if (file_bytes_ < pack_header_bytes) refuse("is shorter than a pack's header");
  std::string block(pack_header_bytes, '\0');
  read_file(0, std::as_writable_bytes(std::span(block)));
  try {
    header_ = parse_header(block);
  } catch (const std::invalid_argument& error) {
    refuse(cat("cannot be read: ", error.what()));
  }
  if (header_.file_bytes != file_bytes_)
    refuse(cat("has ", file_bytes_, " bytes and not the ", header_.file_bytes,
               " it was written with"));
  require_inside(header_.stored_offset_bytes, header_.stored_bytes);
}

void PackBytes::require_layout() const {
  const auto read = [this](auto offset_bytes, auto out) { read_file(offset_bytes, out); };
  if (layout_hash_of(header_, read) != header_.layout_hash)
    refuse("was changed where HDF5 keeps its records");
}

void PackBytes::require_inside(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
  if (offset_bytes > file_bytes_ || size_bytes > file_bytes_ - offset_bytes)
    refuse("names places beyond its end");
}

const PackTable* PackBytes::find_table(std::string_view path) const {
  const auto found = std::ranges::find(header_.tables, path, &PackTable::path);
  return found == header_.tables.end() ? nullptr : &*found;
}

const PackTable& PackBytes::table(std::string_view path) const {
  const auto* const found = find_table(path);
  if (found == nullptr) refuse(cat("has no table ", path));
  return *found;
}

std::vector<std::string> PackBytes::notes() const {
  return find_table(notes_table) == nullptr ? std::vector<std::string>{} : texts(notes_table);
}

std::vector<std::byte> PackBytes::table_bytes(const PackTable& place) const {
  if (place.row_bytes == 0 || place.rows > file_bytes_ / place.row_bytes)
    refuse(cat("has a damaged table ", place.path));
  const auto size_bytes = place.rows * place.row_bytes;
  require_inside(place.offset_bytes, size_bytes);
  std::vector<std::byte> bytes(size_bytes);
  read_file(place.offset_bytes, bytes);
  if (bulk_hash(bytes) != place.hash) refuse(cat("has a damaged table ", place.path));
  return bytes;
}

std::vector<std::string> PackBytes::texts(std::string_view path) const {
  const auto& place = table(path);
  const auto bytes = table_bytes(place);
  std::vector<std::string> texts(place.rows);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const auto* const start = reinterpret_cast<const char*>(bytes.data()) + row * place.row_bytes;
    texts[row].assign(start, ::strnlen(start, place.row_bytes));
    if (has_control_characters(texts[row])) refuse(cat("has control characters in ", path));
  }
  return texts;
}

std::vector<std::int64_t> PackBytes::integers(std::string_view path) const {
  const auto& place = table(path);
  if (place.row_bytes % sizeof(std::int64_t) != 0) refuse(cat("has a damaged table ", path));
  return numbers_in<std::int64_t>(table_bytes(place));
}

std::vector<std::uint64_t> PackBytes::hashes(std::string_view path) const {
  const auto& place = table(path);
  if (place.row_bytes != sizeof(std::uint64_t)) refuse(cat("has a damaged table ", path));
  return numbers_in<std::uint64_t>(table_bytes(place));
}

void PackBytes::read_file(std::uint64_t offset_bytes, std::span<std::byte> out) const {
  while (!out.empty()) {
    const auto count =
        ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(cat("cannot be read (", std::strerror(errno), ")"));
    if (count == 0) refuse("ends too early");
    out = out.subspan(static_cast<std::size_t>(count));
    offset_bytes += static_cast<std::uint64_t>(count);
  }
}

void PackBytes::read(std::uint64_t offset_bytes, std::span<std::byte> out) const {
  SCALESTUDY_EXPECT(offset_bytes <= stored_bytes() && out.size() <= stored_bytes() - offset_bytes);
  read_file(header_.stored_offset_bytes + offset_bytes, out);
}

bool PackBytes::read_checked(std::uint64_t offset_bytes,
                             std::span<std::byte> out,
                             std::uint64_t hash) const {
  constexpr std::size_t piece_bytes = std::size_t{1} << 18;  // stays in a usual L2 cache
  if (out.size() <= piece_bytes) {
    read(offset_bytes, out);
    return bulk_hash(out) == hash;
  }
  BulkHash found;
  while (!out.empty()) {
    const auto piece = out.first(std::min(piece_bytes, out.size()));
    read(offset_bytes, piece);
    found.add(piece);
    offset_bytes += piece.size();
    out = out.subspan(piece.size());
  }
  return found.value() == hash;
}

}  // namespace scalestudy
