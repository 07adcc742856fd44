#include "comm/reduction.hpp"

#include <cstring>

#include "core/error.hpp"

namespace scalestudy {

namespace {

/// What numbers are while they are computed with.
template <class T>
auto computed(T value) {
  if constexpr (is_short_float<T>)
    return wide(value);
  else
    return value;
}

template <class T, class Value>
T stored(Value value) {
  if constexpr (is_short_float<T>)
    return rounded_to<T>(value);
  else
    return static_cast<T>(value);
}

template <class T, class Operation>
void combine_elements(const BufferView& out,
                      const ConstBufferView& left,
                      const ConstBufferView& right,
                      Operation operation) {
  T* const o = static_cast<T*>(out.data);
  const T* const a = static_cast<const T*>(left.data);
  const T* const b = static_cast<const T*>(right.data);
  const std::int64_t count = out.count.value();
  for (std::int64_t i = 0; i < count; ++i)
    o[i] = stored<T>(operation(computed(a[i]), computed(b[i])));
}

template <class T>
void combine_as(const BufferView& out,
                const ConstBufferView& left,
                const ConstBufferView& right,
                ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return combine_elements<T>(out, left, right, [](auto a, auto b) { return a + b; });
    case ReduceOp::min:
      return combine_elements<T>(out, left, right, [](auto a, auto b) { return b < a ? b : a; });
    case ReduceOp::max:
      return combine_elements<T>(out, left, right, [](auto a, auto b) { return a < b ? b : a; });
  }
}

}  // namespace

void combine(BufferView out, ConstBufferView left, ConstBufferView right, ReduceOp op) {
  SCALESTUDY_EXPECT(out.count == left.count && out.count == right.count);
  SCALESTUDY_EXPECT(out.type == left.type && out.type == right.type);
  switch (out.type) {
    case DataType::float32:
      return combine_as<float>(out, left, right, op);
    case DataType::float64:
      return combine_as<double>(out, left, right, op);
    case DataType::int64:
      return combine_as<std::int64_t>(out, left, right, op);
    case DataType::uint8:
      return combine_as<std::uint8_t>(out, left, right, op);
    case DataType::float16:
      return combine_as<Float16>(out, left, right, op);
    case DataType::bfloat16:
      return combine_as<Bfloat16>(out, left, right, op);
  }
}

void copy(void* into, const ConstBufferView& from) {
  if (from.count.value() > 0) std::memmove(into, from.data, from.bytes().index());
}

}  // namespace scalestudy
