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

struct SlotRank {
  std::string_view name;  ///< "threads", "shm"
  std::string transport;  ///< for the record
  Rank rank;
  std::shared_ptr<SlotBlock> block;  ///< also keeps its memory
  PeerWatch peers;
  Seconds deadline;  ///< longest silence of a peer
  /// The place of `rank` among `world_size` in a block of its own for `purpose`.
  std::function<SlotRank(const std::string& purpose, Rank rank, WorldSize world_size)> apart;
};

[[nodiscard]] Communicator make_slot_communicator(SlotRank place);

}  // namespace scalestudy
