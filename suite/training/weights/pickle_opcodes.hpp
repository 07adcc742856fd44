#pragma once
/// Shared by the writer and the reader of state dicts; private to them.

#include <array>
#include <utility>

#include <c10/core/ScalarType.h>

namespace scalestudy::pickle {

inline constexpr std::array storage_classes{std::pair{"FloatStorage", c10::ScalarType::Float},
                                            std::pair{"DoubleStorage", c10::ScalarType::Double},
                                            std::pair{"HalfStorage", c10::ScalarType::Half},
                                            std::pair{"BFloat16Storage", c10::ScalarType::BFloat16},
                                            std::pair{"LongStorage", c10::ScalarType::Long},
                                            std::pair{"IntStorage", c10::ScalarType::Int},
                                            std::pair{"ShortStorage", c10::ScalarType::Short},
                                            std::pair{"CharStorage", c10::ScalarType::Char},
                                            std::pair{"ByteStorage", c10::ScalarType::Byte},
                                            std::pair{"BoolStorage", c10::ScalarType::Bool}};

/// Names of pickletools, for the opcodes that torch.save writes.
enum Opcode : unsigned char {
  mark = '(',
  stop = '.',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  none = 'N',
  binpersid = 'Q',
  reduce = 'R',
  binunicode = 'X',
  build = 'b',
  global = 'c',
  binget = 'h',
  long_binget = 'j',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  setitems = 'u',
  empty_tuple = ')',
  empty_dict = '}',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8a
};

}  // namespace scalestudy::pickle
