#include "record/study_folder/heartbeat.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr std::uint64_t page_magic = 0x7363616c65686231;  // "scalehb1"
constexpr std::size_t phase_words = 6;
constexpr std::size_t error_words = 128;

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free, "the page is shared between processes");

template <std::size_t Count>
void store_text(std::array<Word, Count>& words, std::string_view text) noexcept {
  std::array<char, Count * sizeof(std::uint64_t)> bytes{};
  std::copy_n(text.data(), std::min(text.size(), bytes.size() - 1), bytes.data());
  for (std::size_t i = 0; i < Count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    words[i].store(word, std::memory_order_relaxed);
  }
}

template <std::size_t Count>
std::string load_text(const std::array<Word, Count>& words) {
  std::array<char, Count * sizeof(std::uint64_t)> bytes{};
  for (std::size_t i = 0; i < Count; ++i) {
    const auto word = words[i].load(std::memory_order_relaxed);
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
  return {bytes.data(), ::strnlen(bytes.data(), bytes.size())};
}

}  // namespace

struct Heartbeat::Page {
  Word magic, version, process_id, step, total_steps, time_s;
  std::array<Word, phase_words> phase;
  std::array<Word, error_words> error;

  [[nodiscard]] HeartbeatState state() const {
    HeartbeatState state;
    state.process_id = static_cast<std::int64_t>(process_id.load());
    state.step = static_cast<std::int64_t>(step.load());
    state.total_steps = static_cast<std::int64_t>(total_steps.load());
    state.time_s = std::bit_cast<double>(time_s.load());
    state.phase = load_text(phase);
    state.error = load_text(error);
    return state;
  }
};

Heartbeat::Heartbeat(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw RunFailed(
        {cat(file.string(), " cannot be made: ", std::generic_category().message(error)),
         "the driver watches the rank through it", "Free space or choose another output folder"});
  };
  const Descriptor descriptor(::open(
      file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644));
  if (!descriptor) fail(errno);
  // Not O_TRUNC: a reader may be at the page of an earlier start.
  // Reserved now: a store to a page without disk space behind it would kill the process.
  if (const int error = ::posix_fallocate(descriptor.get(), 0, sizeof(Page))) fail(error);
  void* memory =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (memory == MAP_FAILED) fail(errno);
  page_ = ::new (memory) Page{};
  page_->process_id = static_cast<std::uint64_t>(::getpid());
  beat("initialisation", -1);
  page_->magic = page_magic;  // from now on it can be read
}

Heartbeat::~Heartbeat() {
  ::munmap(page_, sizeof(Page));
}

// An odd version marks a change in progress, so that a reader never mixes two states.
template <class Change>
void Heartbeat::change(Change apply) noexcept {
  page_->version.store(++version_, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  apply();
  page_->time_s.store(std::bit_cast<std::uint64_t>(now_s()), std::memory_order_relaxed);
  page_->version.store(++version_, std::memory_order_release);
}

void Heartbeat::set_total_steps(std::int64_t total_steps) noexcept {
  change([&] {
    page_->total_steps.store(static_cast<std::uint64_t>(total_steps), std::memory_order_relaxed);
  });
}

void Heartbeat::beat(const char* phase, std::int64_t step) noexcept {
  change([&] {
    store_text(page_->phase, phase);
    page_->step.store(static_cast<std::uint64_t>(step), std::memory_order_relaxed);
  });
}

void Heartbeat::beat(const char* phase) noexcept {
  change([&] { store_text(page_->phase, phase); });
}

void Heartbeat::set_error(const std::string& error) noexcept {
  if (std::exchange(has_error_, true)) return;
  change([&] { store_text(page_->error, error); });
}

// Read, not mapped: whatever becomes of the file, its reader lives. A process killed inside a
// change leaves an odd version behind: then this takes what is there.
std::optional<HeartbeatState> read_heartbeat(const std::filesystem::path& file) {
  using Page = Heartbeat::Page;
  constexpr double patience_s = 0.05;
  constexpr auto head_bytes = sizeof(Page::magic) + sizeof(Page::version);
  const Stopwatch stopwatch;
  if (std::filesystem::is_symlink(file)) return {};
  while (true) {
    const auto before = start_of_file(file, head_bytes);
    const auto bytes = start_of_file(file, sizeof(Page));
    if (bytes.size() != sizeof(Page)) return {};
    Page page;
    std::memcpy(static_cast<void*>(&page), bytes.data(), sizeof page);
    if (page.magic != page_magic) return {};
    const bool is_consistent = page.version % 2 == 0 && bytes.starts_with(before) &&
                               start_of_file(file, head_bytes) == before;
    if (is_consistent || stopwatch.elapsed_s() > patience_s) return page.state();
    std::this_thread::yield();
  }
}

std::filesystem::path heartbeat_file(const std::filesystem::path& run_folder, std::int64_t rank) {
  return run_folder / cat("heartbeat-", rank);
}

}  // namespace scalestudy
