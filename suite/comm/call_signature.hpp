#pragma once
/// What a rank calls a collective operation for; ranks that call different ones must learn it.

#include <cstdint>
#include <string>
#include <string_view>

#include "comm/buffer_view.hpp"

namespace scalestudy {

enum class ReduceOp { sum, min, max };

enum class CallKind : std::int32_t {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  barrier
};

/// What a rank asks for; must be equal on all ranks.
struct CallSignature {
  CallKind kind = CallKind::barrier;
  DataType type = DataType::uint8;
  ReduceOp op = ReduceOp::sum;
  std::int32_t root = 0;
  std::int64_t count = 0;
  std::int64_t place = -1;  ///< of the data in the memory that the ranks share [bytes]; −1: nowhere
  friend bool operator==(const CallSignature&, const CallSignature&) = default;
};
/// What a rank says of itself with every chunk of data.
struct Call {
  CallSignature signature;
  std::int64_t entered = 0;  ///< CommonClock's stamp
};
[[nodiscard]] std::string_view name_of(CallKind kind);
[[nodiscard]] std::string to_text(const CallSignature& call);  ///< "all_reduce (sum) of 8 float32"

}  // namespace scalestudy
