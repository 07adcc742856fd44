/// How fast a pack gives its pictures, beside plain sequential reads of the same bytes in one file,
/// each of the size of a picture. Both ways once into one buffer, and once into a new one for each
/// picture, as training reads them. All from the page cache, in alternation; prints lines of JSON
/// with the ratios of the pairs. Nothing here decides a result.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <numeric>

#include <fcntl.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "data/pack/pack_set.hpp"
#include "data/pack/pack_set_writer.hpp"

namespace {

namespace fs = std::filesystem;
using namespace scalestudy;

struct Workload {
  std::int64_t samples;
  std::int64_t side_px;
  int pairs;
};

Image picture(const Workload& workload, std::int64_t index) {
  auto image = blank_image(workload.side_px, workload.side_px, 3, SampleType::uint8);
  for (std::size_t i = 0; i < image.bytes.size(); ++i)
    image.bytes[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(index) + i / 251);
  return image;
}

void write_pack(const fs::path& file, const Workload& workload) {
  PackSetWriter writer(file, {}, {"a"}, Existing::replace);
  for (std::int64_t i = 0; i < workload.samples; ++i) {
    const auto image = picture(workload, i);
    writer.add({cat("train/a/", 1000000 + i, ".png"), "train", 0}, image, image.bytes);
  }
  writer.finish([](std::string_view, std::int64_t, std::int64_t) {});
}

void write_plain(const fs::path& file, const Workload& workload) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  for (std::int64_t i = 0; i < workload.samples; ++i) {
    const auto image = picture(workload, i);
    const auto size = static_cast<ssize_t>(image.bytes.size());
    SCALESTUDY_EXPECT(::write(out.get(), image.bytes.data(), image.bytes.size()) == size);
  }
}

enum class Buffer { same, fresh };

double plain_read_s(const fs::path& file, Buffer kind, std::vector<std::byte>& buffer) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const Stopwatch watch;
  do {
    if (kind == Buffer::fresh) buffer = std::vector<std::byte>(buffer.size());
  } while (::read(in.get(), buffer.data(), buffer.size()) > 0);
  return watch.elapsed_s();
}

double pack_read_s(const PackSet& set, Buffer kind, std::vector<std::byte>& buffer) {
  const Stopwatch watch;
  for (std::size_t i = 0; i < set.samples().size(); ++i) {
    if (kind == Buffer::fresh) {
      buffer = set.read_image(i).bytes;
    } else {
      set.read_stored_image(i, buffer);
    }
  }
  return watch.elapsed_s();
}

struct Ratios {
  std::vector<double> values;
  [[nodiscard]] std::string text() const {
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return cat("{\"median\": ", sorted[sorted.size() / 2], ", \"minimum\": ", sorted.front(),
               ", \"maximum\": ", sorted.back(), "}");
  }
};

void compare(const fs::path& folder, const Workload& workload, Buffer kind) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(workload.side_px * workload.side_px * 3));
  const auto bytes = static_cast<double>(buffer.size()) * static_cast<double>(workload.samples);
  const auto plain_s = [&] { return plain_read_s(folder / "plain", kind, buffer); };
  (void)plain_s();  // both in the page cache
  (void)pack_read_s(PackSet(folder / "pack.h5"), kind, buffer);
  Ratios first;
  Ratios later;
  double fastest_plain_s = plain_s();
  for (int pair = 0; pair < workload.pairs; ++pair) {
    const PackSet set(folder / "pack.h5");  // a new one checks every picture once more
    for (auto* const ratios : {&first, &later}) {
      const auto this_plain_s = plain_s();
      ratios->values.push_back(this_plain_s / pack_read_s(set, kind, buffer));
      fastest_plain_s = std::min(fastest_plain_s, this_plain_s);
    }
  }
  std::cout << "{\"samples\": " << workload.samples << ", \"picture_bytes\": " << buffer.size()
            << ", \"buffer\": \"" << (kind == Buffer::same ? "same" : "fresh")
            << "\", \"pairs\": " << workload.pairs
            << ", \"plain_gb_per_s\": " << bytes / fastest_plain_s / 1e9
            << ", \"first_read_ratio\": " << first.text()
            << ", \"later_read_ratio\": " << later.text() << "}\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "Usage: pack_benchmark FOLDER   (needs 0.6 GB of space there)\n";
    return 2;
  }
  const fs::path folder = fs::path(arguments[1]) / cat("pack_benchmark-", ::getpid());
  fs::create_directories(folder);
  for (const Workload& workload :
       {Workload{20000, 64, 15}, Workload{1500, 224, 15}, Workload{100, 1024, 15}}) {
    write_pack(folder / "pack.h5", workload);
    write_plain(folder / "plain", workload);
    for (const auto kind : {Buffer::same, Buffer::fresh}) compare(folder, workload, kind);
  }
  fs::remove_all(folder);
  return 0;
}
