#include "hdf5/hdf5.hpp"

#include <algorithm>
#include <type_traits>

#include <hdf5.h>

#include "core/error.hpp"

namespace scalestudy::hdf5 {

static_assert(std::is_same_v<Id, hid_t> || sizeof(Id) == sizeof(hid_t));

void close_file(Id id) noexcept {
  H5Fclose(id);
}
void close_group(Id id) noexcept {
  H5Gclose(id);
}
void close_dataset(Id id) noexcept {
  H5Dclose(id);
}
void close_attribute(Id id) noexcept {
  H5Aclose(id);
}
void close_space(Id id) noexcept {
  H5Sclose(id);
}
void close_type(Id id) noexcept {
  H5Tclose(id);
}
void close_properties(Id id) noexcept {
  H5Pclose(id);
}

namespace {

// The first entry of an upward walk is where it went wrong: "… No space left on device …".
herr_t take_innermost(unsigned n, const H5E_error2_t* error, void* text) {
  if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::string library_error_text() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &text);
  return text.empty() ? "no detail given" : text;
}

Type text_type() {
  Type type(checked(H5Tcopy(H5T_C_S1), "H5Tcopy", "text"));
  checked(H5Tset_size(type.get(), H5T_VARIABLE), "H5Tset_size", "text");
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset", "text");
  return type;
}

Type file_type(Storage storage) {
  if (storage == Storage::text) return text_type();
  const hid_t standard = storage == Storage::int64 ? H5T_STD_I64LE : H5T_IEEE_F64LE;
  return Type(checked(H5Tcopy(standard), "H5Tcopy", "number"));
}

Space simple_space(const Shape& shape) {
  if (shape.empty()) return Space(checked(H5Screate(H5S_SCALAR), "H5Screate", ""));
  const std::vector<hsize_t> size(shape.begin(), shape.end());
  return Space(checked(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                       "H5Screate_simple", ""));
}

bool is_variable_text(const Type& type) {
  return H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) > 0;
}

std::size_t element_count(const Space& space, std::string_view object) {
  return static_cast<std::size_t>(
      checked(H5Sget_simple_extent_npoints(space.get()), "H5Sget_simple_extent_npoints", object));
}

void require_as_many(const Dataset& dataset, std::size_t values) {
  const Space space(checked(H5Dget_space(dataset.get()), "H5Dget_space", ""));
  SCALESTUDY_EXPECT(element_count(space, "") == values);
}

// Copies what the library allocated and gives it back, also when a copy fails.
std::vector<std::string> take_texts(std::vector<char*>& pointers,
                                    const Type& type,
                                    const Space& space) {
  std::vector<std::string> texts(pointers.size());
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    if (pointers[i] != nullptr) texts[i] = pointers[i];
  }
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, pointers.data());
  return texts;
}

// What `file` selects of the dataset, as many texts as `memory` has places.
std::vector<std::string> read_selected_texts(const Dataset& dataset,
                                             const std::string& path,
                                             const Type& type,
                                             const Space& memory,
                                             const Space& file) {
  std::vector<char*> pointers(element_count(memory, path), nullptr);
  if (pointers.empty()) return {};
  checked(
      H5Dread(dataset.get(), type.get(), memory.get(), file.get(), H5P_DEFAULT, pointers.data()),
      "H5Dread", path);
  return take_texts(pointers, type, memory);
}

void replace_attribute(
    Id object, const std::string& name, const Type& type, const Space& space, const void* data) {
  if (checked(H5Aexists(object, name.c_str()), "H5Aexists", name) > 0) {
    checked(H5Adelete(object, name.c_str()), "H5Adelete", name);
  }
  const Attribute attribute(
      checked(H5Acreate2(object, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
              "H5Acreate2", name));
  if (data != nullptr) checked(H5Awrite(attribute.get(), type.get(), data), "H5Awrite", name);
}

Attribute open_attribute(Id object, const std::string& name) {
  return Attribute(checked(H5Aopen(object, name.c_str(), H5P_DEFAULT), "H5Aopen", name));
}

}  // namespace

Id checked(Id result, std::string_view call, std::string_view object) {
  if (result >= 0) return result;
  throw Failure(object, std::string(call) + " failed: " + library_error_text());
}

void create_group(const File& file, const std::string& path) {
  const Group group(
      checked(H5Gcreate2(file.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              "H5Gcreate2", path));
}

std::vector<std::string> member_names(const File& file, const std::string& group_name) {
  const Group group(
      checked(H5Gopen2(file.get(), group_name.c_str(), H5P_DEFAULT), "H5Gopen2", group_name));
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  checked(H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "H5Literate",
          group_name);
  return names;
}

bool exists(const File& file, const std::string& path) {
  return H5Lexists(file.get(), path.c_str(), H5P_DEFAULT) > 0;
}

void remove(const File& file, const std::string& path) {
  checked(H5Ldelete(file.get(), path.c_str(), H5P_DEFAULT), "H5Ldelete", path);
}

void write_attribute(Id object, const std::string& name, const std::string& text) {
  const char* pointer = text.c_str();
  replace_attribute(object, name, text_type(), simple_space({}), &pointer);
}

void write_attribute(Id object, const std::string& name, std::int64_t value) {
  const Type memory(checked(H5Tcopy(H5T_NATIVE_INT64), "H5Tcopy", name));
  replace_attribute(object, name, memory, simple_space({}), &value);
}

void write_attribute(Id object, const std::string& name, double value) {
  const Type memory(checked(H5Tcopy(H5T_NATIVE_DOUBLE), "H5Tcopy", name));
  replace_attribute(object, name, memory, simple_space({}), &value);
}

void write_attribute(Id object, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const auto& text : texts) pointers.push_back(text.c_str());
  replace_attribute(object, name, text_type(), simple_space({texts.size()}),
                    texts.empty() ? nullptr : pointers.data());
}

std::string read_text_attribute(Id object, const std::string& name) {
  const auto texts = read_texts_attribute(object, name);
  if (texts.size() != 1) throw Failure(name, "the attribute is not one text");
  return texts.front();
}

std::int64_t read_integer_attribute(Id object, const std::string& name) {
  const auto attribute = open_attribute(object, name);
  const Space space(checked(H5Aget_space(attribute.get()), "H5Aget_space", name));
  const Type type(checked(H5Aget_type(attribute.get()), "H5Aget_type", name));
  if (H5Tget_class(type.get()) != H5T_INTEGER || element_count(space, name) != 1) {
    throw Failure(name, "the attribute is not one integer");
  }
  std::int64_t value = 0;
  checked(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "H5Aread", name);
  return value;
}

bool has_attribute(Id object, const std::string& name) {
  return checked(H5Aexists(object, name.c_str()), "H5Aexists", name) > 0;
}

std::vector<std::string> read_texts_attribute(Id object, const std::string& name) {
  constexpr std::size_t most = 1 << 16;
  const auto attribute = open_attribute(object, name);
  const Space space(checked(H5Aget_space(attribute.get()), "H5Aget_space", name));
  const Type type(checked(H5Aget_type(attribute.get()), "H5Aget_type", name));
  const auto count = element_count(space, name);
  if (!is_variable_text(type) || count > most) {
    throw Failure(name, "the attribute is not variable-length text");
  }
  std::vector<char*> pointers(count, nullptr);
  if (count > 0) checked(H5Aread(attribute.get(), type.get(), pointers.data()), "H5Aread", name);
  return take_texts(pointers, type, space);
}

Dataset create_dataset(const File& file, const std::string& path, const Layout& layout) {
  const auto space = simple_space(layout.shape);
  const auto type = file_type(layout.storage);
  return Dataset(checked(H5Dcreate2(file.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT),
                         "H5Dcreate2", path));
}

Dataset write_pixels(const File& file,
                     const std::string& path,
                     const Shape& shape,
                     std::span<const float> pixels) {
  const auto space = simple_space(shape);
  Dataset dataset(checked(H5Dcreate2(file.get(), path.c_str(), H5T_IEEE_F32LE, space.get(),
                                     H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          "H5Dcreate2", path));
  checked(H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()),
          "H5Dwrite", path);
  return dataset;
}

Dataset open_dataset(const File& file, const std::string& path) {
  return Dataset(checked(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), "H5Dopen2", path));
}

Shape shape_of(const Dataset& dataset) {
  const Space space(checked(H5Dget_space(dataset.get()), "H5Dget_space", ""));
  const auto rank =
      checked(H5Sget_simple_extent_ndims(space.get()), "H5Sget_simple_extent_ndims", "");
  std::vector<hsize_t> size(static_cast<std::size_t>(rank));
  checked(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), "H5Sget_simple_extent_dims",
          "");
  return {size.begin(), size.end()};
}

Storage storage_of(const Dataset& dataset, const std::string& path) {
  const Type type(checked(H5Dget_type(dataset.get()), "H5Dget_type", path));
  if (is_variable_text(type)) return Storage::text;
  const auto kind = H5Tget_class(type.get());
  if (kind == H5T_INTEGER) return Storage::int64;
  if (kind == H5T_FLOAT) return Storage::float64;
  throw Failure(path, "it holds neither numbers nor variable-length text");
}

void write(const Dataset& dataset, std::span<const double> values) {
  require_as_many(dataset, values.size());
  if (values.empty()) return;
  checked(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "H5Dwrite", "");
}

void write(const Dataset& dataset, std::span<const std::string> texts) {
  require_as_many(dataset, texts.size());
  if (texts.empty()) return;
  const auto type = text_type();
  std::vector<const char*> pointers;
  for (const auto& text : texts) pointers.push_back(text.c_str());
  checked(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
          "H5Dwrite", "");
}

std::vector<double> read_numbers(const Dataset& dataset, const std::string& path) {
  if (storage_of(dataset, path) == Storage::text) throw Failure(path, "it holds text, not numbers");
  const Space space(checked(H5Dget_space(dataset.get()), "H5Dget_space", path));
  std::vector<double> values(element_count(space, path));
  if (values.empty()) return values;
  checked(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "H5Dread", path);
  return values;
}

std::vector<float> read_pixels(const Dataset& dataset, const std::string& path) {
  const auto values = read_numbers(dataset, path);
  return {values.begin(), values.end()};
}

std::vector<std::string> read_texts(const Dataset& dataset, const std::string& path) {
  if (storage_of(dataset, path) != Storage::text) throw Failure(path, "it holds numbers, not text");
  const Type type(checked(H5Dget_type(dataset.get()), "H5Dget_type", path));
  const Space all(checked(H5Dget_space(dataset.get()), "H5Dget_space", path));
  return read_selected_texts(dataset, path, type, all, all);
}

std::vector<std::string> read_texts_while_readable(const Dataset& dataset,
                                                   const std::string& path) {
  if (storage_of(dataset, path) != Storage::text) throw Failure(path, "it holds numbers, not text");
  const Type type(checked(H5Dget_type(dataset.get()), "H5Dget_type", path));
  const Space file(checked(H5Dget_space(dataset.get()), "H5Dget_space", path));
  const auto count = element_count(file, path);
  const Space one = simple_space({1});
  std::vector<std::string> texts;
  try {
    while (texts.size() < count) {
      const hsize_t start = texts.size();
      const hsize_t length = 1;
      checked(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, &start, nullptr, &length, nullptr),
              "H5Sselect_hyperslab", path);
      texts.push_back(read_selected_texts(dataset, path, type, one, file).front());
    }
  } catch (const Failure&) {
  }
  return texts;
}

}  // namespace scalestudy::hdf5
