#pragma once
/// The arithmetic of reductions, element by element.

#include "comm/communicator.hpp"

namespace scalestudy {

/// out[i] = left[i] op right[i]; `out` may be `left` or `right`. uint8 sums wrap; those of 16 bits
/// are float32 sums, rounded. Local.
void combine(BufferView out, ConstBufferView left, ConstBufferView right, ReduceOp op);

/// Copies all bytes of `from`; `into` has as many. Local.
void copy(void* into, const ConstBufferView& from);

}  // namespace scalestudy
