#include "data/pack/pack_hdf5.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/plain_datasets.hpp"

#include "data/bulk_hash.hpp"

namespace scalestudy {
namespace {

struct NamedNumber {
  std::string_view name;
  hdf5::Number number;
  std::uint64_t bytes;
};
constexpr std::array<NamedNumber, 5> stored_types{{{"uint8", hdf5::Number::uint8, 1},
                                                   {"int8", hdf5::Number::int8, 1},
                                                   {"uint16", hdf5::Number::uint16, 2},
                                                   {"int16", hdf5::Number::int16, 2},
                                                   {"float32", hdf5::Number::float32, 4}}};

const NamedNumber& stored_type(std::string_view name) {
  const auto* const found = std::find_if(stored_types.begin(), stored_types.end(),
                                         [&](const auto& type) { return type.name == name; });
  SCALESTUDY_EXPECT(found != stored_types.end());
  return *found;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

hdf5::Shape with_rows(std::uint64_t rows, const StoredForm& form) {
  hdf5::Shape shape{rows};
  shape.insert(shape.end(), form.row.begin(), form.row.end());
  return shape;
}

}  // namespace

std::uint64_t StoredForm::row_bytes() const {
  auto bytes = stored_type(type).bytes;
  for (const auto size : row) bytes *= size;
  return bytes;
}

struct PackHdf5::OpenFile {
  hdf5::File file;
};

PackHdf5::PackHdf5(const StoredForm& form, std::uint64_t rows)
    : memory_(::memfd_create("pack", MFD_CLOEXEC)) {
  SCALESTUDY_EXPECT(rows > 0);
  if (!memory_) fail("memory for the tables");
  const auto name = cat("/proc/self/fd/", memory_.get());
  reserve_stored({hdf5::create_plain_file(name, pack_header_bytes)}, form, rows);
  open_ = std::make_unique<OpenFile>(OpenFile{hdf5::open_plain_file_to_add(name)});
}

void PackHdf5::reserve_stored(const OpenFile& created, const StoredForm& form, std::uint64_t rows) {
  const auto rows_per_chunk = std::min(form.rows_per_chunk, rows);
  const auto stored = hdf5::reserve_chunks(created.file, form.path, stored_type(form.type).number,
                                           with_rows(rows, form), with_rows(rows_per_chunk, form));
  stored_offset_bytes_ = hdf5::chunks_offset(stored);
  const auto chunks = (rows + rows_per_chunk - 1) / rows_per_chunk;
  stored_end_bytes_ = stored_offset_bytes_ + chunks * rows_per_chunk * form.row_bytes();
}

PackHdf5::~PackHdf5() = default;

PackTable PackHdf5::add_texts(const std::string& path, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const auto& text : texts) width = std::max(width, text.size());
  std::string padded;
  for (const auto& text : texts) padded += text + std::string(width - text.size(), '\0');
  const auto bytes = std::as_bytes(std::span(padded));
  const auto dataset = hdf5::write_padded_texts(open_->file, path, texts.size(), width, bytes);
  return {path, texts.size(), width, hdf5::file_offset(dataset), bulk_hash(bytes)};
}

PackTable PackHdf5::add_integers(const std::string& path,
                                 const std::vector<std::int64_t>& values,
                                 std::uint64_t columns) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto rows = values.size() / columns;
  const auto shape = columns == 1 ? hdf5::Shape{rows} : hdf5::Shape{rows, columns};
  const auto dataset = hdf5::write_array(open_->file, path, hdf5::Number::int64, shape, bytes);
  return {path, rows, columns * sizeof(std::int64_t), hdf5::file_offset(dataset), bulk_hash(bytes)};
}

PackTable PackHdf5::add_hashes(const std::string& path, const std::vector<std::uint64_t>& hashes) {
  const auto bytes = std::as_bytes(std::span(hashes));
  const auto dataset =
      hdf5::write_array(open_->file, path, hdf5::Number::uint64, {hashes.size()}, bytes);
  return {path, hashes.size(), sizeof(std::uint64_t), hdf5::file_offset(dataset), bulk_hash(bytes)};
}

void PackHdf5::add_description(const PackDescription& description) {
  const auto root = open_->file.get();
  hdf5::write_attribute(root, "schema", std::int64_t{2});
  hdf5::write_attribute(root, "kind", std::string(name_of(description.kind)));
  hdf5::write_attribute(root, "encoding", std::string(name_of(description.encoding)));
  hdf5::write_attribute(root, "source", description.source);
  hdf5::write_attribute(root, "fit", std::string(name_of(description.fit)));
  hdf5::write_attribute(root, "mask_threshold_frac", description.mask_threshold_frac);
  hdf5::write_attribute(root, "height_px", description.height_px);
  hdf5::write_attribute(root, "width_px", description.width_px);
}

std::uint64_t PackHdf5::write_to(int descriptor) {
  hdf5::flush(open_->file);
  open_.reset();
  struct stat status {};
  if (::fstat(memory_.get(), &status) != 0) fail("length of the tables");
  const auto end_bytes = static_cast<std::uint64_t>(status.st_size);
  copy(descriptor, pack_header_bytes, stored_offset_bytes_);
  copy(descriptor, stored_end_bytes_, end_bytes);
  if (::ftruncate(descriptor, status.st_size) != 0) fail("length of the file");
  return end_bytes;
}

void PackHdf5::copy(int descriptor, std::uint64_t begin_bytes, std::uint64_t end_bytes) const {
  constexpr std::uint64_t most_bytes = 1U << 20U;
  std::vector<std::byte> piece;
  while (begin_bytes < end_bytes) {
    piece.resize(std::min(most_bytes, end_bytes - begin_bytes));
    const auto count =
        ::pread(memory_.get(), piece.data(), piece.size(), static_cast<off_t>(begin_bytes));
    if (count != std::ssize(piece)) fail("the tables");
    write_file_at(descriptor, begin_bytes, piece);
    begin_bytes += piece.size();
  }
}

void write_file_at(int descriptor, std::uint64_t offset_bytes, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto count =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("writing");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset_bytes += static_cast<std::uint64_t>(count);
  }
}

void read_file_at(int descriptor, std::uint64_t offset_bytes, std::span<std::byte> out) {
  while (!out.empty()) {
    const auto count =
        ::pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;
    if (count <= 0) fail("reading back");
    out = out.subspan(static_cast<std::size_t>(count));
    offset_bytes += static_cast<std::uint64_t>(count);
  }
}

}  // namespace scalestudy
