#include "training/weights/state_dict_pickle.hpp"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace pickle {
namespace {

constexpr std::array storage_classes{std::pair{"FloatStorage", c10::ScalarType::Float},
                                     std::pair{"DoubleStorage", c10::ScalarType::Double},
                                     std::pair{"HalfStorage", c10::ScalarType::Half},
                                     std::pair{"BFloat16Storage", c10::ScalarType::BFloat16},
                                     std::pair{"LongStorage", c10::ScalarType::Long},
                                     std::pair{"IntStorage", c10::ScalarType::Int},
                                     std::pair{"ShortStorage", c10::ScalarType::Short},
                                     std::pair{"CharStorage", c10::ScalarType::Char},
                                     std::pair{"ByteStorage", c10::ScalarType::Byte},
                                     std::pair{"BoolStorage", c10::ScalarType::Bool}};

/// Names of pickletools.
enum Opcode : unsigned char {
  mark = '(',
  stop = '.',
  binint = 'J',
  binpersid = 'Q',
  reduce = 'R',
  binunicode = 'X',
  global = 'c',
  tuple = 't',
  setitems = 'u',
  empty_tuple = ')',
  empty_dict = '}',
  newfalse = 0x89,
  long1 = 0x8a
};

const char* storage_class_of(c10::ScalarType type) {
  for (const auto& [name, each] : storage_classes)
    if (each == type) return name;
  SCALESTUDY_EXPECT(false);
}

class Pickler {
 public:
  void put(Opcode code) { bytes_ += static_cast<char>(code); }

  void text(std::string_view value) {
    put(binunicode);
    little_endian(value.size(), 4);
    bytes_ += value;
  }

  void integer(std::int64_t value) {
    const bool is_short = value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
    put(is_short ? binint : long1);
    if (!is_short) bytes_ += '\x08';
    little_endian(static_cast<std::uint64_t>(value), is_short ? 4 : 8);
  }

  void integers(const std::vector<std::int64_t>& values) {
    put(mark);
    for (const auto value : values) integer(value);
    put(tuple);
  }

  void global_name(std::string_view module, std::string_view name) {
    put(global);
    bytes_ += cat(module, '\n', name, '\n');
  }

  void tensor(const TensorReference& tensor) {
    global_name("torch._utils", "_rebuild_tensor_v2");
    put(mark);
    storage(tensor.storage);
    integer(tensor.offset);
    integers(tensor.sizes);
    integers(tensor.strides);
    put(newfalse);                              // requires_grad
    global_name("collections", "OrderedDict");  // backward hooks: none
    put(empty_tuple);
    put(reduce);
    put(tuple);
    put(reduce);
  }

  [[nodiscard]] std::string take() { return std::move(bytes_); }
  void protocol() { bytes_ += "\x80\x02"; }

 private:
  void storage(const StorageReference& storage) {
    put(mark);
    text("storage");
    global_name("torch", storage_class_of(storage.type));
    text(storage.key);
    text("cpu");
    integer(storage.element_count);
    put(tuple);
    put(binpersid);
  }

  void little_endian(std::uint64_t value, int byte_count) {
    for (int i = 0; i < byte_count; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }

  std::string bytes_;
};

}  // namespace
}  // namespace pickle

std::string pickle_state_dict(const std::vector<TensorReference>& tensors) {
  pickle::Pickler pickler;
  pickler.protocol();
  pickler.put(pickle::empty_dict);
  pickler.put(pickle::mark);
  for (const auto& tensor : tensors) {
    pickler.text(tensor.name);
    pickler.tensor(tensor);
  }
  pickler.put(pickle::setitems);
  pickler.put(pickle::stop);
  return pickler.take();
}

}  // namespace scalestudy
