/// What a libstdc++.so.6 made of Debian's libstdc++_pic.a lacks, and what it would take from a libc
/// newer than that of the machines that the bundle is for.

#include <condition_variable>
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

/// NCCL asks for the version that the function had before GCC 12.
extern "C" void scalestudy_wait_before_gcc_12(std::condition_variable& condition,
                                              std::unique_lock<std::mutex>& lock) {
  condition.wait(lock);
}
asm(".symver scalestudy_wait_before_gcc_12,"
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

namespace {

/// The library's own `ignore(n, eof)` calls `ignore(n)`, so this reads by itself.
template <class Stream>
Stream& skip(Stream& stream, std::streamsize limit, std::streamsize& count) {
  using Traits = typename Stream::traits_type;
  constexpr auto most = std::numeric_limits<std::streamsize>::max();
  count = 0;
  const typename Stream::sentry ready(stream, true);
  if (!ready) return stream;
  bool at_end = false;
  try {
    while (!at_end && (limit == most || count < limit)) {
      at_end = Traits::eq_int_type(stream.rdbuf()->sbumpc(), Traits::eof());
      if (!at_end && count < most) ++count;
    }
  } catch (...) {
    stream._M_setstate(std::ios_base::badbit);
  }
  if (at_end) stream.setstate(std::ios_base::eofbit);
  return stream;
}

}  // namespace

namespace std {

template <>
istream& istream::ignore(streamsize limit) {
  return skip(*this, limit, _M_gcount);
}

template <>
wistream& wistream::ignore(streamsize limit) {
  return skip(*this, limit, _M_gcount);
}

}  // namespace std
