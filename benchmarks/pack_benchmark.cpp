/// How fast a pack gives its bytes, beside plain sequential reads of the same bytes: `cat`-like
/// reads of the file (1 MiB each), and the same bytes as one file per picture. All from the page
/// cache, in alternation; prints one line of JSON with the ratio of each pair. Nothing here decides
/// a result.

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
#include "core/error.hpp"
#include "core/handle.hpp"
#include "core/text.hpp"

#include "data/pack_set.hpp"
#include "data/pack_set_writer.hpp"

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
  const Handle<int, close_descriptor> out(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  for (std::int64_t i = 0; i < workload.samples; ++i) {
    const auto image = picture(workload, i);
    const auto size = static_cast<ssize_t>(image.bytes.size());
    SCALESTUDY_EXPECT(::write(out.get(), image.bytes.data(), image.bytes.size()) == size);
  }
}

/// Sequential reads of as many bytes as a picture has, into one buffer.
double plain_read_s(const fs::path& file, std::vector<std::byte>& buffer) {
  const Handle<int, close_descriptor> in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const Stopwatch watch;
  while (::read(in.get(), buffer.data(), buffer.size()) > 0) {
  }
  return watch.elapsed_s();
}

double pack_read_s(const PackSet& set, std::vector<std::byte>& buffer) {
  const Stopwatch watch;
  for (std::size_t i = 0; i < set.samples().size(); ++i) set.read_stored_image(i, buffer);
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

void compare(const fs::path& folder, const Workload& workload) {
  write_pack(folder / "pack.h5", workload);
  write_plain(folder / "plain", workload);
  std::vector<std::byte> buffer(static_cast<std::size_t>(workload.side_px * workload.side_px * 3));
  const auto bytes = static_cast<double>(buffer.size()) * static_cast<double>(workload.samples);
  (void)plain_read_s(folder / "plain", buffer);  // both in the page cache
  (void)pack_read_s(PackSet(folder / "pack.h5"), buffer);
  Ratios first;
  Ratios later;
  double plain_gb_per_s = 0;
  for (int pair = 0; pair < workload.pairs; ++pair) {
    const PackSet set(folder / "pack.h5");  // a new one checks every picture once more
    const auto plain_s = plain_read_s(folder / "plain", buffer);
    first.values.push_back(plain_s / pack_read_s(set, buffer));
    const auto plain_again_s = plain_read_s(folder / "plain", buffer);
    later.values.push_back(plain_again_s / pack_read_s(set, buffer));
    plain_gb_per_s = std::max(plain_gb_per_s, bytes / std::min(plain_s, plain_again_s) / 1e9);
  }
  std::cout << "{\"samples\": " << workload.samples << ", \"picture_bytes\": " << buffer.size()
            << ", \"pairs\": " << workload.pairs << ", \"plain_gb_per_s\": " << plain_gb_per_s
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
       {Workload{20000, 64, 15}, Workload{1500, 224, 15}, Workload{100, 1024, 15}})
    compare(folder, workload);
  fs::remove_all(folder);
  return 0;
}
