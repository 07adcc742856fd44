#include "workloads/collectives/buffers.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "core/error.hpp"

namespace scalestudy::collectives {
namespace {

/// Largest whole number up to which bfloat16, the coarsest type, holds all: 2^8.
constexpr std::int64_t most_exact = 256;
/// The largest prime whose numbers all ranks can sum: parts of 2^k elements that come to the wrong
/// place do not fit there, with up to 128 ranks.
std::int64_t period_for(std::int64_t ranks) {
  const auto most = most_exact / ranks + 1;
  for (const std::int64_t prime : {13, 11, 7, 5, 3})
    if (prime <= most) return prime;
  return 2;
}
/// No multiple of a period: ranks beside each other send other numbers.
constexpr std::int64_t rank_stride = 17;
constexpr double never_sent = -1;

template <class T>
T element_of(double value) {
  if constexpr (is_short_float<T>)
    return rounded_to<T>(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

template <class T>
bool is_same(T one, T other) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  return std::bit_cast<Bits>(one) == std::bit_cast<Bits>(other);
}

/// Numbers that come again after `size()`, from any place on.
template <class T>
class Pattern {
 public:
  explicit Pattern(std::vector<T> values) : values_(std::move(values)) {}

  void write(std::span<T> target, std::int64_t first) const {
    auto at = place(first);
    for (auto& element : target) {
      element = values_[at];
      at = after(at);
    }
  }
  [[nodiscard]] std::int64_t differences(std::span<const T> found, std::int64_t first) const {
    std::int64_t count = 0;
    auto at = place(first);
    for (const auto element : found) {
      count += is_same(element, values_[at]) ? 0 : 1;
      at = after(at);
    }
    return count;
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t first) const {
    return static_cast<std::size_t>(first) % values_.size();
  }
  [[nodiscard]] std::size_t after(std::size_t at) const {
    return at + 1 == values_.size() ? 0 : at + 1;
  }
  std::vector<T> values_;
};

template <class T>
class TypedBuffers final : public Buffers {
 public:
  TypedBuffers(std::int64_t most_bytes, Rank rank, WorldSize world_size)
      : rank_(rank.value()),
        ranks_(world_size.value()),
        period_(period_for(ranks_)),
        sent_(pattern([](std::int64_t at) { return at; })),
        sums_(pattern([this](std::int64_t at) { return sum_at(at); })),
        sending_(elements_in(most_bytes)),
        receiving_(sending_.size()) {}

  void fill(const Case& one, std::int64_t call) override {
    const auto receiving = std::span(receiving_).first(received_elements(one));
    std::ranges::fill(receiving, element_of<T>(never_sent));
    switch (one.operation) {
      case CollectiveOperation::all_reduce:
        return sent_.write(receiving, sent_by(rank_, call));
      case CollectiveOperation::broadcast:
        if (rank_ == 0) sent_.write(receiving, sent_by(0, call));
        return;
      case CollectiveOperation::all_gather:
      case CollectiveOperation::reduce_scatter:
        return sent_.write(std::span(sending_).first(sent_elements(one)), sent_by(rank_, call));
      case CollectiveOperation::barrier:
        return;
    }
  }

  [[nodiscard]] ConstBufferView sent(const Case& one) const override {
    return const_view_of(std::span<const T>(sending_).first(sent_elements(one)));
  }
  [[nodiscard]] BufferView received(const Case& one) override {
    return view_of(std::span(receiving_).first(received_elements(one)));
  }

  [[nodiscard]] std::int64_t wrong_count(const Case& one, std::int64_t call) const override {
    const auto found = std::span(receiving_).first(received_elements(one));
    switch (one.operation) {
      case CollectiveOperation::all_reduce:
        return sums_.differences(found, call);
      case CollectiveOperation::broadcast:
        return sent_.differences(found, sent_by(0, call));
      case CollectiveOperation::all_gather:
        return wrong_parts(found, call);
      case CollectiveOperation::reduce_scatter:
        return sums_.differences(found, call + rank_ * std::ssize(found));
      case CollectiveOperation::barrier:
        return 0;
    }
    return 0;
  }

 private:
  static std::size_t elements_in(std::int64_t bytes) {
    return static_cast<std::size_t>(bytes) / sizeof(T);
  }
  template <class NumberAt>
  Pattern<T> pattern(const NumberAt& number_at) const {
    std::vector<T> values;
    for (std::int64_t at = 0; at < period_; ++at)
      values.push_back(element_of<T>(static_cast<double>(number_at(at))));
    return Pattern<T>(std::move(values));
  }
  /// Where in the pattern a rank starts.
  static std::int64_t sent_by(std::int64_t rank, std::int64_t call) {
    return call + rank_stride * rank;
  }
  [[nodiscard]] std::int64_t sum_at(std::int64_t at) const {
    std::int64_t sum = 0;
    for (std::int64_t rank = 0; rank < ranks_; ++rank) sum += sent_by(rank, at) % period_;
    return sum;
  }
  [[nodiscard]] std::int64_t wrong_parts(std::span<const T> found, std::int64_t call) const {
    const auto part = found.size() / static_cast<std::size_t>(ranks_);
    std::int64_t count = 0;
    for (std::int64_t rank = 0; rank < ranks_; ++rank)
      count += sent_.differences(found.subspan(static_cast<std::size_t>(rank) * part, part),
                                 sent_by(rank, call));
    return count;
  }
  [[nodiscard]] std::size_t part_elements(const Case& one) const {
    return elements_in(one.size_bytes) / static_cast<std::size_t>(ranks_);
  }
  [[nodiscard]] std::size_t received_elements(const Case& one) const {
    const bool is_part = one.operation == CollectiveOperation::reduce_scatter;
    return is_part ? part_elements(one) : elements_in(one.size_bytes);
  }
  [[nodiscard]] std::size_t sent_elements(const Case& one) const {
    const bool is_part = one.operation == CollectiveOperation::all_gather;
    return is_part ? part_elements(one) : elements_in(one.size_bytes);
  }

  std::int64_t rank_;
  std::int64_t ranks_;
  std::int64_t period_;
  Pattern<T> sent_;
  Pattern<T> sums_;  ///< of all ranks
  std::vector<T> sending_;
  std::vector<T> receiving_;
};

}  // namespace

Buffers::~Buffers() = default;

CollectiveCall call_of(CollectiveOperation operation, ConstBufferView from, BufferView into) {
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return all_reduce_of(into);
    case CollectiveOperation::broadcast:
      return broadcast_of(into, Rank(0));
    case CollectiveOperation::all_gather:
      return all_gather_of(from, into);
    case CollectiveOperation::reduce_scatter:
      return reduce_scatter_of(from, into, ReduceOp::sum);
    case CollectiveOperation::barrier:
      return {};
  }
  SCALESTUDY_EXPECT(false);
}

std::unique_ptr<Buffers> make_buffers(ElementType type,
                                      std::int64_t most_bytes,
                                      Rank rank,
                                      WorldSize world_size) {
  switch (type) {
    case ElementType::float32:
      return std::make_unique<TypedBuffers<float>>(most_bytes, rank, world_size);
    case ElementType::float16:
      return std::make_unique<TypedBuffers<Float16>>(most_bytes, rank, world_size);
    case ElementType::bfloat16:
      return std::make_unique<TypedBuffers<Bfloat16>>(most_bytes, rank, world_size);
  }
  SCALESTUDY_EXPECT(false);
}

}  // namespace scalestudy::collectives
