#pragma once
/// libFuzzer's mutator of a program whose input is JSON, which includes this once.

#include <algorithm>
#include <array>
#include <random>

#include "tests/fuzz/json_changes.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t most,
                                               unsigned seed) {
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  std::array<std::uint32_t, 64> random{};
  std::mt19937 generator(seed);
  for (auto& word : random) word = static_cast<std::uint32_t>(generator());
  FuzzedDataProvider input(reinterpret_cast<const std::uint8_t*>(random.data()), sizeof random);
  const auto text =
      scalestudy::fuzz::changed_json(std::string(reinterpret_cast<const char*>(data), size), input);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
