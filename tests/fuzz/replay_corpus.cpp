/// Runs a fuzz target without a fuzzer: `corpus_READER FOLDER...` gives it every file of these
/// folders, whole and cut off at 16 places. Never random: what a fuzzer once found stays in
/// tests/fuzz/corpus/.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);
/// Custom mutators refer to it; nothing is mutated here.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* /*data*/,
                                        std::size_t size,
                                        std::size_t /*most*/) {
  return size;
}

namespace {

constexpr std::size_t cuts = 16;

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The input is copied, so that the sanitizer sees each read beyond its end.
void try_input(const std::vector<std::uint8_t>& bytes, std::size_t size) {
  const std::vector<std::uint8_t> input(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(size));
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last line names what crashes
    const auto bytes = bytes_of(file);
    for (std::size_t cut = 0; cut <= cuts; ++cut) try_input(bytes, bytes.size() * cut / cuts);
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
