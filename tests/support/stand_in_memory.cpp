#include "tests/support/stand_in_memory.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace scalestudy {

void* StandInMemory::allocate(std::size_t bytes) {
  if (left_ && bytes > *left_) return nullptr;
  Block block{std::make_unique<std::byte[]>(std::max<std::size_t>(bytes, 1)), bytes, {}};
  std::fill_n(block.bytes.get(), bytes, std::byte{0x5a});  // fresh memory is not zero
  std::byte* const memory = block.bytes.get();
  blocks_.emplace(memory, std::move(block));
  return memory;
}

bool StandInMemory::free(void* memory) {
  return blocks_.erase(static_cast<const std::byte*>(memory)) == 1;
}

StandInUse StandInMemory::use(const void* memory,
                              std::size_t bytes,
                              const Use& use,
                              const StandInKnowledge& known) {
  const auto* const begin = static_cast<const std::byte*>(memory);
  auto block = blocks_.upper_bound(begin);
  if (block == blocks_.begin()) return StandInUse::not_of_the_device;
  --block;
  if (begin + bytes > block->first + block->second.size) return StandInUse::not_of_the_device;
  const auto has_ended = [&](const Use& earlier) {
    const auto found = known.find(earlier.stream);
    return earlier.stream == use.stream ||
           (found != known.end() && found->second >= earlier.number);
  };
  auto& uses = block->second.uses;
  const std::size_t found_before = hazards_.size();
  for (const Range& earlier : uses) {
    const bool overlaps = earlier.begin < begin + bytes && begin < earlier.end;
    if (!overlaps || !(use.writes || earlier.use.writes) || has_ended(earlier.use)) continue;
    hazards_.push_back(cat(use.what, " of stream ", use.stream, use.writes ? " writes" : " reads",
                           " what ", earlier.use.what, " of stream ", earlier.use.stream,
                           " may still ", earlier.use.writes ? "write" : "read"));
  }
  // Nothing more can be said of what has ended, lies within and is written over.
  std::erase_if(uses, [&](const Range& earlier) {
    const bool is_within = begin <= earlier.begin && earlier.end <= begin + bytes;
    return is_within && use.writes && has_ended(earlier.use);
  });
  uses.push_back({begin, begin + bytes, use});
  return hazards_.size() > found_before ? StandInUse::hazard : StandInUse::in_order;
}

}  // namespace scalestudy
