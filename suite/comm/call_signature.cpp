#include "comm/call_signature.hpp"

#include "core/text.hpp"

namespace scalestudy {

namespace {

std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::float32:
      return "float32";
    case DataType::float64:
      return "float64";
    case DataType::int64:
      return "int64";
    case DataType::uint8:
      return "uint8";
    case DataType::float16:
      return "float16";
    case DataType::bfloat16:
      return "bfloat16";
  }
  return "?";
}

std::string_view name_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return "sum";
    case ReduceOp::min:
      return "min";
    case ReduceOp::max:
      return "max";
  }
  return "?";
}

}  // namespace

std::string_view name_of(CallKind kind) {
  switch (kind) {
    case CallKind::all_reduce:
      return "all_reduce";
    case CallKind::reduce:
      return "reduce";
    case CallKind::broadcast:
      return "broadcast";
    case CallKind::all_gather:
      return "all_gather";
    case CallKind::reduce_scatter:
      return "reduce_scatter";
    case CallKind::barrier:
      return "barrier";
  }
  return "?";
}

std::string to_text(const CallSignature& call) {
  if (call.kind == CallKind::barrier) return "barrier";
  std::string detail;
  if (call.kind == CallKind::broadcast) detail = cat(" (root ", call.root, ")");
  if (call.kind == CallKind::reduce)
    detail = cat(" (", name_of(call.op), ", root ", call.root, ")");
  if (call.kind == CallKind::all_reduce || call.kind == CallKind::reduce_scatter) {
    detail = cat(" (", name_of(call.op), ")");
  }
  return cat(name_of(call.kind), detail, " of ", call.count, " ", name_of(call.type));
}

}  // namespace scalestudy
