#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "core/text.hpp"

#include "data/pack/pack_set.hpp"
#include "data/pack/pack_volume.hpp"

#include "tests/fuzz/accepted.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/support/resealed_pack.hpp"

namespace {

using namespace scalestudy;

// Samples differ in what their tables say, so each is read by itself: a refused one hides no other.
void read_pictures(const std::string& path) {
  const PackSet set(path);
  fuzz::require(set.images().size() == set.samples().size());
  for (std::size_t i = 0; i < set.samples().size(); ++i) {
    fuzz::expect_whole_picture_or_refusal([&] { return set.read_image(i); });
    if (!set.masks().empty())
      fuzz::expect_whole_picture_or_refusal([&] { return set.read_mask(i); });
  }
}

void read_voxels(const std::string& path) {
  const auto volume = read_volume(path);
  fuzz::require(std::ssize(volume.voxels) == voxel_count(volume.shape));
}

constexpr std::array numbers{"0",  "1",     "2",          "3",          "255",
                             "-1", "65536", "2147483648", "4294967296", "18446744073709551615"};

/// Another number or word in the header's text: bytes alone seldom keep a line valid.
std::string with_other_word(const std::string& pack, std::mt19937& random) {
  const auto header = pack.substr(0, pack.find('\0'));
  auto lines = split(header, '\n');
  auto& line = lines[random() % lines.size()];
  auto words = split(line, ' ');
  auto& word = words[random() % words.size()];
  switch (random() % 4) {
    case 0:
      word = words[random() % words.size()];
      break;
    case 1:
      line = lines[random() % lines.size()];
      return join(lines, "\n") + pack.substr(header.size());
    case 2:
      word = std::to_string(test::number_in(word) + (random() % 2 == 0 ? 1 : -1));
      break;
    default:
      word = numbers[random() % numbers.size()];
  }
  line = join(words, " ");
  auto changed = join(lines, "\n");
  changed.resize(std::max(header.size(), changed.size()), '\0');
  return changed + pack.substr(changed.size() < pack.size() ? changed.size() : pack.size());
}

/// Another number where the tables behind the header keep one: offset, length, side, label.
std::string with_other_number(std::string pack, std::mt19937& random) {
  if (pack.size() < pack_header_bytes + 2 * sizeof(std::uint64_t)) return pack;
  constexpr std::size_t step = 4;
  const auto places = (pack.size() - pack_header_bytes) / step - 2;
  const auto place = pack_header_bytes + step * (random() % places);
  const auto value = test::number_in(numbers[random() % numbers.size()]);
  std::memcpy(pack.data() + place, &value, random() % 2 == 0 ? 4 : 8);
  return pack;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  std::mt19937 random(seed);
  const std::string pack(reinterpret_cast<const char*>(data), size);
  const auto kind = random() % 3;
  if (kind == 0 || size < pack_header_bytes) return LLVMFuzzerMutate(data, size, most);
  const auto changed = kind == 1 ? with_other_word(pack, random) : with_other_number(pack, random);
  if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("fuzz.h5");
  const auto pack = test::resealed(std::string(reinterpret_cast<const char*>(data), size));
  file.set(reinterpret_cast<const std::uint8_t*>(pack.data()), pack.size());
  for (auto* const read : {read_pictures, read_voxels}) {
    try {
      read(file.path());
    } catch (const BadInput&) {
    }
  }
  return 0;
}
