#include "record/heartbeat.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr std::uint64_t magic = 0x7363616c65686231;  // "scalehb1"
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

  // An odd version marks a change in progress, so that a reader never mixes two states.
  template <class Change>
  void change(Change apply) noexcept {
    version.fetch_add(1, std::memory_order_acq_rel);
    apply();
    time_s.store(std::bit_cast<std::uint64_t>(now_s()), std::memory_order_relaxed);
    version.fetch_add(1, std::memory_order_release);
  }

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

  // A process killed inside a change leaves an odd version behind: then this takes what is there.
  [[nodiscard]] HeartbeatState consistent_state() const {
    constexpr double patience_s = 0.05;
    const Stopwatch stopwatch;
    while (true) {
      const auto before = version.load(std::memory_order_acquire);
      auto found = state();
      std::atomic_thread_fence(std::memory_order_acquire);
      const bool is_consistent = before % 2 == 0 && version.load() == before;
      if (is_consistent || stopwatch.elapsed_s() > patience_s) return found;
      std::this_thread::yield();
    }
  }
};

Heartbeat::Heartbeat(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw RunFailed(
        {cat(file.string(), " cannot be made: ", std::generic_category().message(error)),
         "the driver watches the rank through it", "Free space or choose another output folder"});
  };
  const Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!descriptor) fail(errno);
  // Not O_TRUNC: a reader may have the page of an earlier start mapped.
  // Reserved now: a store to a page without disk space behind it would kill the process.
  if (const int error = ::posix_fallocate(descriptor.get(), 0, sizeof(Page))) fail(error);
  void* memory =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (memory == MAP_FAILED) fail(errno);
  page_ = ::new (memory) Page{};
  page_->process_id.store(static_cast<std::uint64_t>(::getpid()));
  beat("initialisation", -1);
  page_->magic.store(magic, std::memory_order_release);
}

Heartbeat::~Heartbeat() {
  ::munmap(page_, sizeof(Page));
}

void Heartbeat::set_total_steps(std::int64_t total_steps) noexcept {
  page_->change([&] { page_->total_steps.store(static_cast<std::uint64_t>(total_steps)); });
}

void Heartbeat::beat(const char* phase, std::int64_t step) noexcept {
  page_->change([&] {
    store_text(page_->phase, phase);
    page_->step.store(static_cast<std::uint64_t>(step), std::memory_order_relaxed);
  });
}

void Heartbeat::beat(const char* phase) noexcept {
  page_->change([&] { store_text(page_->phase, phase); });
}

void Heartbeat::set_error(const std::string& error) noexcept {
  page_->change([&] { store_text(page_->error, error); });
}

std::optional<HeartbeatState> read_heartbeat(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!descriptor || ::fstat(descriptor.get(), &status) != 0) return {};
  if (status.st_size != sizeof(Heartbeat::Page)) return {};
  void* memory =
      ::mmap(nullptr, sizeof(Heartbeat::Page), PROT_READ, MAP_SHARED, descriptor.get(), 0);
  if (memory == MAP_FAILED) return {};
  const auto* page = static_cast<const Heartbeat::Page*>(memory);
  std::optional<HeartbeatState> state;
  if (page->magic.load(std::memory_order_acquire) == magic) state = page->consistent_state();
  ::munmap(memory, sizeof(Heartbeat::Page));
  return state;
}

std::filesystem::path heartbeat_file(const std::filesystem::path& run_folder, std::int64_t rank) {
  return run_folder / cat("heartbeat-", rank);
}

}  // namespace scalestudy
