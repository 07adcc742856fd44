#include <map>
#include <memory>
#include <mutex>

#include "core/error.hpp"
#include "core/zeroed_memory.hpp"

#include "comm/back_ends.hpp"
#include "comm/slot_communicator.hpp"

namespace scalestudy {

namespace {

/// Slots take room when they are used: those of hundreds of ranks that only meet take none.
std::shared_ptr<SlotBlock> make_block(WorldSize world_size, std::int64_t slot_bytes) {
  const auto memory =
      std::make_shared<ZeroedMemory>(SlotBlock::bytes_needed(world_size, slot_bytes));
  return {memory, SlotBlock::create_in(memory->data(), world_size, slot_bytes)};
}

/// Who comes first for a purpose makes its block; the others find it.
class ThreadBlocks : public std::enable_shared_from_this<ThreadBlocks> {
 public:
  explicit ThreadBlocks(Seconds deadline) : deadline_(deadline) {}

  [[nodiscard]] SlotRank place(Rank rank, WorldSize world_size, const SlotPurpose& purpose) {
    return {"threads",
            "memory of one process",
            rank,
            block_for(purpose, world_size),
            PeerWatch(),
            deadline_,
            [all = shared_from_this(), purpose](const SlotPurpose& next, Rank there,
                                                WorldSize of_them) {
              return all->place(there, of_them, {purpose.name + "-" + next.name, next.slot_bytes});
            }};
  }

 private:
  [[nodiscard]] std::shared_ptr<SlotBlock> block_for(const SlotPurpose& purpose,
                                                     WorldSize world_size) {
    const std::lock_guard lock(mutex_);
    auto& block = blocks_[purpose.name];
    if (block == nullptr)
      block =
          make_block(world_size, purpose.slot_bytes > 0 ? purpose.slot_bytes : default_slot_bytes);
    return block;
  }

  Seconds deadline_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<SlotBlock>> blocks_;
};

}  // namespace

std::vector<Communicator> make_thread_ranks(WorldSize world_size, Seconds deadline) {
  SCALESTUDY_EXPECT(world_size.value() >= 1);
  const auto blocks = std::make_shared<ThreadBlocks>(deadline);
  std::vector<Communicator> ranks;
  for (Rank rank; rank.value() < world_size.value(); ++rank)
    ranks.push_back(make_slot_communicator(blocks->place(rank, world_size, {})));
  return ranks;
}

}  // namespace scalestudy
