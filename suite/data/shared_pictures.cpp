/// The file: a header, an entry for each sample, then the pixels in the order in which they came.
/// An entry's lock is held while its sample is decoded. The kernel frees it when its owner dies;
/// the entry then still says that nothing is kept, and the next rank decodes the sample.

#include "data/shared_pictures.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t most_pictures = 2;  ///< of a sample

enum class State { empty, kept, refused };

struct Shape {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::int64_t channels = 0;
  SampleType type = SampleType::uint8;
};

[[noreturn]] void refuse(int error) {
  throw Unavailable({cat("memory for decoded pictures could not be made: ", std::strerror(error)),
                     "the ranks of a host keep them together",
                     error == EFBIG ? "Allow longer files (ulimit -f unlimited), or lower "
                                      "settings.input.cache_bytes"
                                    : "Free some memory, or set settings.input.cache_shared to "
                                      "false"});
}

/// The memory stays when the descriptor is closed.
std::shared_ptr<std::byte> mapped(const Descriptor& file, std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) refuse(errno);
  return {static_cast<std::byte*>(memory), [=](std::byte* begin) { ::munmap(begin, bytes); }};
}

/// Without it the first access to a page ends in SIGBUS when there is no memory left.
int reserve_pages(const Descriptor& file, std::size_t begin, std::size_t bytes) {
  int error = EINTR;
  while (error == EINTR)
    error = ::posix_fallocate(file.get(), static_cast<off_t>(begin), static_cast<off_t>(bytes));
  return error;
}

/// More could not be kept anyway, and could not be mapped.
std::int64_t within_physical_memory(std::int64_t bytes) {
  return std::min<std::int64_t>(bytes, ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE));
}

void initialise(pthread_mutex_t& lock) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  const int error = pthread_mutex_init(&lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  if (error != 0) refuse(error);
}

std::int64_t size_bytes(const Pictures& pictures) {
  std::int64_t bytes = 0;
  for (const auto& picture : pictures) bytes += std::ssize(picture.bytes);
  return bytes;
}

}  // namespace

struct alignas(64) SharedPictures::Header {
  std::int64_t sample_count = 0;
  std::int64_t limit_bytes = 0;
  std::atomic<std::int64_t> used_bytes{0};
  std::atomic<std::int64_t> next_sample{0};  ///< of decode_together()
  std::atomic<bool> is_full{false};          ///< something did not fit
};

struct alignas(64) SharedPictures::Entry {
  pthread_mutex_t lock;
  std::atomic<State> state{State::empty};  ///< all below holds once it says kept
  std::int64_t offset_bytes = 0;           ///< from the beginning of the file
  std::size_t picture_count = 0;
  std::array<Shape, most_pictures> shapes{};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<State>::is_always_lock_free);

/// Of one rank's thread to decode a sample.
class SharedPictures::Turn {
 public:
  explicit Turn(pthread_mutex_t& lock) : lock_(lock) {
    int error = pthread_mutex_lock(&lock_);
    if (error == EOWNERDEAD) error = pthread_mutex_consistent(&lock_);
    SCALESTUDY_EXPECT(error == 0);
  }
  ~Turn() { pthread_mutex_unlock(&lock_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  pthread_mutex_t& lock_;
};

std::size_t SharedPictures::pictures_begin(std::int64_t sample_count) {
  return sizeof(Header) + static_cast<std::size_t>(sample_count) * sizeof(Entry);
}

Descriptor SharedPictures::make(std::int64_t sample_count, std::int64_t limit_bytes) {
  SCALESTUDY_EXPECT(sample_count >= 0 && limit_bytes >= 0);
  const auto limit = within_physical_memory(limit_bytes);
  const auto begin = pictures_begin(sample_count);
  Descriptor file(::memfd_create("scalestudy-pictures", MFD_CLOEXEC));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(begin) + limit) != 0) refuse(errno);
  if (const int error = reserve_pages(file, 0, begin)) refuse(error);
  const auto memory = mapped(file, begin);
  auto* const header = ::new (memory.get()) Header;
  header->sample_count = sample_count;
  header->limit_bytes = limit;
  auto* place = memory.get() + sizeof(Header);
  for (std::int64_t i = 0; i < sample_count; ++i, place += sizeof(Entry))
    initialise((::new (place) Entry)->lock);
  return file;
}

SharedPictures::SharedPictures(Descriptor memory, std::int64_t sample_count)
    : file_(std::move(memory)), sample_count_(sample_count) {
  struct stat status {};
  SCALESTUDY_EXPECT(::fstat(file_.get(), &status) == 0 &&
                    status.st_size >= static_cast<off_t>(sizeof(Header)));
  memory_ = mapped(file_, static_cast<std::size_t>(status.st_size));
  if (header().sample_count == sample_count) return;
  throw RunFailed({cat("this rank found ", sample_count, " samples, another one of its host ",
                       header().sample_count),
                   "ranks train on parts of one set", "Let the data be while a study runs"});
}

SharedPictures::Header& SharedPictures::header() const {
  return *std::launder(reinterpret_cast<Header*>(memory_.get()));
}

SharedPictures::Entry& SharedPictures::entry(std::size_t sample) const {
  SCALESTUDY_EXPECT(sample < static_cast<std::size_t>(sample_count_));
  auto* const place = memory_.get() + sizeof(Header) + sample * sizeof(Entry);
  return *std::launder(reinterpret_cast<Entry*>(place));
}

bool SharedPictures::keeps(std::size_t sample) const {
  return entry(sample).state.load(std::memory_order_acquire) == State::kept;
}

Pictures SharedPictures::get(std::size_t sample, const std::function<Pictures()>& decode) const {
  auto& mine = entry(sample);
  const auto is_empty = [&] { return mine.state.load(std::memory_order_acquire) == State::empty; };
  if (is_empty()) {
    const Turn turn(mine.lock);
    if (is_empty()) {
      auto pictures = decode();
      keep(mine, pictures);
      return pictures;
    }
  }
  return keeps(sample) ? kept(mine) : decode();
}

void SharedPictures::decode_together(const Workers& workers,
                                     const std::function<Pictures(std::size_t)>& decode) const {
  for_each_index(sample_count_, workers, [&](std::int64_t) {
    if (header().is_full) return;
    const auto next = header().next_sample++;
    const auto sample = static_cast<std::size_t>(next);
    if (next < sample_count_) (void)get(sample, [&] { return decode(sample); });
  });
}

void SharedPictures::keep(Entry& entry, const Pictures& pictures) const {
  SCALESTUDY_EXPECT(pictures.size() <= most_pictures);
  auto* place = reserve(size_bytes(pictures));
  if (place == nullptr) {
    header().is_full = true;
    entry.state.store(State::refused, std::memory_order_release);
    return;
  }
  entry.offset_bytes = place - memory_.get();
  entry.picture_count = pictures.size();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const auto& picture = pictures[i];
    entry.shapes[i] = {picture.height_px, picture.width_px, picture.channels, picture.type};
    place = std::copy(picture.bytes.begin(), picture.bytes.end(), place);
  }
  entry.state.store(State::kept, std::memory_order_release);
}

/// Null when they do not fit, or when the machine has no more memory. What a rank reserved and did
/// not fill, as it was killed, stays unused.
std::byte* SharedPictures::reserve(std::int64_t bytes) const {
  auto& used = header().used_bytes;
  auto offset = used.load();
  do {
    if (bytes > header().limit_bytes - offset) return nullptr;
  } while (!used.compare_exchange_weak(offset, offset + bytes));
  const auto begin = pictures_begin(sample_count_) + static_cast<std::size_t>(offset);
  const int error = reserve_pages(file_, begin, static_cast<std::size_t>(bytes));
  return error == 0 ? memory_.get() + begin : nullptr;
}

Pictures SharedPictures::kept(const Entry& entry) const {
  Pictures pictures(entry.picture_count);
  const auto* place = memory_.get() + entry.offset_bytes;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const auto& shape = entry.shapes[i];
    auto& picture = pictures[i];
    picture = {shape.height_px, shape.width_px, shape.channels, shape.type, {}};
    const auto size = static_cast<std::size_t>(picture.value_count()) * bytes_per_value(shape.type);
    picture.bytes.assign(place, place + size);
    place += size;
  }
  return pictures;
}

std::unique_ptr<SharedPictures> share_pictures(const ShareOnHost& share,
                                               std::int64_t sample_count,
                                               std::int64_t limit_bytes) {
  if (!share) return nullptr;
  auto memory = share([=] { return SharedPictures::make(sample_count, limit_bytes); });
  if (!memory) return nullptr;
  return std::make_unique<SharedPictures>(std::move(memory), sample_count);
}

}  // namespace scalestudy
