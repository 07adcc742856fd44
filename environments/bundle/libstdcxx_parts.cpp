/// What a libstdc++.so.6 made of Debian's libstdc++_pic.a lacks, and what it would take from a libc
/// newer than that of the machines that the bundle is for.

#include <cstdint>
#include <istream>
#include <limits>

#include <sys/random.h>

/// std::random_device's source; libc has a function of this name since 2.36.
extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t value = 0;
  while (::getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

namespace {

/// The library's own `ignore(n, eof)` calls `ignore(n)`, so this reads by itself.
template <class Buffer>
bool skip(Buffer& buffer, std::streamsize limit, std::streamsize& count) {
  using Traits = typename Buffer::traits_type;
  constexpr auto most = std::numeric_limits<std::streamsize>::max();
  for (count = 0; limit == most || count < limit;) {
    if (Traits::eq_int_type(buffer.sbumpc(), Traits::eof())) return false;
    if (count < most) ++count;
  }
  return true;
}

}  // namespace

namespace std {

template <>
istream& istream::ignore(streamsize limit) {
  _M_gcount = 0;
  const sentry ready(*this, true);
  if (!ready) return *this;
  try {
    if (!skip(*rdbuf(), limit, _M_gcount)) setstate(eofbit);
  } catch (...) {
    _M_setstate(badbit);
  }
  return *this;
}

template <>
wistream& wistream::ignore(streamsize limit) {
  _M_gcount = 0;
  const sentry ready(*this, true);
  if (!ready) return *this;
  try {
    if (!skip(*rdbuf(), limit, _M_gcount)) setstate(eofbit);
  } catch (...) {
    _M_setstate(badbit);
  }
  return *this;
}

}  // namespace std
