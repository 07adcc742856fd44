#pragma once
/// The little of HDF5's C API that run files and packs need, behind owners and one checked call.
/// Only sources include it; nothing here is thread-safe.

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/handle.hpp"

#include "hdf5/storage.hpp"

namespace scalestudy::hdf5 {

using Id = std::int64_t;  ///< hid_t
using Shape = std::vector<std::uint64_t>;

void close_file(Id id) noexcept;
void close_group(Id id) noexcept;
void close_dataset(Id id) noexcept;
void close_attribute(Id id) noexcept;
void close_space(Id id) noexcept;
void close_type(Id id) noexcept;
void close_properties(Id id) noexcept;
using File = Handle<Id, close_file>;
using Group = Handle<Id, close_group>;
using Dataset = Handle<Id, close_dataset>;
using Attribute = Handle<Id, close_attribute>;
using Space = Handle<Id, close_space>;
using Type = Handle<Id, close_type>;
using Properties = Handle<Id, close_properties>;

/// A failed library call: the object in the file and the library's own words. The writer makes a
/// RunFailed of it, the reader a BadInput.
class Failure : public std::runtime_error {
 public:
  Failure(std::string_view object, const std::string& reason)
      : std::runtime_error(reason), object_(object) {}
  [[nodiscard]] const std::string& object() const { return object_; }

 private:
  std::string object_;
};

/// The one checked call: returns `result`, or throws Failure when it is negative.
Id checked(Id result, std::string_view call, std::string_view object);

/// Makes a file in memory, in the earliest format, which everything that reads HDF5 opens.
[[nodiscard]] File create_image(std::uint64_t user_block_bytes);
/// Returns the bytes of such a file, the user block included (zeros).
[[nodiscard]] std::vector<std::byte> bytes_of_image(const File& file,
                                                    std::uint64_t user_block_bytes);
/// Opens the bytes of a file, a snapshot that no writer can change meanwhile; they must outlive it.
[[nodiscard]] File open_image(std::span<const std::byte> bytes);
/// Opens a file on disk, without a lock.
[[nodiscard]] File open_file_to_change(const std::filesystem::path& file);
void flush(const File& file);

void create_group(const File& file, const std::string& path);
/// Names of the links in a group, sorted.
[[nodiscard]] std::vector<std::string> member_names(const File& file, const std::string& group);
[[nodiscard]] bool exists(const File& file, const std::string& path);
void remove(const File& file, const std::string& path);

/// Attributes; text is always variable-length UTF-8, and an existing one is replaced.
void write_attribute(Id object, const std::string& name, const std::string& text);
void write_attribute(Id object, const std::string& name, std::int64_t value);
void write_attribute(Id object, const std::string& name, double value);
void write_attribute(Id object, const std::string& name, const std::vector<std::string>& texts);
[[nodiscard]] std::string read_text_attribute(Id object, const std::string& name);
[[nodiscard]] std::int64_t read_integer_attribute(Id object, const std::string& name);
[[nodiscard]] bool has_attribute(Id object, const std::string& name);
[[nodiscard]] std::vector<std::string> read_texts_attribute(Id object, const std::string& name);

/// What a data set is made of.
struct Layout {
  Storage storage = Storage::float64;
  Shape shape;  ///< empty: scalar
};
[[nodiscard]] Dataset create_dataset(const File& file,
                                     const std::string& path,
                                     const Layout& layout);
[[nodiscard]] Dataset write_pixels(const File& file,
                                   const std::string& path,
                                   const Shape& shape,
                                   std::span<const float> pixels);
[[nodiscard]] Dataset open_dataset(const File& file, const std::string& path);
[[nodiscard]] Shape shape_of(const Dataset& dataset);
/// How the file keeps it. Errors: Failure when it is neither number nor variable-length text.
[[nodiscard]] Storage storage_of(const Dataset& dataset, const std::string& path);

/// Writes all elements, row-major. Contract: there are as many values as elements.
void write(const Dataset& dataset, std::span<const double> values);
void write(const Dataset& dataset, std::span<const std::string> texts);

/// Everything in the data set, row-major.
[[nodiscard]] std::vector<double> read_numbers(const Dataset& dataset, const std::string& path);
[[nodiscard]] std::vector<float> read_pixels(const Dataset& dataset, const std::string& path);
[[nodiscard]] std::vector<std::string> read_texts(const Dataset& dataset, const std::string& path);
/// Of one dimension, those before the first that cannot be read. One by one, because the library
/// loses the memory of those it had read when a later one fails.
[[nodiscard]] std::vector<std::string> read_texts_while_readable(const Dataset& dataset,
                                                                 const std::string& path);

}  // namespace scalestudy::hdf5
