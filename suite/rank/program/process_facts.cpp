#include "rank/program/process_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <vector>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Field 22 of /proc/self/stat: start time in clock ticks since boot. Field 2, the program's name,
/// may hold blanks, so counting starts behind its closing parenthesis.
double process_start_since_boot_s() {
  std::ifstream in("/proc/self/stat");
  std::string stat;
  std::getline(in, stat);
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  return std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Under AddressSanitizer there is no such heap, and what is freed of so much memory is filled with
/// marks.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_malloc_of_sanitizer = true;
#else
constexpr bool has_malloc_of_sanitizer = false;
#endif

/// glibc advises no memory that the heap grows by later, so the heap is made to grow at once: by
/// addresses only, which take no memory until they are used.
bool put_heap_in_huge_pages() {
  if (has_malloc_of_sanitizer) return true;
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) / 2 * page_bytes;
  void* const reserved = std::malloc(bytes);
  if (reserved == nullptr) return false;
  const auto within_page = reinterpret_cast<std::uintptr_t>(reserved) % page_bytes;
  auto* const first_page = static_cast<std::byte*>(reserved) - within_page;
  const bool granted = ::madvise(first_page, bytes, MADV_HUGEPAGE) == 0;
  std::free(reserved);
  return granted;
}

}  // namespace

double process_age_s() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 -
         process_start_since_boot_s();
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;  // reported in KiB
}

bool keep_freed_memory(bool in_huge_pages) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 256 << 20);
  return in_huge_pages && put_heap_in_huge_pages();
}

}  // namespace scalestudy
