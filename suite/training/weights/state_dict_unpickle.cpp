#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "core/text.hpp"

#include "training/weights/pickle_opcodes.hpp"
#include "training/weights/state_dict_pickle.hpp"

namespace scalestudy {
namespace pickle {
namespace {

struct Value;
using Values = std::vector<Value>;
using Dict = std::vector<std::pair<std::string, Value>>;

struct None {};
struct MarkValue {};
struct Global {
  std::string name;
};
struct Tuple {
  std::shared_ptr<Values> values;
};

/// What may stand on the unpickler's stack. Dicts and tuples are shared, as the memo shares them.
struct Value {
  std::variant<None,
               MarkValue,
               bool,
               std::int64_t,
               std::string,
               Global,
               Tuple,
               std::shared_ptr<Dict>,
               StorageReference,
               TensorReference>
      is;
};

template <class T>
const T& as(const Value& value, const char* expected) {
  if (const auto* found = std::get_if<T>(&value.is)) return *found;
  throw NoStateDict(cat("something else stands where ", expected, " should be"));
}

class Unpickler {
 public:
  explicit Unpickler(std::string_view bytes) : bytes_(bytes) {}

  Value run() {
    for (;;) {
      const auto code = static_cast<unsigned char>(take(1)[0]);
      if (code == stop) return pop();
      step(code);
    }
  }

 private:
  void step(unsigned char code) {
    switch (code) {
      case proto:
        if (take(1)[0] != 2) throw NoStateDict("its pickle protocol is not 2");
        return;
      case mark:
        return push({MarkValue{}});
      case none:
        return push({None{}});
      case newtrue:
      case newfalse:
        return push({code == newtrue});
      case binint:
        return push({static_cast<std::int64_t>(static_cast<std::int32_t>(unsigned_integer(4)))});
      case binint1:
        return push({static_cast<std::int64_t>(unsigned_integer(1))});
      case binint2:
        return push({static_cast<std::int64_t>(unsigned_integer(2))});
      case long1:
        return push({long_integer()});
      case binunicode:
        return push({std::string(take(unsigned_integer(4)))});
      case global:
        return push({global_name()});
      default:
        return combine(code);
    }
  }

  void combine(unsigned char code) {
    switch (code) {
      case empty_tuple:
        return push_tuple(stack_.size());
      case tuple1:
      case tuple2:
      case tuple3:
        return push_tuple(first_of_last(1U + code - tuple1));
      case tuple:
        return push_tuple(take_mark());
      case empty_dict:
        return push({std::make_shared<Dict>()});
      case setitem:
        return set_items(first_of_last(2));
      case setitems:
        return set_items(take_mark());
      case build:
        static_cast<void>(pop());  // attributes such as _metadata
        return;
      case binpersid:
        return push({storage(*as<Tuple>(pop(), "a storage").values)});
      case reduce:
        return call();
      case binput:
      case long_binput:
        memo_[unsigned_integer(code == binput ? 1 : 4)] = top();
        return;
      case binget:
      case long_binget:
        return push(recalled(unsigned_integer(code == binget ? 1 : 4)));
      default:
        throw NoStateDict(
            cat("it holds objects other than tensors (pickle opcode ", int{code}, ")"));
    }
  }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw NoStateDict("its pickle ends too early");
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::uint64_t unsigned_integer(std::size_t byte_count) {
    const auto bytes = take(byte_count);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < byte_count; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
  }

  /// Sizes and strides only, so never negative.
  std::int64_t long_integer() {
    const auto byte_count = unsigned_integer(1);
    if (byte_count > 8) throw NoStateDict("it holds an integer beyond 64 bits");
    const auto value = static_cast<std::int64_t>(unsigned_integer(byte_count));
    if (value < 0) throw NoStateDict("it holds an integer beyond 64 bits");
    return value;
  }

  std::string line() {
    const auto end = bytes_.find('\n');
    if (end == std::string_view::npos) throw NoStateDict("its pickle ends too early");
    const auto text = take(end + 1);
    return std::string(text.substr(0, end));
  }

  Global global_name() {
    auto module = line();
    return {cat(module, ".", line())};
  }

  void push(Value value) { stack_.push_back(std::move(value)); }

  const Value& top() const {
    if (stack_.empty()) throw NoStateDict("its pickle takes from an empty stack");
    return stack_.back();
  }

  Value pop() {
    auto value = top();
    stack_.pop_back();
    return value;
  }

  std::size_t first_of_last(std::size_t count) const {
    if (stack_.size() < count) throw NoStateDict("its pickle takes from an empty stack");
    return stack_.size() - count;
  }

  /// Removes the topmost mark; returns where the values above it begin.
  std::size_t take_mark() {
    for (std::size_t i = stack_.size(); i-- > 0;) {
      if (!std::holds_alternative<MarkValue>(stack_[i].is)) continue;
      stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(i));
      return i;
    }
    throw NoStateDict("its pickle has no mark where one is needed");
  }

  Values take_from(std::size_t first) {
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
    Values values(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
    stack_.erase(begin, stack_.end());
    return values;
  }

  void push_tuple(std::size_t first) { push({Tuple{std::make_shared<Values>(take_from(first))}}); }

  void set_items(std::size_t first) {
    const auto items = take_from(first);
    const auto& dict = as<std::shared_ptr<Dict>>(top(), "a dict");
    if (items.size() % 2 != 0) throw NoStateDict("a key of its dict has no value");
    for (std::size_t i = 0; i < items.size(); i += 2)
      dict->emplace_back(as<std::string>(items[i], "a name"), items[i + 1]);
  }

  const Value& recalled(std::uint64_t index) const {
    const auto found = memo_.find(index);
    if (found == memo_.end()) throw NoStateDict("its pickle refers to nothing");
    return found->second;
  }

  static StorageReference storage(const Values& id) {
    if (id.size() != 5 || as<std::string>(id[0], "a storage") != "storage")
      throw NoStateDict("it refers to something that is no storage");
    const auto& type = as<Global>(id[1], "a storage class").name;
    StorageReference storage;
    storage.key = as<std::string>(id[2], "a storage key");
    storage.element_count = as<std::int64_t>(id[4], "a storage size");
    for (const auto& [name, scalar_type] : storage_classes) {
      if (type != cat("torch.", name)) continue;
      storage.type = scalar_type;
      return storage;
    }
    throw NoStateDict(cat("tensors in a ", type, " are not supported"));
  }

  /// Only what makes tensors and dicts may be called.
  void call() {
    const auto arguments = as<Tuple>(pop(), "a tuple of arguments").values;
    const auto function = as<Global>(pop(), "a function").name;
    if (function == "collections.OrderedDict" && arguments->empty())
      return push({std::make_shared<Dict>()});
    if (function == "torch._utils._rebuild_tensor_v2" && arguments->size() >= 4)
      return push({tensor(*arguments)});
    if (function == "torch._utils._rebuild_parameter" && !arguments->empty())
      return push({as<TensorReference>(arguments->front(), "a tensor")});
    throw NoStateDict(cat("it would have to call ", function));
  }

  static TensorReference tensor(const Values& arguments) {
    TensorReference tensor;
    tensor.storage = as<StorageReference>(arguments[0], "a storage");
    tensor.offset = as<std::int64_t>(arguments[1], "an offset");
    tensor.sizes = integers(arguments[2]);
    tensor.strides = integers(arguments[3]);
    return tensor;
  }

  static std::vector<std::int64_t> integers(const Value& value) {
    std::vector<std::int64_t> numbers;
    for (const auto& each : *as<Tuple>(value, "a tuple of sizes").values)
      numbers.push_back(as<std::int64_t>(each, "a size"));
    return numbers;
  }

  std::string_view bytes_;
  Values stack_;
  std::map<std::uint64_t, Value> memo_;
};

}  // namespace
}  // namespace pickle

std::vector<TensorReference> unpickle_state_dict(std::string_view bytes) {
  const auto root = pickle::Unpickler(bytes).run();
  std::vector<TensorReference> tensors;
  for (const auto& [name, value] : *pickle::as<std::shared_ptr<pickle::Dict>>(root, "a dict")) {
    if (!std::holds_alternative<TensorReference>(value.is))
      throw NoStateDict(cat("its entry '", name, "' is no tensor"));
    tensors.push_back(std::get<TensorReference>(value.is));
    tensors.back().name = name;
  }
  return tensors;
}

}  // namespace scalestudy
