#pragma once
/// All operations over a slot block; serves `threads` and `shm`.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "comm/communicator.hpp"
#include "comm/peer_watch.hpp"
#include "comm/slot_block.hpp"

namespace scalestudy {

/// What a block is made for.
struct SlotPurpose {
  std::string name;             ///< equal on all of its ranks, used once
  std::int64_t slot_bytes = 0;  ///< a multiple of 64; 0: as many as the block it comes from
};

struct SlotRank {
  std::string_view name;  ///< "threads", "shm"
  std::string transport;  ///< for the record
  Rank rank;
  std::shared_ptr<SlotBlock> block;  ///< also keeps its memory
  PeerWatch peers;
  Seconds deadline;  ///< longest silence of a peer
  /// The place of `rank` among `world_size` in a block of its own for `purpose`.
  std::function<SlotRank(const SlotPurpose& purpose, Rank rank, WorldSize world_size)> apart;
};

[[nodiscard]] Communicator make_slot_communicator(SlotRank place);

}  // namespace scalestudy
