#include "data/pack/pack_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/plain_datasets.hpp"

#include "data/bulk_hash.hpp"
#include "data/pack/pack_bytes.hpp"
#include "data/pack/pack_header.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw RunFailed({cat("Pack '", file.string(), "' cannot be written: ", reason),
                   "what was written of it was removed",
                   "Make room or choose another place, then prepare again"});
}

[[noreturn]] void refuse_other_part(const fs::path& part) {
  throw BadInput({cat("'", part.string(), "' is there already"),
                  "another data prepare is writing it, or was killed",
                  "Remove it when none is at work"});
}

void require_place(const fs::path& file, Existing existing) {
  std::error_code error;
  if (fs::is_directory(file, error))
    throw BadInput({cat("'", file.string(), "' is a folder"), "a pack is one file",
                    "Give the name of the file to write, e.g. --out pack.h5"});
  require_replaceable(file);
  if (existing == Existing::refuse && fs::exists(file, error))
    throw BadInput({cat("'", file.string(), "' exists already"), "it would be lost",
                    "Choose another name, or give --force to replace it"});
  if (fs::exists(file, error) && !is_pack(file))
    throw BadInput({cat("'", file.string(), "' is no pack"),
                    "--force replaces nothing but an earlier pack", "Choose another name"});
  if (file.has_parent_path() && !fs::is_directory(file.parent_path(), error))
    throw BadInput({cat("Folder '", file.parent_path().string(), "' does not exist"),
                    "the pack cannot be written there", "Create it first"});
}

}  // namespace

template <class Work>
void PackOutput::guarded(Work work) {
  try {
    work();
  } catch (const hdf5::Failure& failure) {
    fail(file_, failure.what());
  } catch (const std::system_error& error) {
    fail(file_, error.what());
  }
}

PackOutput::PackOutput(fs::path file, const StoredForm& form, Existing existing)
    : file_(std::move(file)), part_(file_.string() + ".part"), form_(form) {
  require_place(file_, existing);
  guarded([&] {
    stored_offset_bytes_ = PackHdf5(form_, form_.rows_per_chunk).stored_offset_bytes();
    descriptor_ = Descriptor(::open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!descriptor_ && errno == EEXIST) refuse_other_part(std::exchange(part_, {}));
    if (!descriptor_) throw std::system_error(errno, std::generic_category(), "its .part");
  });
}

PackOutput::~PackOutput() {
  std::error_code error;
  if (!part_.empty()) fs::remove(part_, error);
}

std::uint64_t PackOutput::store(std::span<const std::byte> bytes) {
  SCALESTUDY_EXPECT(!hdf5_);
  const auto start = stored_bytes_;
  guarded([&] { write_file_at(descriptor_.get(), stored_offset_bytes_ + start, bytes); });
  stored_bytes_ += bytes.size();
  return start;
}

// Tables are made in memory, where a limit on the length of files counts too, and there the HDF5
// library crashes on it: this file has to meet it first.
void PackOutput::add_table(std::uint64_t bytes, const std::function<PackTable(PackHdf5&)>& add) {
  constexpr std::uint64_t most_besides_bytes = 1U << 16U;  // object header, rounding up to pages
  if (!hdf5_)
    needed_bytes_ = stored_offset_bytes_ + stored_bytes_ + form_.rows_per_chunk * form_.row_bytes();
  needed_bytes_ += bytes + most_besides_bytes;
  guarded([&] {
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(needed_bytes_)) != 0)
      throw std::system_error(errno, std::generic_category(), "its tables");
    if (!hdf5_) hdf5_ = std::make_unique<PackHdf5>(form_, stored_bytes_ / form_.row_bytes());
    SCALESTUDY_EXPECT(hdf5_->stored_offset_bytes() == stored_offset_bytes_);
    tables_.push_back(add(*hdf5_));
  });
}

void PackOutput::add_texts(const std::string& path, const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const auto& text : texts) width = std::max(width, text.size());
  add_table(texts.size() * width, [&](PackHdf5& hdf5) { return hdf5.add_texts(path, texts); });
}

void PackOutput::add_integers(const std::string& path,
                              const std::vector<std::int64_t>& values,
                              std::uint64_t columns) {
  add_table(values.size() * sizeof(std::int64_t),
            [&](PackHdf5& hdf5) { return hdf5.add_integers(path, values, columns); });
}

void PackOutput::add_hashes(const std::string& path, const std::vector<std::uint64_t>& hashes) {
  add_table(hashes.size() * sizeof(std::uint64_t),
            [&](PackHdf5& hdf5) { return hdf5.add_hashes(path, hashes); });
}

void PackOutput::add_notes(const std::vector<std::string>& notes) {
  if (!notes.empty()) add_texts(std::string(notes_table), notes);
}

void PackOutput::finish(const PackDescription& description,
                        const std::function<void(const fs::path&)>& read_back) {
  SCALESTUDY_EXPECT(hdf5_ != nullptr);
  guarded([&] {
    hdf5_->add_description(description);
    const auto file_bytes = hdf5_->write_to(descriptor_.get());
    PackHeader header{description, file_bytes, stored_offset_bytes_, stored_bytes_, 0, tables_};
    header.layout_hash = layout_hash_of(header, [&](auto offset_bytes, auto out) {
      read_file_at(descriptor_.get(), offset_bytes, out);
    });
    const auto block = header_block(header);
    write_file_at(descriptor_.get(), 0, std::as_bytes(std::span(block)));
    if (::fsync(descriptor_.get()) != 0)
      throw std::system_error(errno, std::generic_category(), "its bytes");
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
