#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "core/error.hpp"

#include "comm/back_ends.hpp"
#include "comm/slot_communicator.hpp"

namespace scalestudy {

std::vector<Communicator> make_thread_ranks(WorldSize world_size, Seconds deadline) {
  SCALESTUDY_EXPECT(world_size.value() >= 1);
  const std::size_t bytes = SlotBlock::bytes_needed(world_size, default_slot_bytes);
  void* const memory = std::aligned_alloc(64, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  const std::shared_ptr<SlotBlock> block(
      SlotBlock::create_in(memory, world_size, default_slot_bytes),
      [](SlotBlock* owned) { std::free(owned); });

  std::vector<Communicator> ranks;
  for (Rank rank; rank.value() < world_size.value(); ++rank) {
    ranks.push_back(make_slot_communicator(
        {"threads", "memory of one process", rank, block, PeerWatch(), deadline}));
  }
  return ranks;
}

}  // namespace scalestudy
