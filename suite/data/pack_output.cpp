#include "data/pack_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "core/bulk_hash.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/plain_datasets.hpp"

#include "data/pack_bytes.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

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

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw RunFailed({cat("Pack '", file.string(), "' cannot be written: ", reason),
                   "what was written of it was removed",
                   "Make room or choose another place, then prepare again"});
}

void write_start(const fs::path& file, const std::string& block) {
  const Handle<int, close_descriptor> descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  const auto written =
      descriptor ? ::pwrite(descriptor.get(), block.data(), block.size(), 0) : ssize_t{-1};
  if (written != static_cast<ssize_t>(block.size()) || ::fsync(descriptor.get()) != 0)
    throw std::system_error(errno, std::generic_category(), "the header");
}

void sync_folder_of(const fs::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Handle<int, close_descriptor> descriptor(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor) ::fsync(descriptor.get());
}

void require_place(const fs::path& file, Existing existing) {
  std::error_code error;
  if (fs::is_directory(file, error))
    throw BadInput({cat("'", file.string(), "' is a folder"), "a pack is one file",
                    "Give the name of the file to write, e.g. --out pack.h5"});
  if (existing == Existing::refuse && fs::exists(file, error))
    throw BadInput({cat("'", file.string(), "' exists already"), "it would be lost",
                    "Choose another name, or give --force to replace it"});
  if (file.has_parent_path() && !fs::is_directory(file.parent_path(), error))
    throw BadInput({cat("Folder '", file.parent_path().string(), "' does not exist"),
                    "the pack cannot be written there", "Create it first"});
}

}  // namespace

struct PackOutput::Hdf5Part {
  hdf5::File file;
  hdf5::Dataset stored;
  hdf5::Shape chunk_start;  ///< of the next chunk
  std::uint64_t row_bytes = 0;
};

template <class Work>
void PackOutput::guarded(Work work) {
  try {
    work();
  } catch (const hdf5::Failure& failure) {
    // The library crashes on closing what it could not write; the program is about to end anyway.
    static auto* const abandoned = new std::vector<std::unique_ptr<Hdf5Part>>;
    abandoned->push_back(std::move(hdf5_));
    fail(file_, failure.what());
  } catch (const std::system_error& error) {
    fail(file_, error.what());
  }
}

PackOutput::PackOutput(fs::path file, const StoredForm& form, Existing existing)
    : file_(std::move(file)),
      part_(file_.string() + ".part"),
      rows_per_chunk_(form.rows_per_chunk) {
  require_place(file_, existing);
  const auto& type = stored_type(form.type);
  hdf5::leave_open_files_alone();
  guarded([&] {
    fs::remove(part_);
    hdf5_ = std::make_unique<Hdf5Part>();
    // The kernel copies fastest where the file's bytes begin as pages do.
    constexpr std::uint64_t page_bytes = 4096;
    hdf5_->file = hdf5::create_file(part_, pack_header_bytes, page_bytes);
    hdf5::Shape shape{0};
    hdf5::Shape chunk{form.rows_per_chunk};
    shape.insert(shape.end(), form.row.begin(), form.row.end());
    chunk.insert(chunk.end(), form.row.begin(), form.row.end());
    hdf5_->stored = hdf5::create_chunked(hdf5_->file, form.path, type.number, shape, chunk);
    hdf5_->chunk_start = hdf5::Shape(shape.size(), 0);
    hdf5_->row_bytes = type.bytes;
    for (const auto size : form.row) hdf5_->row_bytes *= size;
  });
  chunk_bytes_ = hdf5_->row_bytes * rows_per_chunk_;
  chunk_.reserve(chunk_bytes_);
}

PackOutput::~PackOutput() {
  hdf5_.reset();
  std::error_code error;
  if (!part_.empty()) fs::remove(part_, error);
}

std::uint64_t PackOutput::store(std::span<const std::byte> bytes) {
  const auto start = stored_bytes_;
  stored_bytes_ += bytes.size();
  while (!bytes.empty()) {
    const auto count = std::min<std::size_t>(bytes.size(), chunk_bytes_ - chunk_.size());
    chunk_.insert(chunk_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    if (chunk_.size() == chunk_bytes_) write_chunk();
  }
  return start;
}

void PackOutput::write_chunk() {
  guarded([&] {
    chunk_.resize(chunk_bytes_);  // only the last one is not full
    auto& start = hdf5_->chunk_start;
    hdf5::set_length(hdf5_->stored, start.front() + rows_per_chunk_);
    hdf5::write_chunk(hdf5_->stored, start, chunk_);
    start.front() += rows_per_chunk_;
  });
  chunk_.clear();
}

void PackOutput::add_table(const PackTable& table) {
  tables_.push_back(table);
}

void PackOutput::add_texts(const std::string& path, const std::vector<std::string>& texts) {
  std::size_t width = 1;
  for (const auto& text : texts) width = std::max(width, text.size());
  std::string padded;
  for (const auto& text : texts) padded += text + std::string(width - text.size(), '\0');
  guarded([&] {
    const auto dataset = hdf5::write_padded_texts(hdf5_->file, path, texts, width);
    add_table({path, texts.size(), width, hdf5::file_offset(dataset),
               bulk_hash(std::as_bytes(std::span(padded)))});
  });
}

void PackOutput::add_integers(const std::string& path,
                              const std::vector<std::int64_t>& values,
                              std::uint64_t columns) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto rows = values.size() / columns;
  const auto shape = columns == 1 ? hdf5::Shape{rows} : hdf5::Shape{rows, columns};
  guarded([&] {
    const auto dataset = hdf5::write_array(hdf5_->file, path, hdf5::Number::int64, shape, bytes);
    add_table(
        {path, rows, columns * sizeof(std::int64_t), hdf5::file_offset(dataset), bulk_hash(bytes)});
  });
}

void PackOutput::add_hashes(const std::string& path, const std::vector<std::uint64_t>& hashes) {
  const auto bytes = std::as_bytes(std::span(hashes));
  guarded([&] {
    const auto dataset =
        hdf5::write_array(hdf5_->file, path, hdf5::Number::uint64, {hashes.size()}, bytes);
    add_table(
        {path, hashes.size(), sizeof(std::uint64_t), hdf5::file_offset(dataset), bulk_hash(bytes)});
  });
}

// Chunks that follow each other in the file make one run, so most reads need one call.
void PackOutput::add_runs() {
  std::vector<std::int64_t> runs;  // place in the file and size, alternating
  auto start = hdf5::Shape(hdf5_->chunk_start.size(), 0);
  for (std::uint64_t done = 0; done < stored_bytes_; done += chunk_bytes_) {
    const auto offset = static_cast<std::int64_t>(hdf5::chunk_offset(hdf5_->stored, start));
    const auto size = static_cast<std::int64_t>(std::min(chunk_bytes_, stored_bytes_ - done));
    if (!runs.empty() && runs[runs.size() - 2] + runs.back() == offset) {
      runs.back() += size;
    } else {
      runs.insert(runs.end(), {offset, size});
    }
    start.front() += rows_per_chunk_;
  }
  add_integers("/stored_runs", runs, 2);
}

void PackOutput::write_header(const PackDescription& description) {
  const auto root = hdf5_->file.get();
  hdf5::write_attribute(root, "schema", std::int64_t{1});
  hdf5::write_attribute(root, "kind", std::string(name_of(description.kind)));
  hdf5::write_attribute(root, "encoding", std::string(name_of(description.encoding)));
  hdf5::write_attribute(root, "source", description.source);
  hdf5::write_attribute(root, "fit", std::string(name_of(description.fit)));
  hdf5::write_attribute(root, "mask_threshold_frac", description.mask_threshold_frac);
  hdf5::write_attribute(root, "height_px", description.height_px);
  hdf5::write_attribute(root, "width_px", description.width_px);
  hdf5::flush(hdf5_->file);
  hdf5_.reset();
  write_start(part_, header_block({description, fs::file_size(part_), tables_}));
}

void PackOutput::finish(const PackDescription& description,
                        const std::function<void(const fs::path&)>& read_back) {
  if (!chunk_.empty()) write_chunk();
  guarded([&] {
    hdf5::set_length(hdf5_->stored, stored_bytes_ / hdf5_->row_bytes);
    add_runs();
    write_header(description);
  });
  try {
    read_back(part_);
  } catch (const BadInput& damage) {
    fail(file_, cat("it reads back wrong. ", damage.what()));
  }
  guarded([&] { fs::rename(part_, file_); });
  part_.clear();
  sync_folder_of(file_);
}

}  // namespace scalestudy
