/// Time to read, decode and resize pictures on one core: decode_benchmark SIDE_PX REPEATS LIST
/// [PIXELS]. LIST names one file a line; the resized pixels of one round go to PIXELS. Prints JSON;
/// peers/compare_pillow.py runs it beside Pillow.
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"

#include "data/image.hpp"
#include "data/resize.hpp"

namespace scalestudy {
namespace {

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

double cpu_time_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void write_pixels(const std::vector<std::string>& files, std::int64_t side_px, const char* to) {
  std::ofstream out(to, std::ios::binary);
  for (const auto& file : files) {
    const auto image = resized(read_image(file), side_px, side_px);
    out.write(reinterpret_cast<const char*>(image.bytes.data()), std::ssize(image.bytes));
  }
}

void benchmark(const std::vector<std::string>& files, std::int64_t side_px, int repeats) {
  const Stopwatch wall;
  const double cpu_start_s = cpu_time_s();
  double decode_cpu_s = 0;
  std::size_t bytes = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const auto& file : files) {
      const double start_s = cpu_time_s();
      const auto image = read_image(file);
      decode_cpu_s += cpu_time_s() - start_s;
      bytes += resized(image, side_px, side_px).bytes.size();
    }
  }
  std::cout << "{\"images\": " << files.size() * static_cast<std::size_t>(repeats)
            << ", \"cpu_s\": " << cpu_time_s() - cpu_start_s
            << ", \"decode_cpu_s\": " << decode_cpu_s << ", \"wall_s\": " << wall.elapsed_s()
            << ", \"bytes\": " << bytes << "}\n";
}

}  // namespace
}  // namespace scalestudy

int main(int count, char** arguments) {
  using namespace scalestudy;
  if (count != 4 && count != 5) {
    std::cerr << "usage: decode_benchmark SIDE_PX REPEATS LIST [PIXELS]\n";
    return 2;
  }
  try {
    const auto files = lines_of(arguments[3]);
    const auto side_px = std::stoll(arguments[1]);
    if (count == 5) write_pixels(files, side_px, arguments[4]);
    benchmark(files, side_px, std::stoi(arguments[2]));
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.exit_code());
  }
}
