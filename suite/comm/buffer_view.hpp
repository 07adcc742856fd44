#pragma once
/// Typed views of contiguous memory that collectives work on. Counts are elements, never bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/ids.hpp"

#include "comm/short_floats.hpp"

namespace scalestudy {

enum class DataType { float32, float64, int64, uint8, float16, bfloat16 };

[[nodiscard]] constexpr std::int64_t size_of(DataType type) {
  switch (type) {
    case DataType::float32:
      return 4;
    case DataType::float64:
    case DataType::int64:
      return 8;
    case DataType::uint8:
      return 1;
    case DataType::float16:
    case DataType::bfloat16:
      return 2;
  }
  return 0;
}

template <class T>
[[nodiscard]] constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>) return DataType::float32;
  if constexpr (std::is_same_v<T, double>) return DataType::float64;
  if constexpr (std::is_same_v<T, std::int64_t>) return DataType::int64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DataType::uint8;
  if constexpr (std::is_same_v<T, Float16>) return DataType::float16;
  if constexpr (std::is_same_v<T, Bfloat16>) return DataType::bfloat16;
}

/// Where memory lies: a device by its index, or here.
inline constexpr int host_memory = -1;

/// Borrowed memory: the caller keeps it alive until the collective has ended.
struct BufferView {
  void* data = nullptr;
  ElementCount count;
  DataType type = DataType::float32;
  int place = host_memory;
  [[nodiscard]] ByteCount bytes() const { return ByteCount(count.value() * size_of(type)); }
};

struct ConstBufferView {
  const void* data = nullptr;
  ElementCount count;
  DataType type = DataType::float32;
  int place = host_memory;
  ConstBufferView() = default;
  ConstBufferView(const void* memory,
                  ElementCount elements,
                  DataType element_type,
                  int memory_place = host_memory)
      : data(memory), count(elements), type(element_type), place(memory_place) {}
  ConstBufferView(const BufferView& view)
      : data(view.data), count(view.count), type(view.type), place(view.place) {}
  [[nodiscard]] ByteCount bytes() const { return ByteCount(count.value() * size_of(type)); }
};

/// Elements [first, first + count) of a buffer; a buffer of nothing may have no memory.
[[nodiscard]] inline BufferView part_of(const BufferView& whole,
                                        std::int64_t first,
                                        std::int64_t count) {
  if (count == 0) return {whole.data, ElementCount(0), whole.type, whole.place};
  return {static_cast<std::byte*>(whole.data) + first * size_of(whole.type), ElementCount(count),
          whole.type, whole.place};
}

[[nodiscard]] inline ConstBufferView part_of(const ConstBufferView& whole,
                                             std::int64_t first,
                                             std::int64_t count) {
  if (count == 0) return {whole.data, ElementCount(0), whole.type, whole.place};
  return {static_cast<const std::byte*>(whole.data) + first * size_of(whole.type),
          ElementCount(count), whole.type, whole.place};
}

template <class T>
[[nodiscard]] BufferView view_of(std::span<T> values) {
  return {values.data(), ElementCount(static_cast<std::int64_t>(values.size())), data_type_of<T>()};
}

template <class T>
[[nodiscard]] ConstBufferView const_view_of(std::span<const T> values) {
  return {values.data(), ElementCount(static_cast<std::int64_t>(values.size())), data_type_of<T>()};
}

}  // namespace scalestudy
